/** The periods for which clients may rely on something (contract, sections 2, 5 and 7). */

/** A repeat with the same `Idempotency-Key` gets the response of the first request. */
export const idempotencyKeyHours = 24;

/** The secret before the newest one, of a client or of webhooks, from when the newest is in use. */
export const previousSecretHours = 24;
/** A rotation may choose another time, 0 after a leak. */
export const previousSecretHoursMax = 168;

/** The maximum number of one-time passwords of a client to one recipient in any window of this length. */
export const recipientSendsMax = 5;
export const recipientWindowSeconds = 600;
