/** Webhooks for one endpoint that follow from no message: test events, and that another endpoint was disabled. */
import type { Channel } from '../contract/channels.ts';
import {
  endpointDisabledEvent,
  type MessageEventName,
  recipientEventNames,
} from '../contract/webhook-events.ts';
import { type EventStatus, eventStatuses, type Message } from '../message/message.ts';
import { derivedId, newId } from '../platform/ids.ts';
import { type Delivery, dueItemOf } from './delivery.ts';
import { enqueue } from './delivery-queue.sqs.ts';
import type { DeliveryStore } from './delivery-store.dynamo.ts';
import {
  type EnqueueDependencies,
  eventBody,
  type PlannedDelivery,
  recipientEventBody,
  unpersistedDelivery,
} from './plan-deliveries.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** The id of the webhook that notifies an endpoint that another one was disabled. */
export function disabledNoticeId(
  disabled: { readonly endpointId: string; readonly at: string },
  toEndpointId: string,
): string {
  return derivedId('whd', disabled.endpointId, endpointDisabledEvent, disabled.at, toEndpointId);
}

/**
 * Nothing can rebuild this delivery, so its row is written before its queue message; and before the row the due item, by
 * which the sweep delivers it if the queue message is lost. Repeating the call is safe.
 */
export async function sendNotification(
  dependencies: EnqueueDependencies & { readonly deliveries: Pick<DeliveryStore, 'create'> },
  planned: PlannedDelivery,
): Promise<Delivery> {
  const delivery = unpersistedDelivery(dependencies, planned);
  await dependencies.dueItemIndex.add('deliveries', dueItemOf(delivery));
  const stored = await dependencies.deliveries.create(delivery);
  await enqueue(dependencies.queue, [{ delivery: stored, message: { delivery_id: stored.delivery_id } }]);
  return stored;
}

/** Reserved by Ofcom for drama: it is nobody's. */
const recipient = '+447700900123';

/** A test event: a notification of a message that does not exist, with `"test": true` in its data (contract, section 12). */
export function testEvent(
  { client_id, endpoint_id, url, events }: WebhookEndpoint,
  event: MessageEventName | undefined,
  now: Date,
): PlannedDelivery {
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
    happenedAt: now.toISOString(),
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
