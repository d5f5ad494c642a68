/** Makes an example of the body of each event with the functions that make real bodies, which are texts. */
import type { Channel } from '../../../shared/contract/channels.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import {
  endpointDisabledEvent,
  type InboundEventName,
  type MessageEventName,
  type RecipientEventName,
} from '../../../shared/contract/webhook-events.ts';
import type { EventStatus } from '../../../shared/message/message.ts';
import type { EndpointDisabledEvent } from '../../../shared/webhook/event-body.schema.ts';
import { eventBody, recipientEventBody } from '../../../shared/webhook/plan-deliveries.ts';
import { clientId, deliveredSms, deliveredWhatsApp, endpointId, receivedSms } from './operations/examples.ts';

/** The time of the events in the examples. */
const at = '2026-11-20T10:00:03.120Z';

export function inboundExample(event: InboundEventName): unknown {
  return JSON.parse(eventBody({ ...receivedSms, channel: channelOf(event) }, 'received'));
}

export function recipientExample(event: RecipientEventName): unknown {
  return JSON.parse(recipientEventBody(receivedSms, event, at));
}

export const endpointDisabledExample: EndpointDisabledEvent = {
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

/** Makes the body from a delivered message whose last state is that of the event. */
export function eventExample(event: MessageEventName): unknown {
  const channel = channelOf(event);
  const status = event.slice(event.indexOf('.') + 1) as Exclude<EventStatus, 'received'>;
  const message = {
    ...(channel === 'sms' ? deliveredSms : deliveredWhatsApp),
    ...(status === 'sent' ? {} : { [`${status}_at`]: at }),
    ...(status === 'failed'
      ? { error_code: 'unreachable', error_message: messageErrorCodes.unreachable }
      : {}),
  } as const;
  return JSON.parse(eventBody(message, status));
}

function channelOf(event: string): Channel {
  return event.startsWith('sms') ? 'sms' : 'whatsapp';
}
