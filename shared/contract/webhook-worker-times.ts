/**
 * The times of webhooks and of their workers, chosen so that no two workers attempt one delivery at once and a killed worker's
 * deliveries are attempted again within 35 s. A test holds their order (contract 7.8).
 */

/** The time limit of a POST, until the end of the response's headers (contract 7.7). */
export const acknowledgeWithinSeconds = 5;

/** The time limits that a client can set for its endpoint. The default is the minimum. */
export const timeoutSeconds = { min: acknowledgeWithinSeconds, max: 10 } as const;

/**
 * Seconds from the end of a failed attempt to the next one (contract 7.8). A managed endpoint can only make a delay longer,
 * by `Retry-After`.
 */
export const retryDelaysSeconds = [30, 120, 600, 3600, 21_600] as const;

/** The longest delay that `Retry-After` can cause. */
export const retryAfterMaxSeconds = 21_600;

/** A message that arrives less than this before its due time waits in the worker. */
export const waitSecondsMax = 2;

/**
 * The function's time limit. This time covers the wait, the POST, and more than 10 s for the writes of its outcome with
 * their retries.
 */
export const workerTimeoutSeconds = 25;

/** The lease of a claim is longer than the function can run, so the worker has ended when its lease expires. */
export const deliveryLeaseSeconds = 27;

/**
 * The visibility timeout of the webhook queues: the message of a killed worker is visible again after the lease has expired.
 * AWS recommends six times the function's time limit. A shorter time repeats a dead worker's deliveries sooner. It is safe,
 * because only one worker can claim an attempt.
 */
export const visibilitySeconds = 32;

/**
 * After this number of receives a message goes to the dead-letter queue: with the visibility timeout, after six minutes. A throttled
 * function uses up receives too.
 */
export const receivesMax = 12;
