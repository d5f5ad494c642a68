/**
 * Handles Ctrl-C. The first one starts an orderly stop, a later one stops at once. The signal of a single Ctrl-C arrives several
 * times, from the terminal and from npm.
 */

/** A signal after this time belongs to another Ctrl-C. */
const forceAfterMs = 5000;

/** @returns the handler of the signals */
export function stopRequest({
  stop,
  force,
  now,
}: {
  readonly stop: () => void;
  /** Stops at once, without waiting for anything. */
  readonly force: () => void;
  /** Returns the milliseconds of a monotonic clock. */
  readonly now: () => number;
}): () => void {
  let firstAt: number | undefined;
  return () => {
    if (firstAt === undefined) {
      firstAt = now();
      stop();
    } else if (now() - firstAt > forceAfterMs) {
      force();
    }
  };
}
