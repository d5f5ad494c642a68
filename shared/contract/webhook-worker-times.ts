/**
 * The times of a delivery worker, chosen so that no two workers attempt one delivery at once and a killed worker's deliveries are
 * attempted again within 35 s. A test holds their order, with the lease of a delivery (contract 7.8).
 */

/** The time limit of a POST, until the end of the response's headers (contract 7.7). */
export const acknowledgeWithinSeconds = 5;

/** A message that arrives less than this before its due time waits in the worker. */
export const waitSecondsMax = 2;

/** The most deliveries that a worker has at once: its batch, and deliveries that it receives while it waits. */
export const deliveriesAtOnce = 100;

/**
 * How long a worker that waits for an endpoint receives further messages of its queue itself. Longer than a POST plus
 * the second in which an endpoint that begins to hang still has POSTs in the fast lane.
 */
export const receiveFurtherSeconds = 7;

/**
 * The function's time limit: a message received last may wait, is posted, and has about 10 s for the writes of its
 * outcome with their retries.
 */
export const workerTimeoutSeconds = 25;

/**
 * The visibility timeout of the webhook queues: the message of a killed worker is shown again when the lease has
 * expired. That is one run of the function and not the six that AWS recommends: docs/decisions/endpoint-health-and-two-lanes.md.
 */
export const visibilitySeconds = 32;

/**
 * After this number of receives a message goes to the dead-letter queue: with the visibility timeout, after six minutes. A throttled
 * function uses up receives too.
 */
export const receivesMax = 12;
