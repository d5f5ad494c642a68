/** Sends one WhatsApp message (text, template, media or location): stored in one write, like an SMS. */
import * as z from 'zod/mini';
import type { AllowanceOf } from '../../cap/allowance.ts';
import { assertMaySend } from '../../client/permission.ts';
import { type Operation, requireCaller } from '../../operation/operation.ts';
import { recipientSchema } from '../../recipient/phone-number.ts';
import type { Message } from '../message.ts';
import { acceptedView } from '../message-response.ts';
import { optional } from '../optional-field.ts';
import type { MessageStore } from '../store/message-store.ts';
import { type WhatsAppContent, whatsAppContent } from '../whatsapp-content.ts';
import { accepted, createOnce, idempotencyKeyOf } from './idempotency.ts';
import { newMessage } from './new-message.ts';
import {
  endOfValidity,
  messageTextOf,
  parseSend,
  referenceText,
  scheduledAt,
  validityPeriod,
} from './send-fields.ts';

const maxTextCharacters = 4096;

interface SendWhatsAppDependencies {
  readonly messages: MessageStore;
  readonly allowanceOf: AllowanceOf;
  /** Accepts URLs that this deployment may call. */
  readonly webhookUrl: z.ZodMiniType<string>;
}

/** The request body of `POST /api/v1/whatsapp/send` (contract, section 5); `type` defaults to `text`. */
export function sendWhatsAppSchema(webhookUrl: z.ZodMiniType<string>) {
  const common = z.object({
    to: recipientSchema,
    webhook_url: optional(webhookUrl),
    reference: optional(referenceText),
    validity_period: validityPeriod,
    scheduled_at: optional(scheduledAt),
  });
  const [, ...contentBesideText] = whatsAppContent().def.options;
  const text = z.object({ type: z.literal('text'), message: messageTextOf(maxTextCharacters) });
  return z.intersection(common, z.discriminatedUnion('type', [text, ...contentBesideText]));
}

type SendWhatsAppRequest = z.output<ReturnType<typeof sendWhatsAppSchema>>;

export function sendWhatsApp({ messages, allowanceOf, webhookUrl }: SendWhatsAppDependencies): Operation {
  const schema = sendWhatsAppSchema(webhookUrl);
  return async (request) => {
    const caller = requireCaller(request);
    const key = idempotencyKeyOf(request.headers);
    const { data, assertTimely } = parseSend(schema, withDefaultType(request.body), request.now);
    const allowance = await allowanceOf(caller.clientId, request);
    const { entry, replayed } = await createOnce(
      messages,
      'msg',
      request.now,
      {
        clientId: caller.clientId,
        endpoint: 'whatsapp/send',
        key,
        body: request.body,
        meaning: () => data,
        workId: request.workId,
        allowance,
      },
      async (messageId) => {
        assertTimely();
        assertMaySend(caller.client, 'whatsapp', data.to);
        const message = newWhatsApp(messageId, caller.clientId, data, request.now);
        await allowance?.take([message]);
        return message;
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
  const expiresAt = endOfValidity(request, now);
  return {
    ...newMessage(
      { messageId, clientId, channel: 'whatsapp', recipient: request.to, expiresAt },
      request,
      now,
    ),
    type: 'transactional',
    ...(request.type === 'text' ? { text: request.message } : {}),
    whatsapp: contentOf(request),
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
