/**
 * The times of a delivery worker, chosen so that no two workers attempt one delivery at once and a killed worker's deliveries are
 * attempted again within 35 s. A test holds their order, with the lease of a delivery (contract 7.8).
 */

/** The time limit of a POST, until the end of the response's headers (contract 7.7). */
export const acknowledgeWithinSeconds = 5;

/** A message that arrives less than this before its due time waits in the worker. */
export const waitSecondsMax = 2;

/**
 * The function's time limit. A message waits, is posted, and has more than 10 s for the writes of its outcome with their
 * retries.
 */
export const workerTimeoutSeconds = 25;

/**
 * The visibility timeout of the webhook queues: the message of a killed worker is shown again when the lease has
 * expired. AWS recommends six runs of the function. One run repeats a dead worker's deliveries sooner, and only one worker
 * can claim an attempt.
 */
export const visibilitySeconds = 32;

/**
 * After this number of receives a message goes to the dead-letter queue: with the visibility timeout, after six minutes. A throttled
 * function uses up receives too.
 */
export const receivesMax = 12;
