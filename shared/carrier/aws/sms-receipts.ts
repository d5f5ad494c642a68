/**
 * Reads the event that AWS End User Messaging SMS publishes for a text message. `isFinal` decides whether it
 * is the end of the matter, never the type alone: carriers report some types both on the way and at the end.
 */
import * as z from 'zod/mini';
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import type { Status } from '../../message/message.ts';
import type { Receipt } from '../../message/receipts/receipt.ts';
import { roundPrice } from '../prices.ts';

/** Prices of these events are in US dollars, whatever the account pays in. */
const eventCurrency = 'USD';

export const smsEvent = z.object({
  eventType: z.string(),
  /** Milliseconds since the epoch, up to the last that a date can hold. */
  eventTimestamp: z.int().check(z.positive(), z.maximum(8.64e15)),
  isFinal: z.boolean(),
  messageId: z.string().check(z.minLength(1)),
  context: z.nullish(z.object({ message_id: z.optional(z.string().check(z.minLength(1))) })),
  totalMessagePrice: z.nullish(z.number().check(z.nonnegative())),
  totalCarrierFee: z.nullish(z.number().check(z.nonnegative())),
});

type SmsEvent = z.output<typeof smsEvent>;

/** Types that mean the message got to the carrier, or further. */
const taken: readonly string[] = ['TEXT_SENT', 'TEXT_SUCCESSFUL', 'TEXT_DELIVERED'];
const arrived: readonly string[] = ['TEXT_SUCCESSFUL', 'TEXT_DELIVERED'];
/** Types that say nothing of the outcome, even in an event marked final. */
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

/** The one receipt of an event, or none where it changes nothing: voice and media, and steps on the way. */
export function receiptsOfSmsEvent(event: SmsEvent): Receipt[] {
  if (!event.eventType.startsWith('TEXT_')) return [];
  const outcome = outcomeOf(event);
  if (outcome === undefined) return [];
  return [
    {
      ...(event.context?.message_id === undefined ? {} : { messageId: event.context.message_id }),
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

/** The message's price and the carrier's fee are told apart; a client pays both. */
function priceOf(event: SmsEvent): { cost?: number; currency?: string } {
  if (typeof event.totalMessagePrice !== 'number') return {};
  return {
    cost: roundPrice(event.totalMessagePrice + (event.totalCarrierFee ?? 0)),
    currency: eventCurrency,
  };
}
