/**
 * Reads the event that AWS End User Messaging SMS publishes for a text message. `isFinal` says whether it is the
 * last one; the type does not, because carriers report some types both before the end and at the end.
 */
import * as z from 'zod/mini';
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import type { Status } from '../../message/message.ts';
import type { Receipt } from '../../message/receipts/record-receipts.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import { roundPrice } from '../../price/prices.ts';

/** Prices of these events are in US dollars, also where the account pays in another currency. */
const eventCurrency = 'USD';

export const smsEvent = z.object({
  eventType: z.string(),
  /** Milliseconds since the epoch, up to the maximum of `Date`. */
  eventTimestamp: z.int().check(z.positive(), z.maximum(8.64e15)),
  isFinal: z.boolean(),
  messageId: z.string().check(z.minLength(1)),
  context: z.nullish(z.object({ message_id: z.optional(z.string().check(z.minLength(1))) })),
  totalMessagePrice: z.nullish(z.number().check(z.nonnegative())),
  totalCarrierFee: z.nullish(z.number().check(z.nonnegative())),
});

type SmsEvent = z.output<typeof smsEvent>;

/** Types that mean that the carrier has the message. */
const taken: readonly string[] = ['TEXT_SENT', 'TEXT_SUCCESSFUL', 'TEXT_DELIVERED'];
const arrived: readonly string[] = ['TEXT_SUCCESSFUL', 'TEXT_DELIVERED'];
/** Types that do not tell the outcome, even in an event marked final. */
const underway: readonly string[] = ['TEXT_QUEUED', 'TEXT_PENDING'];

/** What a final event of each other type means; a type that is not here is `carrier_rejected`. */
const failures: Readonly<Record<string, MessageErrorCode>> = {
  TEXT_INVALID: 'invalid_recipient',
  TEXT_INVALID_MESSAGE: 'content_rejected',
  TEXT_SPAM: 'content_rejected',
  TEXT_BLOCKED: 'carrier_blocked',
  TEXT_CARRIER_BLOCKED: 'carrier_blocked',
  TEXT_PROTECT_BLOCKED: 'country_not_supported',
  TEXT_UNREACHABLE: 'unreachable',
  TEXT_CARRIER_UNREACHABLE: 'unreachable',
  TEXT_UNKNOWN: 'unknown',
};

/** The receipt of an event; none for voice, media and steps in between. */
export function receiptsOfSmsEvent(event: SmsEvent): Receipt[] {
  if (!event.eventType.startsWith('TEXT_')) return [];
  const outcome = outcomeOf(event);
  if (outcome === undefined) return [];
  return [
    {
      ...withoutUndefined({ messageId: event.context?.message_id }),
      carrierMessageId: event.messageId,
      transition: {
        ...outcome,
        at: new Date(event.eventTimestamp),
        carrierMessageId: event.messageId,
        ...priceOf(event),
      },
    },
  ];
}

function outcomeOf(
  event: SmsEvent,
): { to: Status; errorCode?: MessageErrorCode; errorMessage?: string } | undefined {
  if (underway.includes(event.eventType)) return undefined;
  if (!event.isFinal) return taken.includes(event.eventType) ? { to: 'sent' } : undefined;
  if (arrived.includes(event.eventType)) return { to: 'delivered' };
  if (taken.includes(event.eventType)) return { to: 'sent' };
  if (event.eventType === 'TEXT_TTL_EXPIRED') return { to: 'expired', ...messageError('expired') };
  return { to: 'failed', ...messageError(failures[event.eventType] ?? 'carrier_rejected') };
}

/** The price of the message and the fee of the carrier; a client pays both. */
function priceOf(event: SmsEvent): { cost?: number; currency?: string } {
  if (typeof event.totalMessagePrice !== 'number') return {};
  return {
    cost: roundPrice(event.totalMessagePrice + (event.totalCarrierFee ?? 0)),
    currency: eventCurrency,
  };
}
