/**
 * The times of a hand-over to a carrier, chosen so that no two workers hand over one message at once. A test holds the
 * inequalities.
 */

/** The longest wait in a worker for the slot of a paced sender. */
export const slotWaitSecondsMax = 3;

/** The time in which a carrier must accept a message. */
export const carrierSecondsMax = 8;

/** The time limit of the function `dispatch-message`; the visibility timeout of its queues is a multiple of it. */
export const dispatchTimeoutSeconds = 15;

/** A claim of a message holds longer than the function runs, so the worker has ended when its claim expires. */
export const claimSeconds = 20;
