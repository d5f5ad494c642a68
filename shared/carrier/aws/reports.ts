/** Reads a notification of the topic to which both services of AWS publish, and in whose form the simulator reports. */
import * as z from 'zod/mini';
import type { CarrierReports } from '../carrier-module.ts';
import { type CarrierNotification, jsonOf, read } from '../carrier-notification.ts';
import { readWebhookEntry, whatsAppWebhookEntry } from '../whatsapp/webhook-entry.ts';
import { awsDescriptor } from './descriptor.ts';
import { inboundOfTwoWaySms, receiptsOfSmsEvent, smsEvent, twoWaySms } from './sms-notifications.ts';

export const awsReports: CarrierReports = {
  descriptor: awsDescriptor,
  parse: ({ body }) => parseTopicNotification(body),
};

const snsNotification = z.object({
  Type: z.literal('Notification'),
  Message: z.string(),
  /** The time at which SNS received it; the same in each delivery. */
  Timestamp: z.iso.datetime(),
  /** Written by the simulator only, where a person wrote to test data. */
  mode: z.exactOptional(z.literal('test')),
});

/** What AWS End User Messaging Social publishes: Meta's webhook entry as a string inside an event of its own. */
const whatsAppEvent = z.object({
  whatsAppWebhookEntry: z.string(),
  /** The time at which AWS received Meta's call, to the nanosecond. */
  message_timestamp: z.optional(z.string()),
  context: z.optional(
    z.object({
      MetaPhoneNumberIds: z.optional(z.array(z.object({ metaPhoneNumberId: z.string(), arn: z.string() }))),
    }),
  ),
  /** The id that AWS gave the message. */
  messageId: z.optional(z.string().check(z.minLength(1))),
});

type WhatsAppEvent = z.output<typeof whatsAppEvent>;

/**
 * What is in one queue message: an SNS notification around an event of either service.
 *
 * @throws UnreadableNotification where nothing in it can be read.
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
  const receipts = receiptsOfSmsEvent(read(smsEvent, event, 'the SMS event'));
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

/** The id that a send names as its sender, of the number with this id of Meta's. */
function numberIdOf({ context }: WhatsAppEvent, metaId: string | undefined): string | undefined {
  const number = context?.MetaPhoneNumberIds?.find(({ metaPhoneNumberId }) => metaPhoneNumberId === metaId);
  return number && `phone-number-id-${number.arn.slice(number.arn.lastIndexOf('/') + 1)}`;
}

function hasField(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && name in value;
}
