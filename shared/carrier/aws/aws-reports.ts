/**
 * Reads a notification of the SNS topic to which both AWS services publish: events of sent messages, and inbound messages.
 * The simulator's reports have the same format. A number in these reports may have a plus, no plus, or be a short code.
 */
import * as z from 'zod/mini';
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { inboundNumber } from '../../contract/phone-number.ts';
import { type Price, reportedPrice } from '../../contract/prices.ts';
import { ignoredEventTypes, smsEventTypes } from '../../contract/sms-event-types.ts';
import { attemptNamed } from '../../message/dispatch/carrier.ts';
import type { Receipt } from '../../message/dispatch/receipt-decisions.ts';
import type { Status } from '../../message/message.ts';
import type { InboundMessage } from '../../message/whatsapp-content.ts';
import type { CarrierReports } from '../carrier-module.ts';
import { type CarrierNotification, hasField, jsonOf, read } from '../carrier-notification.ts';
import { clocksDifferMaxMs } from '../whatsapp-statuses.ts';
import { readWebhookEntry, whatsAppWebhookEntry } from '../whatsapp-webhook.ts';
import { awsDescriptor } from './aws-descriptor.ts';

export const awsReports: CarrierReports = {
  descriptor: awsDescriptor,
  parse: ({ body }) => parseTopicNotification(body),
};

const snsNotification = z.object({
  Type: z.literal('Notification'),
  Message: z.string(),
  /** When SNS received the notification. If SNS delivers it again, the time is the same. */
  Timestamp: z.iso.datetime(),
  /** Present only if the simulator reports an inbound message of test data. */
  mode: z.exactOptional(z.literal('test')),
});

/** An event of AWS End User Messaging Social. The event contains Meta's webhook entry as a string. */
const whatsAppEvent = z.object({
  whatsAppWebhookEntry: z.string(),
  /** When AWS received Meta's call, to the nanosecond. */
  message_timestamp: z.optional(z.string()),
  context: z.optional(
    z.object({
      MetaPhoneNumberIds: z.optional(z.array(z.object({ metaPhoneNumberId: z.string(), arn: z.string() }))),
    }),
  ),
  messageId: z.optional(z.string().check(z.minLength(1))),
});

/**
 * Reads one queue message: an SNS notification that contains an event of either service.
 *
 * @throws UnreadableNotification if no part of the notification can be read.
 */
export function parseTopicNotification(queueBody: string): CarrierNotification {
  const notification = read(snsNotification, jsonOf(queueBody, 'the body'), 'the notification');
  const found = reportsIn(notification);
  const { mode } = notification;
  return mode === undefined ? found : { ...found, inbound: found.inbound.map((each) => ({ ...each, mode })) };
}

function reportsIn(notification: z.output<typeof snsNotification>): CarrierNotification {
  const event = jsonOf(notification.Message, 'the event');
  if (hasField(event, 'whatsAppWebhookEntry')) return ofWhatsApp(event, notification.Timestamp);
  if (hasField(event, 'inboundMessageId')) {
    const sms = read(twoWaySms, event, 'the inbound SMS');
    const inbound = [inboundOfTwoWaySms(sms, new Date(notification.Timestamp))];
    return { receipts: [], inbound, unreadable: [] };
  }
  const receipts = receiptsOfSmsEvent(read(smsEvent, event, 'the SMS event'), notification.Timestamp);
  return { receipts, inbound: [], unreadable: [] };
}

function ofWhatsApp(published: unknown, notifiedAt: string): CarrierNotification {
  const event = read(whatsAppEvent, published, 'the WhatsApp event');
  const given = jsonOf(event.whatsAppWebhookEntry, 'the webhook entry');
  return readWebhookEntry(read(whatsAppWebhookEntry, given, 'the webhook entry'), {
    receivedAt: event.message_timestamp ?? notifiedAt,
    numberIdOf: (metaId) => numberIdOf(event, metaId),
    carrierMessageIdOf: () => event.messageId,
  });
}

/** Converts Meta's id of our number to the id that a send request uses for this number. */
function numberIdOf(
  { context }: z.output<typeof whatsAppEvent>,
  metaId: string | undefined,
): string | undefined {
  const number = context?.MetaPhoneNumberIds?.find(({ metaPhoneNumberId }) => metaPhoneNumberId === metaId);
  return number && `phone-number-id-${number.arn.slice(number.arn.lastIndexOf('/') + 1)}`;
}

/** The SMS events of AWS state prices in US dollars, even if the account pays in another currency. */
const eventCurrency = 'USD';

/** The event of AWS End User Messaging SMS about a sent message. */
const smsEvent = z.object({
  eventType: z.string(),
  /** Milliseconds since the epoch. */
  eventTimestamp: z.number().check(z.positive()),
  isFinal: z.boolean(),
  messageId: z.string().check(z.minLength(1)),
  /** A sender ID, or the number that AWS chose from a pool. */
  originationPhoneNumber: z.nullish(z.string()),
  context: z.nullish(
    z.object({
      message_id: z.optional(z.string().check(z.minLength(1))),
      attempt_id: z.optional(z.string()),
    }),
  ),
  totalMessagePrice: z.nullish(z.number()),
  totalCarrierFee: z.nullish(z.number()),
});

type SmsEvent = z.output<typeof smsEvent>;

/** Returns the receipt of an event; no receipt for voice, media, and failures that are not final. */
function receiptsOfSmsEvent(event: SmsEvent, notifiedAt: string): Receipt[] {
  if (ignoredEventTypes.test(event.eventType)) return [];
  const outcome = outcomeOf(event);
  if (outcome === undefined) return [];
  return [
    {
      messageId: event.context?.message_id,
      attempt: attemptNamed(event.context?.attempt_id ?? '')?.attempt,
      carrierMessageId: event.messageId,
      from: numberOf(event),
      transition: {
        ...outcome,
        at: momentOf(event, new Date(notifiedAt)),
        carrierMessageId: event.messageId,
        ...(arrived.includes(outcome.to) && event.eventType.startsWith('RCS_') ? { deliveredBy: 'rcs' } : {}),
        ...priceOf(event),
      },
    },
  ];
}

/**
 * Returns the time of the event. If this time is far after the SNS notification, it is ignored, because it would make the
 * message's row invalid.
 */
function momentOf({ eventTimestamp }: SmsEvent, notifiedAt: Date): Date {
  return eventTimestamp - notifiedAt.getTime() > clocksDifferMaxMs ? notifiedAt : new Date(eventTimestamp);
}

const arrived: readonly Status[] = ['delivered', 'read'];

/** Returns the sender's number; undefined for a sender ID, which is a name. */
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

/** The price of the message plus the carrier's fee. The client pays both. */
function priceOf({ totalMessagePrice, totalCarrierFee }: SmsEvent): Partial<Price> {
  if (typeof totalMessagePrice !== 'number') return {};
  return reportedPrice(totalMessagePrice + (totalCarrierFee ?? 0), eventCurrency);
}

/** E.164 has at most 15 digits. */
const number = z.string().check(z.regex(/^\D*(?:\d\D*){1,15}$/), z.maxLength(32));

/** The event of AWS End User Messaging SMS about an inbound message. */
const twoWaySms = z.object({
  originationNumber: number,
  destinationNumber: number,
  messageBody: z.string(),
  inboundMessageId: z.string().check(z.minLength(1)),
  /** The message that the recipient replies to. */
  previousPublishedMessageId: z.nullish(z.string()),
});

function inboundOfTwoWaySms(sms: z.output<typeof twoWaySms>, notifiedAt: Date): InboundMessage {
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
