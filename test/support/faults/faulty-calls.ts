/**
 * The calls of workers, each of which can fail before or after it took effect, or be where the worker dies. A death is
 * a promise that never settles, so no `catch` or `finally` of the code under test can soften it.
 */
import type { Lane } from '../../../shared/webhook/delivery.ts';
import type { VirtualTime } from '../doubles/virtual-time.ts';

export type Fault = 'kill_before' | 'kill_after' | 'fail_before' | 'fail_after';

export interface Worker {
  readonly lane: Lane;
  dead: boolean;
  claimed?: { deliveryId: string; attempt: number };
  /** Set from the first byte of a POST until its outcome is written. */
  posting?: string;
}

export interface FaultyCalls {
  /** The names of all calls so far. */
  readonly names: readonly string[];
  /** Attempts during whose POST, or before the record of its outcome, the worker died. */
  readonly diedInPost: ReadonlySet<string>;
  /** Whether a call is on its way that takes none of the virtual time. */
  isBusy(): boolean;
  call<T>(worker: Worker, name: string, act: () => Promise<T>): Promise<T>;
  /** A POST. It never throws: its failures are answers. It takes as long as the endpoint takes. */
  post<T>(worker: Worker, act: () => Promise<T>): Promise<T>;
}

interface FaultyCallsOptions {
  readonly time: VirtualTime;
  /** The fault of the n-th call, counted over the whole run. */
  readonly fault?: ((name: string, index: number) => Fault | undefined) | undefined;
  readonly latencyMs?: (() => number) | undefined;
}

export function faultyCalls({ time, fault: faultOf, latencyMs = () => 5 }: FaultyCallsOptions): FaultyCalls {
  const names: string[] = [];
  const diedInPost = new Set<string>();
  const never = new Promise<never>(() => {});
  let busy = 0;

  function begin(name: string): Fault | undefined {
    const fault = faultOf?.(name, names.length);
    names.push(name);
    return fault;
  }

  function die(worker: Worker): Promise<never> {
    worker.dead = true;
    if (worker.posting !== undefined) diedInPost.add(worker.posting);
    return never;
  }

  return {
    names,
    diedInPost,
    isBusy: () => busy > 0,

    async call(worker, name, act) {
      if (worker.dead) return never;
      const fault = begin(name);
      if (fault === 'kill_before') return die(worker);
      if (fault === 'fail_before') throw new Error(`${name} failed`);
      await time.sleep(latencyMs());
      busy += 1;
      const value = await act().finally(() => {
        busy -= 1;
      });
      if (fault === 'kill_after') return die(worker);
      if (fault === 'fail_after') throw new Error(`the answer of ${name} was lost`);
      return value;
    },

    async post(worker, act) {
      if (worker.dead) return never;
      const fault = begin('post');
      if (fault === 'kill_before') return die(worker);
      const answer = await act();
      return fault === 'kill_after' ? die(worker) : answer;
    },
  };
}
