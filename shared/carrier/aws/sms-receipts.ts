/** Reads the event that AWS End User Messaging SMS publishes for a text message. `smsEventTypes` says what each type means. */
import * as z from 'zod/mini';
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { smsEventTypes } from '../../contract/sms-event-types.ts';
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

function outcomeOf({
  eventType,
  isFinal,
}: SmsEvent): { to: Status; errorCode?: MessageErrorCode; errorMessage?: string } | undefined {
  const meaning = smsEventTypes[eventType] ?? 'carrier_rejected';
  if (meaning === 'sent' || meaning === 'delivered') return { to: isFinal ? meaning : 'sent' };
  if (meaning === 'underway' || !isFinal) return undefined;
  return { to: meaning === 'expired' ? 'expired' : 'failed', ...messageError(meaning) };
}

/** The price of the message and the fee of the carrier; a client pays both. */
function priceOf(event: SmsEvent): { cost?: number; currency?: string } {
  if (typeof event.totalMessagePrice !== 'number') return {};
  return {
    cost: roundPrice(event.totalMessagePrice + (event.totalCarrierFee ?? 0)),
    currency: eventCurrency,
  };
}
