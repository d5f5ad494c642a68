/** What the WhatsApp service publishes: the states of messages, and what people write. */
import { hashOf } from '../random.ts';
import type { Published } from './record.ts';

/** The id of the number from which the stage sends. */
export const whatsAppNumberId = '321010217760100';

export function whatsAppEvent(
  attemptId: string,
  carrierId: string,
  status: Published['status'],
  number: string,
  atMs: number,
): object {
  const value = statusOf(attemptId, carrierId, status, number, atMs);
  return notification(`event-${carrierId}-${status}`, value, atMs);
}

/** How far the carrier's clock is from the true time when these people write STOP or START. */
export function clockOffMs(from: string, text: string): number {
  const offHours = /^\s*(stop|start)\W*$/i.test(text) ? ([0, -2, 2][hashOf(from) % 3] ?? 0) : 0;
  return offHours * 3_600_000;
}

/** Returns the event of an inbound message to our number. */
export function whatsAppInbound(id: string, from: string, text: string, atMs: number): object {
  return notification(`inbound-${id}`, textOf(id, from, text, atMs), atMs);
}

/** A report on the message of one person, together with what another one writes. */
export function whatsAppReportAndText(
  attemptId: string,
  id: string,
  from: string,
  text: string,
  atMs: number,
): object {
  const status = statusOf(attemptId, `wamid.${id}`, 'delivered', '+447700900000', atMs);
  return notification(`together-${id}`, { ...status, ...textOf(id, from, text, atMs) }, atMs);
}

function statusOf(
  attemptId: string,
  carrierId: string,
  status: Published['status'],
  number: string,
  atMs: number,
): object {
  const statuses = [
    {
      id: carrierId,
      status,
      timestamp: String(Math.floor(atMs / 1000)),
      recipient_id: number.slice(1),
      biz_opaque_callback_data: attemptId,
      ...(status === 'failed' ? { errors: [{ code: 131026, title: 'Message undeliverable' }] } : {}),
    },
  ];
  return { statuses };
}

function textOf(id: string, from: string, text: string, atMs: number): object {
  const wa_id = from.slice(1);
  const message = {
    id: `wamid.inbound-${id}`,
    from: wa_id,
    timestamp: String(Math.floor((atMs + clockOffMs(from, text)) / 1000)),
    type: 'text',
    text: { body: text },
  };
  const contacts = [{ profile: { name: 'A person' }, wa_id }];
  return { contacts, messages: [message] };
}

function notification(messageId: string, value: object, atMs: number): object {
  const metadata = { display_phone_number: '447418367358', phone_number_id: whatsAppNumberId };
  return {
    context: { MetaWabaIds: [], MetaPhoneNumberIds: [] },
    whatsAppWebhookEntry: JSON.stringify({
      id: '365731266123456',
      changes: [{ value: { messaging_product: 'whatsapp', metadata, ...value }, field: 'messages' }],
    }),
    aws_account_id: '111122223333',
    message_timestamp: new Date(atMs).toISOString(),
    messageId,
  };
}
