/**
 * The times of a hand-over worker. With these times, two workers never hand over the same message at once, and another
 * worker continues a dead worker's message within 45 s. A test checks the order of these times
 * (docs/decisions/hand-over-lease.md).
 */

/**
 * The time limit of the function `dispatch-message`: the wait for the sender's pace, the hand-over, and 4 s for the reads
 * and writes around it.
 */
export const handOverTimeoutSeconds = 15;

/** A claim lasts longer than the function can run, so when it expires, its worker has ended. */
export const claimSeconds = 20;

/**
 * The visibility timeout of the outbound queues. It must exceed the time that a batch takes, and the claim: if a worker
 * dies, its message is visible again only after its claim has expired.
 */
export const handOverVisibilitySeconds = 45;

/** The longest wait for a claim. A wrong clock or an edited row may have set the claim's end far ahead. */
export const heldSecondsMax = 2 * claimSeconds;

/** How early a message that waits for its sender's pace may reach a worker. */
export const earlySecondsMax = 2;

/**
 * If a message gets no place before its end, it tries once more this long before its end. Every place is less than this far
 * ahead.
 */
export const lastTrySeconds = 10;

/** The shortest wait after a carrier refused a message because its recipient gets too many: WhatsApp's time between two. */
export const recipientWaitSeconds = 6;
