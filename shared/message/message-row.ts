/** A row of the messages table: what is written carries the keys of the indexes, what is read back is checked. */
import * as z from 'zod';
import { addSeconds, epochSeconds } from '../clock.ts';
import { shardOf } from '../shard.ts';
import { type Message, statuses } from './message.ts';
import { dueShards, listShards } from './message-store.ts';
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
  whatsapp: z.lazy(whatsAppContent).exactOptional(),
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
  otp: z
    .object({
      otp_id: z.string(),
      code_length: z.number().int(),
      expires_at: time,
      attempts_remaining: z.number().int(),
    })
    .exactOptional(),
  key_use: z.number().int().exactOptional(),
});

/** @throws ZodError when the row is not a message. */
export function parseMessageRow(row: unknown): Message {
  return messageRow.parse(row);
}

/** The message with the keys of its indexes: found by its client, by its reference, and while it can still expire. */
export function messageRowOf(message: Message, retentionDays: number): Record<string, unknown> {
  const end = addSeconds(new Date(message.expires_at), retentionDays * 86_400);
  return {
    ...message,
    list_at: listPosition(message),
    list_key: `${message.client_id}#${shardOf(message.message_id, listShards)}`,
    ...(message.reference === undefined
      ? {}
      : { reference_key: `${message.client_id}#${message.reference}` }),
    due_shard: String(shardOf(message.message_id, dueShards)),
    due_at: message.scheduled_at ?? message.expires_at,
    purge_at: epochSeconds(end),
  };
}

/** Where a message stands in its client's list: by time, and by id within one moment. */
export function listPosition(message: Pick<Message, 'created_at' | 'message_id'>): string {
  return `${message.created_at}#${message.message_id}`;
}
