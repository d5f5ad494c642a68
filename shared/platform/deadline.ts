/**
 * Enforces the time limit of a request. After a 503, the caller may send another request for the same resource. Lambda
 * freezes the process, and would continue the first request at the next invocation. So after the deadline, AWS calls in
 * progress are aborted, and no call starts or is retried.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { GatewayError } from '../contract/errors.ts';

const current = new AsyncLocalStorage<{
  /** The wall clock is used, because timers stop while a process is frozen. */
  readonly atMs: number;
  readonly signal: AbortSignal;
}>();

const tookTooLong = (): GatewayError =>
  new GatewayError('service_unavailable', 'The request took too long. Try again soon.');

/** Starts one timer for all steps of the request, which runs until `clear`. */
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
  // The deadline may pass while no step waits for it.
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
 * Returns a signal that aborts calls at the current request's deadline; undefined outside of requests.
 *
 * @throws GatewayError `service_unavailable` after the deadline
 */
export function signalOfRequest(): AbortSignal | undefined {
  const deadline = current.getStore();
  if (deadline === undefined) return undefined;
  if (deadline.signal.aborted || Date.now() >= deadline.atMs) throw tookTooLong();
  return deadline.signal;
}
