/** The limit of SQS delays; a message that is due later needs a schedule. */

/** The longest `DelaySeconds` that SQS takes. */
export const queueDelayMaxSeconds = 900;
