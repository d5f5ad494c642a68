/** A row of the messages table: what is written carries the keys of the indexes, what is read back is checked. */
import * as z from 'zod/mini';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import { shardOf } from '../../platform/shard.ts';
import { type Message, statuses } from '../message.ts';
import { storedWhatsAppContent } from '../whatsapp-content.ts';
import { listShards } from './message-list.ts';
import type { FilterFields } from './message-store.ts';

const time = z.iso.datetime();

/** Rows may hold more (index keys, the TTL); what is not named here stays with the table. */
const messageRow = z.object({
  message_id: z.string(),
  client_id: z.string(),
  channel: z.enum(['sms', 'whatsapp']),
  status: z.enum(statuses),
  recipient: z.string(),
  country: z.exactOptional(z.string()),
  from: z.exactOptional(z.string()),
  type: z.enum(['transactional', 'promotional']),
  reference: z.exactOptional(z.string()),
  text: z.exactOptional(z.string()),
  whatsapp: z.exactOptional(z.lazy(storedWhatsAppContent)),
  encoding: z.exactOptional(z.enum(['GSM-7', 'UCS-2'])),
  segments: z.exactOptional(z.int()),
  webhook_url: z.exactOptional(z.string()),
  created_at: time,
  scheduled_at: z.exactOptional(time),
  expires_at: time,
  queued_at: z.exactOptional(time),
  sending_at: z.exactOptional(time),
  sent_at: z.exactOptional(time),
  delivered_at: z.exactOptional(time),
  read_at: z.exactOptional(time),
  failed_at: z.exactOptional(time),
  expired_at: z.exactOptional(time),
  canceled_at: z.exactOptional(time),
  error_code: z.exactOptional(z.string()),
  error_message: z.exactOptional(z.string()),
  cost: z.exactOptional(z.number()),
  currency: z.exactOptional(z.string()),
  carrier_message_id: z.exactOptional(z.string()),
  handover_attempts: z.exactOptional(z.int()),
  handover_until: z.exactOptional(time),
  handover_claim: z.exactOptional(z.string()),
  request_hash: z.exactOptional(z.string()),
  otp: z.exactOptional(
    z.object({
      otp_id: z.string(),
      code_length: z.int(),
      expires_at: time,
      attempts_remaining: z.int(),
    }),
  ),
  key_use: z.exactOptional(z.int()),
});

/** @throws ZodError when the row is not a message. */
export function parseMessageRow(row: unknown): Message {
  return messageRow.parse(row);
}

const filterFieldsRow = z.pick(messageRow, { message_id: true, status: true, channel: true });

/** @throws ZodError when the row is not part of a message. */
export function parseFilterFields(row: unknown): FilterFields {
  return filterFieldsRow.parse(row);
}

/** The message with the keys of its indexes: found by its client, and by its reference. */
export function messageRowOf(message: Message, retentionDays: number): Record<string, unknown> {
  const end = addDays(new Date(message.expires_at), retentionDays);
  return {
    ...message,
    list_at: listPosition(message),
    list_key: `${message.client_id}#${shardOf(message.message_id, listShards)}`,
    ...(message.reference === undefined
      ? {}
      : { reference_key: `${message.client_id}#${message.reference}` }),
    purge_at: epochSeconds(end),
  };
}

/** Where a message stands in its client's list: by time, and by id within one moment. */
export function listPosition(message: Pick<Message, 'created_at' | 'message_id'>): string {
  return `${message.created_at}#${message.message_id}`;
}
