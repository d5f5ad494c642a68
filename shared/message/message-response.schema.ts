/**
 * The form of the answers about messages, for the API document and the types (contract, section 5);
 * `message-response.ts` makes them. Functions import only the types.
 */
import * as z from 'zod/mini';
import { channels } from '../contract/channels.ts';
import { messageErrorCodes } from '../contract/message-error-codes.ts';
import { encodings, messageTypes, statuses } from './message.ts';
import { receivedContent } from './received-content.ts';
import { rowError } from './send/batch.ts';

export const instant = z.iso.datetime().check(z.meta({ examples: ['2026-11-20T10:00:00.000Z'] }));
export const recipient = z.string().check(z.meta({ examples: ['+447700900123'] }));
export const reference = z.nullable(z.string());
export const channel = z.enum(channels);
export const count = z.int().check(z.nonnegative());
export const idOf = (prefix: string) =>
  z.string().check(z.meta({ pattern: `^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$` }));

const status = z.enum(statuses);
const encoding = z.enum(encodings);
const segments = z.int().check(z.positive());

/** A text, because a release may add codes; `x-extensible-enum` has those of this one. */
export const messageErrorCode = z
  .string()
  .check(z.meta({ 'x-extensible-enum': Object.keys(messageErrorCodes) }));

const acceptedFields = {
  message_id: idOf('msg'),
  status: z.enum(['queued', 'scheduled']),
  channel,
  recipient,
  reference,
  scheduled_at: z.exactOptional(instant),
  created_at: instant,
};

export const acceptedSms = z.object({ ...acceptedFields, channel: z.literal('sms'), encoding, segments });
export const acceptedWhatsApp = z.object({ ...acceptedFields, channel: z.literal('whatsapp') });

export const acceptedBatch = z.object({
  batch_id: idOf('bat'),
  status: z.literal('accepted'),
  total: count,
  accepted: count,
  rejected: count,
  expected_end_at: z.exactOptional(instant),
  messages: z.array(
    z.object({
      index: count,
      message_id: idOf('msg'),
      recipient,
      status: z.enum(['queued', 'scheduled']),
      segments,
      reference,
    }),
  ),
  errors: z.array(rowError),
});

const dryRunLeg = z.object({
  channel,
  after_seconds: z.nullable(z.int()),
  from: z.nullable(z.string()),
  encoding: z.exactOptional(encoding),
  segments: z.exactOptional(segments),
  estimated_cost: z.nullable(z.number()),
});

const dryRunRefusal = z.object({
  /** Of the response to the real request. */
  status: z.int(),
  error: z.string(),
  message: z.string(),
  retry_after: z.exactOptional(z.int()),
});

const dryRunFields = {
  /** Always true. */
  dry_run: z.boolean(),
  would_be_accepted: z.boolean(),
  estimated_cost: z.nullable(z.number()),
  currency: z.nullable(z.string()),
  refusals: z.array(dryRunRefusal),
};

export const dryRun = z.object({
  ...dryRunFields,
  channel,
  recipient,
  from: z.nullable(z.string()),
  encoding: z.exactOptional(encoding),
  segments: z.exactOptional(segments),
  would_fail_with: z.exactOptional(messageErrorCode),
  fallback: z.exactOptional(z.array(dryRunLeg)),
});

export const dryRunBatch = z.object({
  ...dryRunFields,
  total: count,
  accepted: count,
  rejected: count,
  segments: count,
  messages: z.array(
    z.object({
      index: count,
      recipient,
      from: z.nullable(z.string()),
      encoding,
      segments,
      estimated_cost: z.nullable(z.number()),
      would_fail_with: z.exactOptional(messageErrorCode),
    }),
  ),
  errors: z.array(rowError),
});

const fallbackLeg = z.object({
  channel,
  after_seconds: z.nullable(z.int()),
  /** Null until it has started, as `status`. */
  message_id: z.nullable(idOf('msg')),
  status: z.nullable(status),
});

export const messageStatus = z.object({
  message_id: idOf('msg'),
  client_id: z.string(),
  channel,
  status,
  recipient,
  from: z.nullable(z.string()),
  type: z.enum(messageTypes),
  reference,
  encoding: z.exactOptional(z.nullable(encoding)),
  segments: z.exactOptional(z.nullable(segments)),
  cost: z.nullable(z.number()),
  currency: z.nullable(z.string()),
  error: z.nullable(z.object({ code: messageErrorCode, message: z.nullable(z.string()) })),
  created_at: instant,
  scheduled_at: z.nullable(instant),
  sent_at: z.nullable(instant),
  delivered_at: z.nullable(instant),
  read_at: z.nullable(instant),
  expires_at: instant,
  history: z.array(z.object({ status, at: instant })),
  /** Of a WhatsApp message, in the answer about this message alone: until when its recipient can be sent any message. */
  window_expires_at: z.exactOptional(z.nullable(instant)),
  /** Of a leg that follows another message of its send. */
  fallback_of: z.exactOptional(idOf('msg')),
  /** Of the first message of a send with `fallback`, in the answer about this message alone. */
  fallback: z.exactOptional(z.array(fallbackLeg)),
  // Of an inbound message only; its `from` is the person, its `recipient` our number.
  direction: z.exactOptional(z.literal('inbound')),
  text: z.exactOptional(z.string()),
  whatsapp: z.exactOptional(z.lazy(receivedContent)),
  received_at: z.exactOptional(instant),
  in_reply_to: z.exactOptional(idOf('msg')),
});

export const batchStatus = z.object({
  batch_id: idOf('bat'),
  total: count,
  accepted: count,
  rejected: count,
  counts: z.partialRecord(status, count),
  /** While messages of senders with a pace wait. */
  expected_end_at: z.exactOptional(instant),
  created_at: instant,
});

export const messageList = z.object({
  messages: z.array(messageStatus),
  next_cursor: z.exactOptional(z.string()),
});

export type AcceptedMessage = z.output<typeof acceptedSms> | z.output<typeof acceptedWhatsApp>;
export type AcceptedBatch = z.output<typeof acceptedBatch>;
export type FallbackLeg = z.output<typeof fallbackLeg>;
export type DryRunLeg = z.output<typeof dryRunLeg>;
export type DryRunRefusal = z.output<typeof dryRunRefusal>;
export type DryRun = z.output<typeof dryRun>;
export type DryRunBatch = z.output<typeof dryRunBatch>;
export type MessageStatus = z.output<typeof messageStatus>;
export type BatchStatus = z.output<typeof batchStatus>;
export type MessagePage = z.output<typeof messageList>;
