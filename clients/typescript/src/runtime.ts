/** Clock, chance and timers, which a test replaces, and the time limit that is made of them. */
import { AbortError, ConnectionError, type GatewayError, TimeoutError } from './errors.ts';

export interface Runtime {
  /** Milliseconds of a clock that nobody sets. */
  readonly now: () => number;
  /** Milliseconds of the clock that processes share. */
  readonly wallClock: () => number;
  readonly random: () => number;
  readonly wait: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Aborts after so many milliseconds. */
  readonly timeout: (milliseconds: number) => AbortSignal;
}

export const systemRuntime: Runtime = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  random: Math.random,
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', stop, { once: true });
    }),
  // It takes whole milliseconds only.
  timeout: (milliseconds) => AbortSignal.timeout(Math.ceil(milliseconds)),
};

export interface TimeLimit {
  readonly milliseconds: number;
  /** Aborts when the time is over, or the caller ends the call. */
  readonly signal: AbortSignal;
  /** What a failure of the work within this limit means. */
  errorOf(cause: unknown): GatewayError;
}

/** @param signal - the caller's */
export function timeLimit(runtime: Runtime, milliseconds: number, signal?: AbortSignal): TimeLimit {
  const timeout = runtime.timeout(milliseconds);
  return {
    milliseconds,
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    errorOf(cause) {
      if (signal?.aborted) return abortError(signal);
      if (timeout.aborted)
        return new TimeoutError(`No answer within ${Math.round(milliseconds)} ms.`, { cause });
      return new ConnectionError('The gateway was not reached, or its answer was lost.', { cause });
    },
  };
}

export function abortError({ reason }: AbortSignal): AbortError {
  const why = reason instanceof Error ? reason.message : String(reason);
  return new AbortError(`The call was ended by its signal: ${why}`, { cause: reason });
}

/** Resolves as the promise does, or rejects when the signal aborts: the promise itself may never end. */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
