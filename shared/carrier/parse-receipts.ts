/** Reads the messages of the receipts queue; a body that cannot be read is an error and is never skipped. */
import * as z from 'zod/mini';
import type { Receipt } from '../message/receipts/receipt.ts';
import { receiptsOfSmsEvent, smsEvent } from './aws/sms-receipts.ts';
import { receiptsOfWhatsAppEvent, whatsAppEvent, whatsAppWebhookEntry } from './aws/whatsapp-receipts.ts';

/** The receipt has none of the documented forms: it goes to the dead-letter queue. */
export class UnreadableReceipt extends Error {
  override readonly name = 'UnreadableReceipt';
}

const snsNotification = z.object({ Type: z.literal('Notification'), Message: z.string() });

/**
 * The receipts in one queue message: an SNS notification around an event of either service.
 *
 * @throws UnreadableReceipt
 */
export function parseReceipts(sqsBody: string): Receipt[] {
  const event = jsonOf(
    read(snsNotification, jsonOf(sqsBody, 'the body'), 'the notification').Message,
    'the event',
  );
  if (hasField(event, 'whatsAppWebhookEntry')) {
    const header = read(whatsAppEvent, event, 'the WhatsApp event');
    const entry = jsonOf(header.whatsAppWebhookEntry, 'the webhook entry');
    return receiptsOfWhatsAppEvent(header, read(whatsAppWebhookEntry, entry, 'the webhook entry'));
  }
  return receiptsOfSmsEvent(read(smsEvent, event, 'the SMS event'));
}

function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadableReceipt(`${what} is not JSON`, { cause });
  }
}

function read<Schema extends z.ZodMiniType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole').join(', ');
  throw new UnreadableReceipt(`${what} does not have the documented form: ${faults}`);
}

function hasField(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && name in value;
}
