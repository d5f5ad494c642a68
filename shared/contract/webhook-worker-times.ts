/**
 * The times of webhooks and of their workers. With these times, two workers never make the same attempt at once, and a
 * killed worker's deliveries are attempted again within 35 s. A test checks the order of these times (contract 7.8).
 */

/** The default time limit of a POST. It includes the response's headers, but not its body (contract 7.7). */
export const acknowledgeWithinSeconds = 5;

/** The values of `timeout_seconds`, which a client can set for its managed endpoint. */
export const timeoutSeconds = { min: acknowledgeWithinSeconds, max: 10 } as const;

/**
 * Seconds from the end of a failed attempt to the next one (contract 7.8). A managed endpoint can only make a delay longer,
 * by `Retry-After`.
 */
export const retryDelaysSeconds = [30, 120, 600, 3600, 21_600] as const;

/** The longest delay that `Retry-After` of a 429 or 503 can cause. */
export const retryAfterMaxSeconds = 21_600;

/** If a message arrives less than this before its due time, the worker waits. */
export const waitSecondsMax = 2;

/** The function's time limit: the wait, the POST, and more than 10 s for writing the outcome with retries. */
export const workerTimeoutSeconds = 25;

/** A claim's lease lasts longer than the function can run, so when it expires, its worker has ended. */
export const deliveryLeaseSeconds = 27;

/**
 * The visibility timeout of the webhook queues. A killed worker's message is visible again after the lease has expired. AWS
 * recommends six times the function's time limit. A shorter time repeats a dead worker's deliveries sooner, and is safe
 * because only one worker can claim an attempt.
 */
export const visibilitySeconds = 32;

/**
 * After so many receives (about six minutes), a message goes to the dead-letter queue. Receives by a throttled function
 * count too.
 */
export const receivesMax = 12;
