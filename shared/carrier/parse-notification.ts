/**
 * Reads the messages of the receipts queue: what a carrier reports about our messages, and messages from people. What
 * cannot be read is reported as an error and is never skipped.
 */
import * as z from 'zod/mini';
import type { Receipt } from '../message/dispatch/record-receipts.ts';
import type { InboundMessage } from '../message/received-content.ts';
import { inboundOfTwoWaySms, receiptsOfSmsEvent, smsEvent, twoWaySms } from './aws/sms-notifications.ts';
import { inboundOfWhatsApp } from './aws/whatsapp-inbound.ts';
import {
  numberIdOf,
  receiptsOfWhatsAppEvent,
  whatsAppEvent,
  whatsAppWebhookEntry,
} from './aws/whatsapp-receipts.ts';

/** It has none of the documented forms: the queue message goes to the dead-letter queue. */
export class UnreadableNotification extends Error {
  override readonly name = 'UnreadableNotification';
}

export interface CarrierNotification {
  readonly receipts: readonly Receipt[];
  readonly inbound: readonly InboundMessage[];
  /** Messages that could not be read, among others that could. */
  readonly unreadable: readonly UnreadableNotification[];
}

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
export function parseNotification(sqsBody: string): CarrierNotification {
  const notification = read(snsNotification, jsonOf(sqsBody, 'the body'), 'the notification');
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
        unreadable.push(unreadableMessage(cause));
      }
    }
  }
  return { receipts: receiptsOfWhatsAppEvent(event, entry), inbound, unreadable };
}

function unreadableMessage(cause: unknown): UnreadableNotification {
  const why = isZodError(cause) ? faultsOf(cause) : cause instanceof Error ? cause.message : String(cause);
  return new UnreadableNotification(`a WhatsApp message does not have a documented form: ${why}`, { cause });
}

/** A character that was cut in two, as the parts of a long SMS can be, is replaced: DynamoDB does not store half of one. */
function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text, (_name, value: unknown) =>
      typeof value === 'string' ? value.toWellFormed() : value,
    );
  } catch (cause) {
    throw new UnreadableNotification(`${what} is not JSON`, { cause });
  }
}

function read<Schema extends z.ZodMiniType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UnreadableNotification(`${what} does not have the documented form: ${faultsOf(parsed.error)}`);
}

/** Without the class of zod's errors, which would add its translations to the bundle. */
function isZodError(error: unknown): error is z.core.$ZodError {
  return typeof error === 'object' && error !== null && 'issues' in error && Array.isArray(error.issues);
}

function faultsOf({ issues }: z.core.$ZodError): string {
  return issues.map((issue) => issue.path.join('.') || 'the whole').join(', ');
}

function hasField(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && name in value;
}
