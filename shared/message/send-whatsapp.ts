/** Sends one WhatsApp message: text, template, media or location; stored by one write like an SMS. */
import * as z from 'zod/mini';
import { type Operation, requireCaller } from '../api.ts';
import { assertMaySend } from '../client/permission.ts';
import { accepted, createOnce, idempotencyKeyOf } from './idempotency.ts';
import type { Message } from './message.ts';
import type { MessageStore } from './message-store.ts';
import { acceptedView } from './message-view.ts';
import { recipientFields, recipientSchema } from './recipient.ts';
import {
  endOfValidity,
  optional,
  parseSend,
  referenceText,
  scheduledAt,
  textOf,
  validityPeriod,
} from './send-fields.ts';
import { type WhatsAppContent, whatsAppContent } from './whatsapp-content.ts';

const maxTextCharacters = 4096;

export interface SendWhatsAppDependencies {
  readonly messages: MessageStore;
  /** Accepts the URLs that this deployment may call. */
  readonly webhookUrl: z.ZodMiniType<string>;
}

/** The request body of `POST /api/v1/whatsapp/send` (contract, section 5); `type` is `text` where it is not given. */
export function sendWhatsAppSchema(webhookUrl: z.ZodMiniType<string>) {
  const common = z.object({
    to: recipientSchema,
    webhook_url: optional(webhookUrl),
    reference: optional(referenceText),
    validity_period: optional(validityPeriod),
    scheduled_at: optional(scheduledAt),
  });
  const [, ...contentBesideText] = whatsAppContent().def.options;
  const text = z.object({ type: z.literal('text'), message: textOf(maxTextCharacters) });
  return z.intersection(common, z.discriminatedUnion('type', [text, ...contentBesideText]));
}

type SendWhatsAppRequest = z.output<ReturnType<typeof sendWhatsAppSchema>>;

export function sendWhatsApp({ messages, webhookUrl }: SendWhatsAppDependencies): Operation {
  const schema = sendWhatsAppSchema(webhookUrl);
  return async (request) => {
    const caller = requireCaller(request);
    const key = idempotencyKeyOf(request.headers);
    const { data, assertTimely } = parseSend(schema, withDefaultType(request.body), request.now);
    const { entry, replayed } = await createOnce(
      messages,
      'msg',
      request.now,
      { clientId: caller.clientId, endpoint: 'whatsapp/send', key, body: request.body },
      (messageId) => {
        assertTimely();
        assertMaySend(caller.client, data.to, undefined);
        return newWhatsApp(messageId, caller.clientId, data, request.now);
      },
    );
    return accepted(acceptedView(entry), replayed, { message_id: entry.message_id });
  };
}

function withDefaultType(body: unknown): unknown {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body;
  return 'type' in body && body.type !== null ? body : { ...body, type: 'text' };
}

function newWhatsApp(messageId: string, clientId: string, request: SendWhatsAppRequest, now: Date): Message {
  const createdAt = now.toISOString();
  return {
    message_id: messageId,
    client_id: clientId,
    channel: 'whatsapp',
    ...recipientFields(request.to),
    type: 'transactional',
    ...(request.reference === undefined ? {} : { reference: request.reference }),
    ...(request.type === 'text' ? { text: request.message } : {}),
    whatsapp: contentOf(request),
    ...(request.webhook_url === undefined ? {} : { webhook_url: request.webhook_url }),
    created_at: createdAt,
    ...(request.scheduled_at === undefined
      ? { status: 'queued', queued_at: createdAt }
      : { status: 'scheduled', scheduled_at: request.scheduled_at.toISOString() }),
    expires_at: endOfValidity(request, now).toISOString(),
  };
}

function contentOf(request: SendWhatsAppRequest): WhatsAppContent {
  switch (request.type) {
    case 'text':
      return { type: 'text' };
    case 'template':
      return { type: 'template', template: request.template };
    case 'location':
      return { type: 'location', location: request.location };
    default:
      return { type: request.type, media: request.media };
  }
}
