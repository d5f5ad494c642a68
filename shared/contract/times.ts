/**
 * Times that clients may rely on, and times of workers. A test holds the inequalities between those of workers. Texts of
 * errors and of the documentation have them in words.
 */

// Promised periods (contract, sections 2, 5 and 7).

/** A repeat with the same `Idempotency-Key` gets the response of the first request. */
export const idempotencyKeyHours = 24;

/** The secret before the newest one, of a client or of webhooks, from when the newest is in use. */
export const previousSecretHours = 24;
/** A rotation may choose another time, 0 after a leak. */
export const previousSecretHoursMax = 168;

/** The maximum number of one-time passwords of a client to one recipient in any window of this length. */
export const recipientSendsMax = 5;
export const recipientWindowSeconds = 600;

// Webhooks: when an attempt has failed and when it is repeated (contract 7.8), and the times of a delivery worker. The
// delays are promised to clients, so a `Retry-After` header of the endpoint has no effect. The worker's times are chosen so
// that no two workers attempt one delivery at once and a killed worker's deliveries are attempted again within 35 s.

/** The time limit from the start of an attempt to the status line of the endpoint's response. */
export const acknowledgeWithinSeconds = 5;

/** Seconds from the end of a failed attempt to the next one. */
export const retryDelaysSeconds = [30, 120, 600, 3600, 21_600] as const;

/** The time limit for the rest of a response after its status line. */
export const restOfResponseMs = 500;

/** The longest POST (contract 7.7). */
export const postSecondsMax = acknowledgeWithinSeconds + restOfResponseMs / 1000;

/** A message that arrives less than this before its due time waits in the worker. */
export const waitSecondsMax = 2;

/** How many deliveries a worker has at once: those of its batch, and those that it receives itself while it waits. */
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

/** A claim holds longer than the function runs, so the worker has ended when its lease expires. */
export const leaseSeconds = 27;

/**
 * The visibility timeout of the webhook queues: the message of a killed worker is shown again when the lease has
 * expired. That is one run of the function and not the six that AWS recommends: docs/decisions/one-run-visibility.md.
 */
export const visibilitySeconds = 32;

/**
 * After this number of receives a message goes to the dead-letter queue: with the visibility timeout, after six minutes. A throttled
 * function uses up receives too.
 */
export const receivesMax = 12;

/**
 * The time limit of the function `record-receipt`: a batch of ten callbacks of Meta, each with a thousand statuses, and a STOP for
 * two thousand clients must end within it. What does not would begin anew each time, with all that shares its batch.
 */
export const recordTimeoutSeconds = 60;

/** The visibility timeout of the receipts: little longer, because a repeat at the same time changes nothing. */
export const receiptVisibilitySeconds = 70;

// Hand-overs to a carrier, chosen so that no two workers hand over one message at once.

/** The longest wait in a worker for the slot of a paced sender. */
export const slotWaitSecondsMax = 3;

/** The time in which a carrier must accept a message. */
export const carrierSecondsMax = 8;

/** The time limit of the function `dispatch-message`; the visibility timeout of its queues is a multiple of it. */
export const dispatchTimeoutSeconds = 15;

/** A claim of a message holds longer than the function runs, so the worker has ended when its claim expires. */
export const claimSeconds = 20;

const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const;

/** Times as a guide names them: `30 seconds, 2 minutes and 1 hour`. */
export function inWords(timesSeconds: readonly number[]): string {
  const words = timesSeconds.map((time) => {
    const unit = units.find(({ seconds }) => time % seconds === 0) ?? units[3];
    const count = time / unit.seconds;
    return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
  });
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(words);
}
