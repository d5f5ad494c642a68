/**
 * Handles Ctrl-C. The first Ctrl-C starts an orderly stop, and the next one stops immediately. The signal of one Ctrl-C can
 * arrive several times, from the terminal and from npm.
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
  /** Stops immediately, without waiting for anything. */
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
