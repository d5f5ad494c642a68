/**
 * Processes with faults: each call can end the process before or after it took effect, fail, be throttled,
 * come late or take effect twice, and each process has a clock of its own. What fails is tried again as the SDK does,
 * which succeeds in half of the cases. A death is a promise that never settles, so no `catch` or `finally` of the code
 * under test can soften it.
 */
import type { Clock } from '../../../shared/platform/clock.ts';
import type { VirtualTime } from '../doubles/virtual-time.ts';

const faults = [
  'kill_before',
  'kill_after',
  'fail_before',
  'fail_after',
  'throttle',
  'delay',
  'double',
] as const;
export type Fault = (typeof faults)[number];
/** What a call can be spared: a fault, or the SDK's own repeats, which not every caller has. */
type Spared = Fault | 'retry';

export interface Process {
  readonly clock: Clock;
  dead: boolean;
  /** How its work ended; undefined where it died. */
  ended?: 'well' | 'failed';
}

class Throttled extends Error {
  override readonly name = 'ThrottlingException';
}

/** How often each fault comes, in parts of all calls. */
type FaultRates = Readonly<Record<Fault, number>>;

const usualRates: FaultRates = {
  kill_before: 0.006,
  kill_after: 0.006,
  fail_before: 0.008,
  fail_after: 0.008,
  throttle: 0.008,
  delay: 0.01,
  double: 0.015,
};

/** After these the caller gets an error, or no answer. */
const failures: ReadonlySet<Fault | undefined> = new Set(['fail_before', 'fail_after', 'throttle']);
/** As `shared/platform/aws/clients.ts` sets it. */
const sdkTries = 3;
const sdkPauseMs = 100;
const delayMaxMs = 3000;
const skewedShare = 0.2;

export interface FaultyProcesses {
  readonly counted: Readonly<Record<string, number>>;
  readonly calls: () => number;
  /** Starts a process that is ended when its time is over. */
  start(limitSeconds: number, skewMs?: number): Process;
  drawSkewMs(): number;
  call<T>(process: Process, act: () => Promise<T>, spared?: readonly Spared[]): Promise<T>;
  /** A port as this process has it. */
  port<Port extends object>(process: Process, port: Port): Port;
}

const never = new Promise<never>(() => {});

export function faultyProcesses(
  time: VirtualTime,
  random: () => number,
  /** How far a clock may be from the true time. */
  skewMaxMs: number,
  rates: FaultRates = usualRates,
): FaultyProcesses {
  const counted: Record<string, number> = {};
  let calls = 0;

  function draw(spared: readonly Spared[]): Fault | undefined {
    let drawn = random();
    for (const fault of faults) {
      drawn -= rates[fault];
      if (drawn >= 0) continue;
      if (spared.includes(fault)) return undefined;
      counted[fault] = (counted[fault] ?? 0) + 1;
      return fault;
    }
    return undefined;
  }

  function die(process: Process): Promise<never> {
    process.dead = true;
    return never;
  }

  async function call<T>(
    process: Process,
    act: () => Promise<T>,
    spared: readonly Spared[] = [],
  ): Promise<T> {
    if (process.dead) return never;
    calls += 1;
    const fault = draw(spared);
    if (fault === 'kill_before') return die(process);
    await time.sleep(1 + random() * 30 + (fault === 'delay' ? random() * delayMaxMs : 0));
    if (failures.has(fault))
      await failUntilOver(process, act, fault, spared.includes('retry') ? 1 : sdkTries);
    if (process.dead) return never;
    if (fault === 'double') await act();
    const value = await act();
    if (fault === 'kill_after') return die(process);
    // Killed meanwhile, by the end of its time.
    return process.dead ? never : value;
  }

  /** Returns where the failure was over before the last of the tries. */
  async function failUntilOver(
    process: Process,
    act: () => Promise<unknown>,
    fault: Fault | undefined,
    tries: number,
  ): Promise<void> {
    const failing = random() < 0.5 ? 1 : tries;
    for (let attempt = 1; attempt <= failing && !process.dead; attempt += 1) {
      // It took effect, or was refused, and nobody heard of it.
      if (fault === 'fail_after') await act().catch(() => {});
      if (attempt === tries) {
        if (fault === 'throttle') throw new Throttled('too many calls');
        throw new Error(fault === 'fail_after' ? 'the answer was lost' : 'the call failed');
      }
      counted['tried again by the SDK'] = (counted['tried again by the SDK'] ?? 0) + 1;
      await time.sleep(random() * sdkPauseMs * 2 ** attempt);
    }
  }

  function drawSkewMs(): number {
    const skewed = random() < skewedShare;
    const drawn = random();
    return skewed ? Math.round((2 * drawn - 1) * skewMaxMs) : 0;
  }

  return {
    counted,
    calls: () => calls,
    call,
    drawSkewMs,
    start(limitSeconds, skewMs = drawSkewMs()) {
      const process: Process = { clock: () => new Date(time.now() + skewMs), dead: false };
      time.at(time.now() + limitSeconds * 1000, () => {
        if (process.ended === undefined) process.dead = true;
      });
      return process;
    },
    port(process, port) {
      type Method = (...args: unknown[]) => Promise<unknown>;
      const methods = Object.entries(port as Record<string, Method>).map(([name, method]) => [
        name,
        (...args: unknown[]) => call(process, () => method(...args)),
      ]);
      return Object.fromEntries(methods) as typeof port;
    },
  };
}
