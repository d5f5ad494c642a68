/** Reads a notification of the topic to which both services of AWS publish, and in whose form the simulator reports. */
import * as z from 'zod/mini';
import type { InboundMessage } from '../../message/received-content.ts';
import {
  type CarrierNotification,
  jsonOf,
  read,
  type UnreadableNotification,
  unreadable as unreadableMessage,
} from '../carrier-notification.ts';
import { inboundOfTwoWaySms, receiptsOfSmsEvent, smsEvent, twoWaySms } from './sms-notifications.ts';
import { inboundOfWhatsApp } from './whatsapp-inbound.ts';
import {
  numberIdOf,
  receiptsOfWhatsAppEvent,
  whatsAppEvent,
  whatsAppWebhookEntry,
} from './whatsapp-receipts.ts';

const snsNotification = z.object({
  Type: z.literal('Notification'),
  Message: z.string(),
  /** The time at which SNS received it; the same in each delivery. */
  Timestamp: z.iso.datetime(),
});

/**
 * What is in one queue message: an SNS notification around an event of either service.
 *
 * @throws UnreadableNotification where nothing in it can be read.
 */
export function parseTopicNotification(queueBody: string): CarrierNotification {
  const notification = read(snsNotification, jsonOf(queueBody, 'the body'), 'the notification');
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
  const given = read(whatsAppEvent, published, 'the WhatsApp event');
  const receivedAt = given.message_timestamp ?? notifiedAt;
  const event = { ...given, message_timestamp: receivedAt };
  const entry = read(
    whatsAppWebhookEntry,
    jsonOf(event.whatsAppWebhookEntry, 'the webhook entry'),
    'the webhook entry',
  );
  const inbound: InboundMessage[] = [];
  const unreadable: UnreadableNotification[] = [];
  for (const { value } of entry.changes) {
    const number = value.metadata?.display_phone_number ?? '';
    const numberId = numberIdOf(event, value.metadata?.phone_number_id);
    for (const message of value.messages ?? []) {
      try {
        const found = inboundOfWhatsApp(message, { number, numberId, receivedAt });
        if (found !== undefined) inbound.push(found);
      } catch (cause) {
        unreadable.push(unreadableMessage('a WhatsApp message', cause));
      }
    }
  }
  return { receipts: receiptsOfWhatsAppEvent(event, entry), inbound, unreadable };
}

function hasField(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && name in value;
}
