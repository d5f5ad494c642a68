/** The webhooks that the gateway posts: each event with its body (specification, section 6; contract, section 7). */
import * as z from 'zod/mini';
import { type Channel, channels } from '../../../shared/contract/channels.ts';
import { type MessageErrorCode, messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import {
  endpointDisabledEvent,
  type InboundEventName,
  inboundEventNames,
  type MessageEventName,
  messageEventNames,
  type RecipientEventName,
  recipientEventNames,
} from '../../../shared/contract/webhook-events.ts';
import { type EventStatus, eventStatuses } from '../../../shared/message/message.ts';
import { messageErrorCode } from '../../../shared/message/message-response.schema.ts';
import { receivedContent } from '../../../shared/message/received-content.ts';
import { described } from '../../../shared/operation/described.ts';
import { eventBody, recipientEventBody } from '../../../shared/webhook/plan/event-body.ts';
import { clientId, deliveredSms, endpointId, receivedSms } from './operations/examples.ts';

/** When the events of the examples happened. */
const at = '2026-11-20T10:00:03.120Z';

const instant = z.iso.datetime();
/** Of messages that the client sent. */
const sentStatuses = eventStatuses.filter((status) => status !== 'received');

export const webhookEvent = z.object({
  event: z.enum(messageEventNames),
  timestamp: instant,
  data: described(
    z.object({
      message_id: z.string(),
      recipient: z.string(),
      from: described(z.optional(z.string()), 'The sender, as in the status of the message.'),
      status: described(z.enum(sentStatuses), 'The state that the event tells of.'),
      client_id: z.string(),
      sent_at: described(z.optional(instant), 'When the message was handed to the carrier.'),
      delivered_at: z.optional(instant),
      read_at: described(z.optional(instant), 'When the recipient read it (WhatsApp).'),
      cost: z.optional(z.number()),
      currency: z.optional(z.string()),
      reference: z.optional(z.string()),
      fallback_of: z.optional(z.string()),
      error_code: described(
        z.optional(messageErrorCode),
        'One of the message error codes, or one that a later release adds. Only on `failed` and `expired`.',
      ),
      error_message: described(z.optional(z.string()), 'Why it failed: a sentence.'),
      test: described(z.optional(z.boolean()), 'True for a test event; otherwise absent.'),
    }),
    'The message, as it stood at the event. A field that is not known yet is left out, never null.',
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
      reason: described(z.literal('no_successful_delivery'), 'Why it was disabled.'),
      client_id: z.string(),
    }),
    'The endpoint that was disabled.',
  ),
});

/** A message from a person (contract, section 13). */
export const inboundEvent = z.object({
  event: z.enum(inboundEventNames),
  timestamp: instant,
  data: described(
    z.object({
      message_id: z.string(),
      client_id: z.string(),
      status: described(z.literal('received'), 'Always `received`.'),
      from: described(z.string(), 'The person.'),
      to: described(z.string(), 'Our number.'),
      text: described(z.optional(z.string()), 'The text.'),
      whatsapp: described(z.optional(receivedContent()), 'What a WhatsApp message holds that is no text.'),
      received_at: instant,
      in_reply_to: z.optional(z.string()),
    }),
    'The message.',
  ),
});

export function inboundExample(event: InboundEventName): unknown {
  return posted(eventBody({ ...receivedSms, channel: channelOf(event) }, 'received'));
}

/** What is known of a recipient's wish (contract, section 13). */
export const recipientEvent = z.object({
  event: z.enum(recipientEventNames),
  timestamp: instant,
  data: described(
    z.object({
      message_id: z.string(),
      client_id: z.string(),
      recipient: z.string(),
      channel: z.enum(channels),
      source: z.enum(['keyword', 'carrier']),
    }),
    'The recipient.',
  ),
});

export function recipientExample(event: RecipientEventName): unknown {
  return posted(recipientEventBody(receivedSms, event, at));
}

/** An example of the body of the event that a client's other endpoints get. */
export const endpointDisabledExample: z.output<typeof endpointDisabled> = {
  event: endpointDisabledEvent,
  timestamp: at,
  data: {
    endpoint_id: endpointId,
    url: 'https://example.com/webhooks/delivered',
    disabled_at: at,
    reason: 'no_successful_delivery',
    client_id: clientId,
  },
};

/** An example of the body of each event: that of `deliveredSms`, if its last state were that of the event. */
export function eventExample(event: MessageEventName): unknown {
  const channel = channelOf(event);
  const status = event.slice(event.indexOf('.') + 1) as Exclude<EventStatus, 'received'>;
  const { from, ...message } = deliveredSms;
  return posted(
    eventBody(
      {
        ...message,
        channel,
        ...(channel === 'sms' && from !== undefined ? { from } : { cost: 0.005 }),
        ...(status === 'sent' ? {} : { [`${status}_at`]: at }),
        ...(status === 'failed' ? errorOf('unreachable') : {}),
      },
      status,
    ),
  );
}

function channelOf(event: string): Channel {
  return event.startsWith('sms') ? 'sms' : 'whatsapp';
}

/** The body of an event is made as text. */
function posted(body: string): unknown {
  return JSON.parse(body);
}

function errorOf(code: MessageErrorCode): { error_code: string; error_message: string } {
  return { error_code: code, error_message: messageErrorCodes[code].message };
}
