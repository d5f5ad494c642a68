/** For how long something is valid, as clients are told (contract, sections 2, 5 and 7). */

/** A repeat with the same `Idempotency-Key` gets the response of the first request. */
export const idempotencyKeyHours = 24;

/** The secret before the newest one, of a client or of webhooks, from when the newest is in use. */
export const previousSecretHours = 24;
