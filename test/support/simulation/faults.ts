/**
 * Decides what goes wrong, and how long things take. A decision depends only on the seed and on the point at which it is
 * made (`send-sms PutItem Messages 3`: the third such call), so that a run with fewer steps or fewer faults keeps the
 * others: that is what makes shrinking possible.
 */
import { hashOf, type Random, randomOf } from './random.ts';

export const faultKinds = {
  'dies before': 'the process died before the call',
  'dies after': 'the call took effect, and the process died before the answer',
  'fails before': 'the service answered with an error, without effect',
  'fails after': 'the service answered with an error, but the call took effect',
  'no connection': 'no connection to the service was made',
  'no request': 'the call did not arrive, and the process waited until its time limit',
  'no answer': 'the call took effect, and its answer did not arrive',
  throttled: 'the service throttled the call',
  'arrives late': 'the call took effect late, perhaps after the time limit of the process',
  'is answered late':
    'the call took effect, and its answer came late, perhaps after the time limit of the process',
  'arrives twice': 'the message was delivered twice',
  'repeats the batch': 'the batch was delivered again although it had succeeded',
  'comes late': 'it came late',
  'is not run': 'the run was skipped',
  'is missed': 'the relay did not get the new message',
  'is lost': 'the queue lost the message',
  'conflicts with a transaction': 'a transaction on the same row refused the write',
  'leaves a part undone': 'a part of the batch was left undone',
  'the caller gives up': 'the answer did not reach the caller',
} as const;

export type FaultKind = keyof typeof faultKinds;
/** Each kind with its share of all decisions. */
export type FaultRates = Partial<Readonly<Record<FaultKind, number>>>;

export interface Fault {
  /** `send-sms PutItem Messages 3`. */
  readonly point: string;
  readonly kind: FaultKind;
}

export interface FaultOptions {
  readonly seed: number;
  /** Multiplies every rate; 0 is a world without faults. */
  readonly severity: number;
  /** The function, or the service, whose calls go wrong far more often than others; of some runs only. */
  readonly focus?: string | undefined;
  /** Only these happen; by default what the seed decides. */
  readonly only?: ReadonlySet<string> | undefined;
  /** True if everything takes its shortest time, so that a trace is easy to read. */
  readonly calm?: boolean | undefined;
}

export type Faults = ReturnType<typeof decidedFaults>;

export function keyOf({ point, kind }: Fault): string {
  return `${kind}: ${point}`;
}

const focusedRate = 12;
/** If more than a third of the calls fail, nearly nothing succeeds. */
const timesMax = 16;

export function decidedFaults({ seed, severity, focus, only, calm = false }: FaultOptions) {
  const counts = new Map<string, number>();
  const happened: (Fault & { readonly atMs: number })[] = [];
  let untilMs = Infinity;

  /** The name of the next such point. */
  function next(name: string): string {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return `${name} ${count}`;
  }

  return {
    happened: happened as readonly (Fault & { readonly atMs: number })[],

    /** One decision of a kind of point, with a sequence of random numbers for its details. */
    decide(
      name: string,
      rates: FaultRates,
      atMs: number,
    ): { readonly fault: FaultKind | undefined; readonly point: string } {
      const point = next(name);
      const drawn = hashOf(seed, point) / 2 ** 32;
      const isFocused = focus !== undefined && name.startsWith(focus);
      const times = Math.min(timesMax, severity * (isFocused ? focusedRate : 1));
      let below = 0;
      for (const [kind, rate] of Object.entries(rates) as [FaultKind, number][]) {
        below += rate * times;
        if (atMs > untilMs || drawn >= below) continue;
        if (only !== undefined && !only.has(keyOf({ point, kind }))) return { fault: undefined, point };
        happened.push({ point, kind, atMs });
        return { fault: kind, point };
      }
      return { fault: undefined, point };
    },

    /** How long something takes, in milliseconds: most often near the least. */
    durationMs(point: string, leastMs: number, mostMs: number): number {
      if (calm) return leastMs;
      const drawn = hashOf(seed, 'duration', point) / 2 ** 32;
      return Math.round(leastMs + (mostMs - leastMs) * drawn ** 3);
    },

    random: (name: string): Random => randomOf(seed, name),

    /** After this time nothing goes wrong, until it is set anew. */
    endAt(timeMs: number): void {
      untilMs = timeMs;
    },
    untilMs: () => untilMs,
  };
}
