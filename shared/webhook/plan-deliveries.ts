/**
 * Derives events and deliveries from a change of a message. Also derives the test event of an endpoint. The same change
 * always gives the same deliveries.
 */

import type * as z from 'zod/mini';
import type { Channel } from '../contract/channels.ts';
import { messageError } from '../contract/message-error-codes.ts';
import { modeField } from '../contract/mode.ts';
import { recipientTypeOf } from '../contract/recipient-forms.ts';
import {
  endpointDisabledEvent,
  type MessageEventName,
  matchesFilters,
  recipientEventNames,
} from '../contract/webhook-events.ts';
import { fromOf } from '../message/attempt.ts';
import {
  type EventStatus,
  eventStatuses,
  eventsToSend,
  type Message,
  type MessageChange,
} from '../message/message.ts';
import { newId } from '../platform/ids.ts';
import { deliveryIdOf, type NewDelivery } from './delivery.ts';
import type { inboundEvent, RecipientEventData, WebhookEventData } from './event-body.schema.ts';
import { hasLongTimeout, type PlannedEndpoint, type WebhookEndpoint } from './webhook-endpoint.ts';

/**
 * Returns the deliveries of a change: for each event state that the message entered, in their order, one delivery for each
 * destination. The destinations are each endpoint whose filter matches, even a disabled one, and the URL of the request or,
 * by default, of the account (contract, sections 7 and 12).
 */
export function planDeliveries({
  accountUrl,
  endpoints,
  ...change
}: MessageChange & {
  /** The account's URL, which applies if the message has no URL. */
  readonly accountUrl: string | undefined;
  readonly endpoints: readonly PlannedEndpoint[];
}): NewDelivery[] {
  const { client_id, message_id, webhook_url } = change.after;
  const ownUrl = webhook_url ?? accountUrl;
  return eventsOfChange(change).flatMap(({ event, body }) => {
    const destinations: Pick<NewDelivery, 'url' | 'endpoint_id' | 'isSkipped' | 'hasLongTimeout'>[] = [
      ...(ownUrl === undefined ? [] : [{ url: ownUrl }]),
      ...endpoints
        .filter(({ events }) => matchesFilters(event, events))
        .map(({ endpoint_id, url, enabled, timeout_seconds }) => ({
          ...{ endpoint_id, url, isSkipped: !enabled },
          hasLongTimeout: hasLongTimeout({ timeout_seconds }),
        })),
    ];
    if (destinations.length === 0) return [];
    const text = body();
    return destinations.map((destination) => ({
      delivery_id: deliveryIdOf({ messageId: message_id, event, endpointId: destination.endpoint_id }),
      ...{ client_id, message_id, event, body: text },
      ...destination,
    }));
  });
}

/** Returns the events of a change, in the order of the states. Every destination that receives an event gets it. */
function eventsOfChange(change: MessageChange): {
  readonly event: string;
  readonly happenedAt: string;
  /** Builds the body of the event. A search for deliveries needs only event names, and never calls this. */
  readonly body: () => string;
}[] {
  const { after } = change;
  return eventsToSend(change).flatMap((status) => {
    const happenedAt = after[`${status}_at`] ?? after.created_at;
    const own = { event: eventName(after, status), happenedAt, body: () => eventBody(after, status) };
    const event = status === 'received' || status === 'failed' ? recipientEventOf(after) : undefined;
    return event === undefined
      ? [own]
      : [own, { event, happenedAt, body: () => recipientEventBody(after, event, happenedAt) }];
  });
}

/** Returns the ids of all deliveries that a message can have so far, to its URL and to these endpoints. */
export function deliveryIdsOf(
  message: Message,
  endpoints: readonly { readonly endpoint_id: string }[],
): string[] {
  const destinations = [undefined, ...endpoints.map(({ endpoint_id }) => endpoint_id)];
  return eventsOfChange({ before: undefined, after: message }).flatMap(({ event }) =>
    destinations.map((endpointId) => deliveryIdOf({ messageId: message.message_id, event, endpointId })),
  );
}

