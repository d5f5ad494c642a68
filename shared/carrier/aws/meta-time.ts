/** The times in Meta's webhooks. */
import * as z from 'zod/mini';

/** The end of the year 9999: refuses a time in milliseconds. */
const maxEpochSeconds = 253_402_300_799;

/** Seconds since the epoch: documented as a string. */
export const epochSecondsText = z.coerce.number().check(z.int(), z.positive(), z.maximum(maxEpochSeconds));

const clocksDifferMaxMs = 60_000;

/**
 * A moment in the second that Meta names: when AWS received the notification, if that was within it, else its end. So the
 * order of a history is kept, because a start of a second may be before what caused it. A second that is more
 * than a minute ahead of AWS's clock is not believed: the newest opt-out or opt-in counts, so none may be of the future.
 *
 * @param receivedAt - ISO 8601, to the nanosecond
 */
export function momentIn(epochSeconds: number, receivedAt: string | undefined): Date {
  const start = epochSeconds * 1000;
  const end = start + 999;
  const received = Date.parse(receivedAt ?? '');
  if (Number.isNaN(received)) return new Date(end);
  return new Date(start - received > clocksDifferMaxMs ? received : Math.max(start, Math.min(end, received)));
}
