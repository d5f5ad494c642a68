/**
 * The times of a hand-over worker. With these times, two workers never hand over the same message at the same time, and
 * another worker continues the message of a dead worker within 45 s. A test checks the order of these times
 * (docs/decisions/hand-over-lease.md).
 */

/**
 * The time limit of the function `dispatch-message`. This time covers the wait for the sender's pace, the hand-over, and 4 s
 * for the reads before the call and the writes after it.
 */
export const handOverTimeoutSeconds = 15;

/** A claim of a message holds longer than the function runs, so the worker has ended when its claim expires. */
export const claimSeconds = 20;

/**
 * The visibility timeout of the outbound queues. It does not end while a batch is processed. If a worker dies, its message
 * is visible again after its claim has expired.
 */
export const handOverVisibilitySeconds = 45;

/** The longest wait for a claim: a wrong clock or an edited row may have set its end far ahead. */
export const heldSecondsMax = 2 * claimSeconds;

/** A message that waits for the pace of its sender may reach a worker this many seconds early. */
export const earlySecondsMax = 2;

/**
 * If a message cannot get a place before its end, it tries for the last time this many seconds before its end. Every place
 * is less than this time ahead.
 */
export const lastTrySeconds = 10;
