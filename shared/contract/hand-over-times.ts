/**
 * The times of a hand-over worker, chosen so that no two workers hand over one message at once, and another worker continues
 * the message of a dead one within 45 s. A test holds their order (docs/decisions/hand-over-lease.md).
 */

/**
 * The time limit of the function `dispatch-message`. A message waits for the pace of its sender, is handed over, and has 4 s
 * for the reads before the call and the writes after it.
 */
export const handOverTimeoutSeconds = 15;

/** A claim of a message holds longer than the function runs, so the worker has ended when its claim expires. */
export const claimSeconds = 20;

/**
 * The visibility timeout of the outbound queues. It does not end during the processing of a batch, and the message of a dead
 * worker is shown again when its claim has expired.
 */
export const handOverVisibilitySeconds = 45;

/** The longest wait for a claim: a wrong clock or an edited row may have set its end far ahead. */
export const heldSecondsMax = 2 * claimSeconds;

/** A message that waits for the pace of its sender may come to a worker so long before its time. */
export const earlySecondsMax = 2;

/** A message that finds no place before its end tries for the last time so long before it. Longer than any place is ahead. */
export const lastTrySeconds = 10;