/**
 * Returns the opt-out or opt-in event of a message. The recipient sent a keyword, or the carrier refused the message
 * because of an earlier keyword.
 */
function recipientEventOf(message: Message): 'recipient.opted_out' | 'recipient.opted_in' | undefined {
  if (message.opt_keyword !== undefined) {
    return message.opt_keyword === 'opt_out' ? 'recipient.opted_out' : 'recipient.opted_in';
  }
  const byCarrier = message.error_code === 'recipient_opted_out' && message.suppressed === undefined;
  return byCarrier ? 'recipient.opted_out' : undefined;
}

/**
 * Returns the event's name (specification, section 6.1). `whatsapp.expired` does not exist; `whatsapp.failed` takes its
 * place.
 */
export function eventName(message: Message, status: EventStatus): string {
  return message.channel === 'whatsapp' && status === 'expired'
    ? 'whatsapp.failed'
    : `${message.channel}.${status}`;
}

/**
 * Returns the JSON text to post. A field whose value is not known at this event is absent, never null (contract 7.2).
 * `data.status` is the state of the event, even if the message is in a later state by now. @throws Error if the message
 * never entered that state.
 */
export function eventBody(message: Message, status: EventStatus): string {
  const enteredAt = message[`${status}_at`];
  if (enteredAt === undefined) throw new Error(`${message.message_id} has not been ${status}`);
  if (status === 'received') return receivedBody(message, enteredAt);
  const arrived = status === 'delivered' || status === 'read';
  const data: WebhookEventData = {
    message_id: message.message_id,
    recipient: message.recipient,
    recipient_type: recipientTypeOf(message.recipient),
    from: fromOf(message),
    status,
    sent_at: message.sent_at,
    delivered_at: arrived ? message.delivered_at : undefined,
    read_at: status === 'read' ? message.read_at : undefined,
    cost: message.cost,
    currency: message.currency,
    reference: message.reference,
    client_id: message.client_id,
    ...modeField(message.client_id),
    fallback_of: message.fallback_of,
    ...errorOf(message, status),
  };
  return JSON.stringify({ event: eventName(message, status), timestamp: enteredAt, data });
}

function receivedBody(message: Message, receivedAt: string): string {
  const data: z.output<typeof inboundEvent>['data'] = {
    message_id: message.message_id,
    client_id: message.client_id,
    ...modeField(message.client_id),
    status: 'received',
    from: message.recipient,
    from_type: recipientTypeOf(message.recipient),
    to: message.from ?? '',
    text: message.text,
    whatsapp: message.received_content,
    received_at: receivedAt,
    in_reply_to: message.in_reply_to,
  };
  return JSON.stringify({ event: eventName(message, 'received'), timestamp: receivedAt, data });
}

/** Returns the body of an opt-out or opt-in event (contract, section 13). */
export function recipientEventBody(message: Message, event: string, happenedAt: string): string {
  const { message_id, client_id, recipient, channel, direction } = message;
  const source = direction === 'inbound' ? 'keyword' : 'carrier';
  const data: RecipientEventData = {
    message_id,
    client_id,
    ...modeField(client_id),
    recipient,
    recipient_type: recipientTypeOf(recipient),
    channel,
    source,
  };
  return JSON.stringify({ event, timestamp: happenedAt, data });
}

function errorOf(message: Message, status: EventStatus): { error_code?: string; error_message?: string } {
  if (status !== 'expired' && status !== 'failed') return {};
  const { errorCode, errorMessage } = messageError(status === 'expired' ? 'expired' : 'unknown');
  const isWhatsAppTimeOut = message.channel === 'whatsapp' && status === 'expired';
  return {
    error_code: isWhatsAppTimeOut ? errorCode : (message.error_code ?? errorCode),
    error_message: message.error_message ?? errorMessage,
  };
}

/** Ofcom reserves this number for drama, so it belongs to nobody. */
const recipient = '+447700900123';

/** Returns the event of an invented message, with `"test": true` in its data (contract, section 12). */
export function testEvent(
  { client_id, endpoint_id, url, events, ...rules }: WebhookEndpoint,
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
    hasLongTimeout: hasLongTimeout(rules),
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
