/**
 * When to stop: one Ctrl-C arrives several times, from the terminal and again from npm, and must not cut the orderly
 * stop short. A later one forces the end.
 */

/** A request after so long is another Ctrl-C, by a person who has waited. */
const forceAfterMilliseconds = 5000;

interface StopActions {
  readonly stop: () => void;
  /** Ends at once. */
  readonly force: () => void;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
}

/** What to call on each signal that asks for the end. */
export function stopRequest({ stop, force, now }: StopActions): () => void {
  let firstAt: number | undefined;
  return () => {
    if (firstAt === undefined) {
      firstAt = now();
      stop();
    } else if (now() - firstAt > forceAfterMilliseconds) {
      force();
    }
  };
}
