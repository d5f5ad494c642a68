/**
 * Reads what AWS End User Messaging SMS publishes: the event of a sent message, and the payload of a message that a person
 * sent to a phone number. Numbers come with or without a plus, or are short codes.
 */
import * as z from 'zod/mini';
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { roundPrice } from '../../contract/prices.ts';
import { ignoredEventTypes, smsEventTypes } from '../../contract/sms-event-types.ts';
import { attemptNamed } from '../../message/dispatch/carrier.ts';
import type { Receipt } from '../../message/dispatch/record-receipts.ts';
import type { Status } from '../../message/message.ts';
import type { InboundMessage } from '../../message/received-content.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { inboundNumber } from '../../sender/phone-number.ts';

/** Prices of these events are in US dollars, also where the account pays in another currency. */
const eventCurrency = 'USD';

export const smsEvent = z.object({
  eventType: z.string(),
  /** Milliseconds since the epoch, up to the maximum of `Date`. */
  eventTimestamp: z.int().check(z.positive(), z.maximum(8.64e15)),
  isFinal: z.boolean(),
  messageId: z.string().check(z.minLength(1)),
  /** The number that was chosen from a pool; also a sender ID. */
  originationPhoneNumber: z.nullish(z.string()),
  context: z.nullish(
    z.object({
      message_id: z.optional(z.string().check(z.minLength(1))),
      /** Absent on messages of an earlier release. */
      attempt_id: z.optional(z.string()),
    }),
  ),
  totalMessagePrice: z.nullish(z.number().check(z.nonnegative())),
  totalCarrierFee: z.nullish(z.number().check(z.nonnegative())),
});

type SmsEvent = z.output<typeof smsEvent>;

/** The receipt of an event; none for voice and media, and for a failure that is not final. */
export function receiptsOfSmsEvent(event: SmsEvent): Receipt[] {
  if (ignoredEventTypes.test(event.eventType)) return [];
  const outcome = outcomeOf(event);
  if (outcome === undefined) return [];
  return [
    {
      ...withoutUndefined({
        messageId: event.context?.message_id,
        attempt: attemptNamed(event.context?.attempt_id ?? '')?.attempt,
      }),
      carrierMessageId: event.messageId,
      ...withoutUndefined({ from: numberOf(event) }),
      transition: {
        ...outcome,
        at: new Date(event.eventTimestamp),
        carrierMessageId: event.messageId,
        ...(arrived.includes(outcome.to) && event.eventType.startsWith('RCS_') ? { deliveredBy: 'rcs' } : {}),
        ...priceOf(event),
      },
    },
  ];
}

const arrived: readonly Status[] = ['delivered', 'read'];

/** Undefined for a name. */
function numberOf({ originationPhoneNumber: sender }: SmsEvent): string | undefined {
  return sender != null && /^\+?\d{3,15}$/.test(sender) ? inboundNumber(sender) : undefined;
}

function outcomeOf({
  eventType,
  isFinal,
}: SmsEvent): { to: Status; errorCode?: MessageErrorCode; errorMessage?: string } | undefined {
  const meaning = smsEventTypes[eventType] ?? 'carrier_rejected';
  if (meaning === 'sent' || meaning === 'read') return { to: meaning };
  if (meaning === 'delivered') return { to: isFinal ? meaning : 'sent' };
  if (!isFinal) return undefined;
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

/** E.164 has at most 15 digits. */
const number = z.string().check(z.regex(/^\D*(?:\d\D*){1,15}$/), z.maxLength(32));

export const twoWaySms = z.object({
  originationNumber: number,
  destinationNumber: number,
  messageBody: z.string(),
  inboundMessageId: z.string().check(z.minLength(1)),
  /** The message that the person answers. */
  previousPublishedMessageId: z.nullish(z.string()),
});

export function inboundOfTwoWaySms(sms: z.output<typeof twoWaySms>, notifiedAt: Date): InboundMessage {
  return {
    channel: 'sms',
    carrierMessageId: sms.inboundMessageId,
    person: inboundNumber(sms.originationNumber),
    number: inboundNumber(sms.destinationNumber),
    receivedAt: notifiedAt,
    text: sms.messageBody,
    ...(sms.previousPublishedMessageId ? { repliesTo: sms.previousPublishedMessageId } : {}),
  };
}
