/** The schema of the webhooks that the gateway posts (contract 7.2). Functions import only the types. */
import * as z from 'zod/mini';
import { channels } from '../contract/channels.ts';
import {
  endpointDisabledEvent,
  inboundEventNames,
  messageEventNames,
  recipientEventNames,
} from '../contract/webhook-events.ts';
import { eventStatuses } from '../message/message.ts';
import { fromType, messageErrorCode, recipientType, testMode } from '../message/message-response.schema.ts';
import { receivedContent } from '../message/whatsapp-content.ts';
import { described } from '../operation/fields.ts';
import { disabledReasons } from './webhook-endpoint.ts';

const instant = z.iso.datetime();
const sentStatuses = eventStatuses.filter((status) => status !== 'received');

export const webhookEvent = z.object({
  event: z.enum(messageEventNames),
  timestamp: instant,
  data: described(
    z.object({
      message_id: z.string(),
      recipient: z.string(),
      recipient_type: recipientType,
      from: described(z.optional(z.string()), 'The sender, as in the message status.'),
      status: described(z.enum(sentStatuses), 'The state that the event reports.'),
      client_id: z.string(),
      mode: testMode,
      sent_at: described(z.optional(instant), 'When the carrier accepted the message.'),
      delivered_at: z.optional(instant),
      read_at: described(z.optional(instant), 'When the recipient read the message (WhatsApp).'),
      cost: z.optional(z.number()),
      currency: z.optional(z.string()),
      reference: z.optional(z.string()),
      fallback_of: z.optional(z.string()),
      error_code: described(
        z.optional(messageErrorCode),
        'One of the message error codes, or a code that a later release adds. Only on `failed` and `expired`.',
      ),
      error_message: described(z.optional(z.string()), 'The reason of the failure, as a sentence.'),
      test: described(z.optional(z.boolean()), 'True for a test event; otherwise absent.'),
    }),
    'The message at the time of the event. Fields that are not known yet are absent, never null.',
  ),
});

export const endpointDisabled = z.object({
  event: z.enum([endpointDisabledEvent]),
  timestamp: instant,
  data: described(
    z.object({
      endpoint_id: z.string(),
      url: described(z.string(), 'Its URL.'),
      disabled_at: described(instant, 'When it was disabled.'),
      reason: described(
        z.enum(disabledReasons),
        'Why it was disabled. `gone`: it answered with status 410. A later release may add reasons.',
      ),
      client_id: z.string(),
      mode: testMode,
    }),
    'The endpoint that was disabled.',
  ),
});

/** An inbound message (contract, section 13). */
export const inboundEvent = z.object({
  event: z.enum(inboundEventNames),
  timestamp: instant,
  data: described(
    z.object({
      message_id: z.string(),
      client_id: z.string(),
      mode: testMode,
      status: described(z.literal('received'), 'Always `received`.'),
      from: described(z.string(), 'The sender of the message.'),
      from_type: fromType,
      to: described(z.string(), 'Our number.'),
      text: described(z.optional(z.string()), 'The text.'),
      whatsapp: described(
        z.optional(receivedContent()),
        'The content of a WhatsApp message that is not text.',
      ),
      received_at: instant,
      in_reply_to: z.optional(z.string()),
    }),
    'The message.',
  ),
});

/** The event of an opt-out or opt-in (contract, section 13). */
export const recipientEvent = z.object({
  event: z.enum(recipientEventNames),
  timestamp: instant,
  data: described(
    z.object({
      message_id: z.string(),
      client_id: z.string(),
      mode: testMode,
      recipient: z.string(),
      recipient_type: recipientType,
      channel: z.enum(channels),
      source: z.enum(['keyword', 'carrier']),
    }),
    'The recipient.',
  ),
});

export type WebhookEventData = z.output<typeof webhookEvent>['data'];
export type RecipientEventData = z.output<typeof recipientEvent>['data'];
