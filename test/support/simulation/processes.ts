/**
 * Processes whose calls can fail: each call can end its process before or after it took effect, fail, be throttled, come
 * late or take effect twice, and each process has a clock of its own. A death is a promise that never settles, so no
 * `catch` or `finally` of the code under test can soften it.
 */
import type { Clock } from '../../../shared/platform/clock.ts';
import type { VirtualTime } from './virtual-time.ts';

export const crashFaults = ['kill_before', 'kill_after', 'fail_before', 'fail_after'] as const;
export type Fault = (typeof crashFaults)[number] | 'throttle' | 'delay' | 'double';
/** What a call can be spared: a fault, or the SDK's own retries, which not every caller has. */
type Spared = Fault | 'retry';

export interface FaultOptions {
  /** The fault of the n-th call of the run; by default none. */
  readonly fault?: ((call: string, index: number) => Fault | undefined) | undefined;
  /** How often the SDK tries a call; by default once, so that each failure reaches the caller. */
  readonly sdkTries?: number;
  readonly latencyMs?: () => number;
  /** Whether a new process is one that no fault kills: some are, or work of many calls could never end. */
  readonly safe?: () => boolean;
  /** How far the clock of a new process is ahead of the true time. */
  readonly skewMs?: () => number;
}

export interface Process {
  readonly clock: Clock;
  readonly safe: boolean;
  /** Killed by a fault, or by its time limit. */
  readonly isDead: () => boolean;
  killed: boolean;
  /** How its work ended; undefined if it died. */
  ended: 'well' | 'failed' | undefined;
}

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>;

class Throttled extends Error {
  override readonly name = 'ThrottlingException';
}

/** After these the caller gets an error. */
const failures: ReadonlySet<Fault | undefined> = new Set(['fail_before', 'fail_after', 'throttle']);
const deaths: ReadonlySet<Fault> = new Set(['kill_before', 'kill_after']);
const sdkPauseMs = 100;
const delayMaxMs = 3000;
/** Lambda freezes a process whose function has returned: what it did not wait for does not happen. */
const isGone = ({ isDead, ended }: Process): boolean => ended !== undefined || isDead();
/** Each its own: what waits for a promise that the module keeps could never be freed. */
export const never = () => new Promise<never>(() => {});

/** Draws a fault for each call, in parts of all calls. */
export function randomFaults(random: () => number, rates: Partial<Record<Fault, number>>) {
  return (): Fault | undefined => {
    let drawn = random();
    for (const [fault, rate] of Object.entries(rates)) {
      drawn -= rate;
      if (drawn < 0) return fault as Fault;
    }
    return undefined;
  };
}

/** A port each of whose methods goes through `call`. */
export function portThrough<Port extends object>(
  port: Port,
  call: (method: string, act: () => Promise<unknown>) => Promise<unknown>,
): Port {
  return new Proxy(port, {
    get:
      (_port, method: string) =>
      (...args: unknown[]) =>
        call(method, async () => (port as Methods)[method]?.(...args)),
  });
}

export function faultyProcesses(
  time: VirtualTime,
  random: () => number,
  {
    fault: faultOf,
    sdkTries = 1,
    latencyMs = () => 5,
    safe = () => false,
    skewMs: drawSkewMs = () => 0,
  }: FaultOptions,
) {
  const calls: string[] = [];
  const counted: Record<string, number> = {};
  const count = (what: string): void => {
    counted[what] = (counted[what] ?? 0) + 1;
  };

  function die(process: Process): Promise<never> {
    process.killed = true;
    return never();
  }

  async function call<T>(
    process: Process,
    name: string,
    act: () => Promise<T>,
    spared: readonly Spared[] = [],
  ): Promise<T> {
    if (isGone(process)) return never();
    const drawn = faultOf?.(name, calls.length);
    calls.push(name);
    const isSpared = drawn !== undefined && (spared.includes(drawn) || (process.safe && deaths.has(drawn)));
    const fault = isSpared ? undefined : drawn;
    if (fault !== undefined) count(fault);
    if (fault === 'kill_before') return die(process);
    await time.sleep(latencyMs() + (fault === 'delay' ? random() * delayMaxMs : 0));
    if (failures.has(fault))
      await failUntilOver(process, act, fault, spared.includes('retry') ? 1 : sdkTries);
    if (isGone(process)) return never();
    if (fault === 'double') await act();
    const value = await act();
    if (fault === 'kill_after') return die(process);
    // Its time may have ended meanwhile.
    return process.isDead() ? never() : value;
  }

  /** Returns if the failure was over before the last of the tries: in half of the cases. */
  async function failUntilOver(
    process: Process,
    act: () => Promise<unknown>,
    fault: Fault | undefined,
    tries: number,
  ): Promise<void> {
    const failing = random() < 0.5 ? 1 : tries;
    for (let attempt = 1; attempt <= failing && !isGone(process); attempt += 1) {
      // It took effect, or was refused, and nobody heard of it.
      if (fault === 'fail_after') await act().catch(() => {});
      if (attempt === tries) {
        if (fault === 'throttle') throw new Throttled('too many calls');
        throw new Error(fault === 'fail_after' ? 'the response was lost' : 'the call failed');
      }
      count('tried again by the SDK');
      await time.sleep(random() * sdkPauseMs * 2 ** attempt);
    }
  }

  return {
    /** The names of all calls so far. */
    calls: calls as readonly string[],
    counted: counted as Readonly<Record<string, number>>,
    drawSkewMs,
    call,
    start(timeoutSeconds: number, skewMs = drawSkewMs()): Process {
      const endsAtMs = time.now() + timeoutSeconds * 1000;
      const process: Process = {
        clock: () => new Date(time.now() + skewMs),
        safe: safe(),
        isDead: () => process.killed || (process.ended === undefined && time.now() >= endsAtMs),
        killed: false,
        ended: undefined,
      };
      return process;
    },
    /** A port as this process has it: every method is a call, named by the port and the method. */
    port: <Port extends object>(process: Process, name: string, port: Port): Port =>
      portThrough(port, (method, act) => call(process, `${name} ${method}`, act)),
  };
}
