/** The form of a row of the messages table: what is read back is checked before it is believed. */
import * as z from 'zod';
import { type Message, statuses } from './message.ts';
import { whatsAppContent } from './whatsapp-content.ts';

const time = z.iso.datetime();

/** Rows may hold more (index keys, the TTL); what is not named here stays with the table. */
const messageRow = z.object({
  message_id: z.string(),
  client_id: z.string(),
  channel: z.enum(['sms', 'whatsapp']),
  status: z.enum(statuses),
  recipient: z.string(),
  from: z.string().exactOptional(),
  type: z.enum(['transactional', 'promotional']),
  reference: z.string().exactOptional(),
  text: z.string().exactOptional(),
  whatsapp: whatsAppContent.exactOptional(),
  encoding: z.enum(['GSM-7', 'UCS-2']).exactOptional(),
  segments: z.number().int().exactOptional(),
  webhook_url: z.string().exactOptional(),
  created_at: time,
  scheduled_at: time.exactOptional(),
  expires_at: time,
  queued_at: time.exactOptional(),
  sending_at: time.exactOptional(),
  sent_at: time.exactOptional(),
  delivered_at: time.exactOptional(),
  read_at: time.exactOptional(),
  failed_at: time.exactOptional(),
  expired_at: time.exactOptional(),
  canceled_at: time.exactOptional(),
  error_code: z.string().exactOptional(),
  error_message: z.string().exactOptional(),
  cost: z.number().exactOptional(),
  currency: z.string().exactOptional(),
  carrier_message_id: z.string().exactOptional(),
  handover_attempts: z.number().int().exactOptional(),
  handover_until: time.exactOptional(),
  handover_claim: z.string().exactOptional(),
  request_hash: z.string().exactOptional(),
  key_use: z.number().int().exactOptional(),
});

/** @throws ZodError when the row is not a message. */
export function parseMessageRow(row: unknown): Message {
  return messageRow.parse(row);
}
