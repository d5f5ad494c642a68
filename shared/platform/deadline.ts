/**
 * The time limit of a request. After a 503, the caller may change the same thing with another request. But Lambda freezes
 * the process, and continues the first request at the next invocation. So nothing is called for a request after its
 * deadline: AWS calls that are in progress are ended, and no other call begins or is repeated.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { GatewayError } from '../contract/errors.ts';

const current = new AsyncLocalStorage<{
  /** Uses the wall clock, because no timer ends while a process is frozen. */
  readonly atMs: number;
  readonly signal: AbortSignal;
}>();

const tookTooLong = (): GatewayError =>
  new GatewayError('service_unavailable', 'The request took too long. Try again soon.');

/** Starts one timer for all steps of the request, until `clear`. */
export function deadlineIn(ms: number) {
  const controller = new AbortController();
  const atMs = Date.now() + ms;
  let timer: NodeJS.Timeout | undefined;
  const reached = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(tookTooLong());
      controller.abort(tookTooLong());
    }, ms);
  });
  // The deadline may be reached while no step waits for it.
  reached.catch(() => undefined);
  return {
    /** Rejects at the deadline. */
    reached,
    /** Does the work of the request. */
    run: <T>(work: () => Promise<T>): Promise<T> => current.run({ atMs, signal: controller.signal }, work),
    clear: (): void => clearTimeout(timer),
  };
}

/**
 * Returns a signal that aborts a call at the deadline of the current request; undefined outside of requests.
 *
 * @throws GatewayError `service_unavailable` after the deadline
 */
export function signalOfRequest(): AbortSignal | undefined {
  const deadline = current.getStore();
  if (deadline === undefined) return undefined;
  if (deadline.signal.aborted || Date.now() >= deadline.atMs) throw tookTooLong();
  return deadline.signal;
}
