/** The bodies that the API answers with, as schemas; a test holds every answer of the deployed gateway against them. */
import * as z from 'zod/mini';
import { statuses } from '../../../shared/message/message.ts';
import { rowErrors } from '../../../shared/message/send/batch.ts';

const instant = z.iso.datetime().check(z.meta({ examples: ['2026-11-20T10:00:00.000Z'] }));
const number = z.string().check(z.meta({ examples: ['+447700900123'] }));
const reference = z.nullable(z.string());
const channel = z.enum(['sms', 'whatsapp']);
const status = z.enum(statuses);
const count = z.int().check(z.nonnegative());
const idOf = (prefix: string) => z.string().check(z.meta({ pattern: `^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$` }));
const messageId = idOf('msg');

const accessToken = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  scope: z.optional(z.string()),
  expires_in: z.int(),
});

const acceptedFields = {
  message_id: messageId,
  status: z.enum(['queued', 'scheduled']),
  channel,
  recipient: number,
  reference,
  scheduled_at: z.optional(instant),
  created_at: instant,
};
const encoding = z.enum(['GSM-7', 'UCS-2']);
const acceptedSms = z.object({
  ...acceptedFields,
  channel: z.literal('sms'),
  encoding,
  segments: z.int().check(z.positive()),
});
const acceptedWhatsApp = z.object({ ...acceptedFields, channel: z.literal('whatsapp') });

const acceptedBatch = z.object({
  batch_id: idOf('bat'),
  status: z.literal('accepted'),
  total: count,
  accepted: count,
  rejected: count,
  messages: z.array(
    z.object({
      index: count,
      message_id: messageId,
      recipient: number,
      status: z.enum(['queued', 'scheduled']),
      segments: z.int().check(z.positive()),
      reference,
    }),
  ),
  errors: z.array(
    z.object({ index: count, to: z.nullable(z.string()), error: z.enum(rowErrors), message: z.string() }),
  ),
});

const messageStatus = z.object({
  message_id: messageId,
  client_id: z.string(),
  channel,
  status,
  recipient: number,
  from: z.nullable(z.string()),
  type: z.enum(['transactional', 'promotional']),
  reference,
  encoding: z.optional(z.nullable(encoding)),
  segments: z.optional(z.nullable(z.int().check(z.positive()))),
  cost: z.nullable(z.number()),
  currency: z.nullable(z.string()),
  error: z.nullable(z.object({ code: z.string(), message: z.nullable(z.string()) })),
  created_at: instant,
  scheduled_at: z.nullable(instant),
  sent_at: z.nullable(instant),
  delivered_at: z.nullable(instant),
  read_at: z.nullable(instant),
  expires_at: instant,
  history: z.array(z.object({ status, at: instant })),
});

const batchStatus = z.object({
  batch_id: idOf('bat'),
  total: count,
  accepted: count,
  rejected: count,
  counts: z.partialRecord(status, count),
  created_at: instant,
});

const messageList = z.object({
  messages: z.array(messageStatus),
  next_cursor: z.optional(z.string()),
});

const sentOneTimePassword = z.object({
  otp_id: idOf('otp'),
  message_id: messageId,
  status: z.literal('pending'),
  channel,
  recipient: number,
  reference,
  expires_at: instant,
  attempts_remaining: count,
});

const verification = z.discriminatedUnion('verified', [
  z.object({ otp_id: idOf('otp'), verified: z.literal(true), status: z.literal('verified') }),
  z.object({
    otp_id: idOf('otp'),
    verified: z.literal(false),
    status: z.literal('pending'),
    attempts_remaining: count,
  }),
]);

const limits = z.object({ per_minute: count, per_hour: count, per_day: count });
const account = z.object({
  client_id: z.string(),
  name: z.string(),
  webhook_url: z.nullable(z.string()),
  limits: z.record(z.string(), limits),
});

const newWebhookSecret = z.object({
  webhook_secret: z.string().check(z.meta({ pattern: '^whsec_' })),
  created_at: instant,
  active_at: instant,
  previous_secret_expires_at: z.nullable(instant),
});

/** By the name under which the document's `components` have them. */
export const answers = {
  AccessToken: accessToken,
  AcceptedSms: acceptedSms,
  AcceptedWhatsApp: acceptedWhatsApp,
  AcceptedBatch: acceptedBatch,
  MessageStatus: messageStatus,
  BatchStatus: batchStatus,
  MessageList: messageList,
  SentOneTimePassword: sentOneTimePassword,
  Verification: verification,
  Account: account,
  NewWebhookSecret: newWebhookSecret,
} as const;

export type Answers = typeof answers;
