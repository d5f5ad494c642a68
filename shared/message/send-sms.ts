/** Sends one SMS: checked, then stored by one write, from which all that follows is derived. */
import * as z from 'zod/mini';
import { type Operation, requireCaller } from '../api.ts';
import { assertMaySend } from '../client/permission.ts';
import { accepted, createOnce, idempotencyKeyOf } from './idempotency.ts';
import type { Message } from './message.ts';
import type { MessageStore } from './message-store.ts';
import { acceptedView } from './message-view.ts';
import { recipientFields, recipientSchema, senderSchema } from './recipient.ts';
import { segment } from './segments.ts';
import {
  endOfValidity,
  messageType,
  optional,
  parseSend,
  referenceText,
  scheduledAt,
  smsText,
  validityPeriod,
} from './send-fields.ts';

export interface SendSmsDependencies {
  readonly messages: MessageStore;
  /** Accepts the URLs that this deployment may call. */
  readonly webhookUrl: z.ZodMiniType<string>;
}

/** The request body of `POST /api/v1/sms/send` (specification 2.3; contract, section 5). */
export function sendSmsSchema(webhookUrl: z.ZodMiniType<string>) {
  return z.object({
    to: recipientSchema,
    message: smsText,
    webhook_url: optional(webhookUrl),
    from: optional(senderSchema),
    type: optional(messageType),
    validity_period: optional(validityPeriod),
    scheduled_at: optional(scheduledAt),
    reference: optional(referenceText),
  });
}

export type SendSmsRequest = z.output<ReturnType<typeof sendSmsSchema>>;

export function sendSms({ messages, webhookUrl }: SendSmsDependencies): Operation {
  const schema = sendSmsSchema(webhookUrl);
  return async (request) => {
    const caller = requireCaller(request);
    const key = idempotencyKeyOf(request.headers);
    const { data: sms, assertTimely } = parseSend(schema, request.body, request.now);
    const { entry, replayed } = await createOnce(
      messages,
      'msg',
      request.now,
      { clientId: caller.clientId, endpoint: 'sms/send', key, body: request.body },
      (messageId) => {
        assertTimely();
        assertMaySend(caller.client, sms.to, sms.from);
        return newSms(messageId, caller.clientId, sms, request.now);
      },
    );
    return accepted(acceptedView(entry), replayed, { message_id: entry.message_id });
  };
}

/** The row of a new SMS: `queued`, or `scheduled` where a time was given. */
export function newSms(messageId: string, clientId: string, sms: SendSmsRequest, now: Date): Message {
  const createdAt = now.toISOString();
  return {
    message_id: messageId,
    client_id: clientId,
    channel: 'sms',
    ...recipientFields(sms.to),
    ...(sms.from === undefined ? {} : { from: sms.from }),
    type: sms.type ?? 'transactional',
    ...(sms.reference === undefined ? {} : { reference: sms.reference }),
    text: sms.message,
    ...segment(sms.message),
    ...(sms.webhook_url === undefined ? {} : { webhook_url: sms.webhook_url }),
    created_at: createdAt,
    ...(sms.scheduled_at === undefined
      ? { status: 'queued', queued_at: createdAt }
      : { status: 'scheduled', scheduled_at: sms.scheduled_at.toISOString() }),
    expires_at: endOfValidity(sms, now).toISOString(),
  };
}
