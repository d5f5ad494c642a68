/** How long a queue can hold a message back by itself; what is due later takes a schedule. */

/** The longest `DelaySeconds` that SQS takes. */
export const queueDelayMaxSeconds = 900;
