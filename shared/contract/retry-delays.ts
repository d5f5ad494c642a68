/**
 * When a webhook attempt has failed, and when it is repeated (specification, section 6.4). The delays are promised to
 * clients, so a `Retry-After` header of the endpoint has no effect.
 */

/** From the start of an attempt to the status line of the endpoint's answer. */
export const acknowledgeWithinSeconds = 5;

/** Seconds from the end of a failed attempt to the next one. */
export const retryDelaysSeconds = [30, 120, 600, 3600, 21_600] as const;
