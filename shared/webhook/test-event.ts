/** The event of a test of an endpoint, with an example message. */
import type { Channel } from '../contract/channels.ts';
import {
  endpointDisabledEvent,
  type MessageEventName,
  recipientEventNames,
} from '../contract/webhook-events.ts';
import { type EventStatus, eventStatuses, type Message } from '../message/message.ts';
import { newId } from '../platform/ids.ts';
import type { NewDelivery } from './delivery.ts';
import { eventBody, recipientEventBody } from './plan-deliveries.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** Ofcom reserves this number for drama, so it belongs to nobody. */
const recipient = '+447700900123';

/** Returns a notification of a message that does not exist, with `"test": true` in its data (contract, section 12). */
export function testEvent(
  { client_id, endpoint_id, url, events }: WebhookEndpoint,
  event: MessageEventName | undefined,
  now: Date,
): NewDelivery {
  const name: string = event ?? defaultEvent(events);
  const [channel, status] = name.split('.') as [Channel, EventStatus];
  const isOfRecipient = recipientEventNames.some((one) => one === name);
  const body = isOfRecipient
    ? recipientEventBody(
        { ...exampleMessage(client_id, 'sms', 'received', now), direction: 'inbound' },
        name,
        now.toISOString(),
      )
    : eventBody(exampleMessage(client_id, channel, status, now), status);
  const { data, ...rest } = JSON.parse(body) as { readonly data: object };
  return {
    delivery_id: newId('whd', now),
    client_id,
    endpoint_id,
    event: name,
    url,
    body: JSON.stringify({ ...rest, data: { ...data, test: true } }),
  };
}

function defaultEvent(events: readonly string[] = []): string {
  const [first = 'sms.*'] = events.filter((event) => event !== endpointDisabledEvent);
  return first.replace('*', 'delivered');
}

function exampleMessage(clientId: string, channel: Channel, status: EventStatus, now: Date): Message {
  const at = now.toISOString();
  const entered = eventStatuses.slice(0, eventStatuses.indexOf(status) + 1);
  const isSuccess = status !== 'failed' && status !== 'expired';
  const states = isSuccess ? entered : (['sent', status] as const);
  return {
    message_id: newId('msg', now),
    client_id: clientId,
    channel,
    status,
    recipient,
    type: 'transactional',
    reference: 'test',
    created_at: at,
    expires_at: at,
    ...Object.fromEntries(states.map((state) => [`${state}_at`, at])),
  };
}
