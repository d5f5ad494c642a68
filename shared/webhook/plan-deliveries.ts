/** Derives events and deliveries from a change of a message. The same change always gives the same deliveries. */

import { messageError } from '../contract/message-error-codes.ts';
import { modeField } from '../contract/mode.ts';
import { fromOf } from '../message/attempt.ts';
import { type EventStatus, eventsToSend, type Message, type MessageChange } from '../message/message.ts';
import { allEnded, RefusedEntries } from '../platform/aws/permanent-fault.ts';
import { addSeconds, type Clock } from '../platform/clock.ts';
import type { DueItemIndex } from '../recovery/due-item-index.dynamo.ts';
import {
  type Delivery,
  deliveryIdOf,
  dueItemOf,
  fanOutItemIdOf,
  type NewDelivery,
  newDelivery,
  sweepGraceSeconds,
} from './delivery.ts';
import { type DeliveryQueue, enqueue, type FanOut } from './delivery-queue.sqs.ts';
import type { DeliveryStore } from './delivery-store.dynamo.ts';
import type { InboundEventData, RecipientEventData, WebhookEventData } from './event-body.schema.ts';
import type { SlowEndpoints } from './slow-endpoints.dynamo.ts';
import { type PlannedEndpoint, receives } from './webhook-endpoint.ts';

/** A change of a message, and the destinations of its client's events. */
export interface ChangeWithDestinations extends MessageChange {
  /** Used if the message has no URL. */
  readonly accountUrl: string | undefined;
  readonly endpoints: readonly PlannedEndpoint[];
}

export interface PlannedDelivery extends NewDelivery {
  readonly happenedAt: string;
}

/**
 * Returns each event state that the change entered, in the order of the states, with its destinations: the request's URL, or the
 * account's current one if the request has none; and each endpoint that receives the event (contract, sections 7 and 12).
 * Events without any are left out.
 */
export function planEvents({ before, after, accountUrl, endpoints }: ChangeWithDestinations): FanOut[] {
  const ownUrl = after.webhook_url ?? accountUrl;
  return eventsOfChange({ before, after }).flatMap(({ event, body, happenedAt }) => {
    const destinations = [
      ...(ownUrl === undefined ? [] : [{ url: ownUrl }]),
      ...endpoints
        .filter((endpoint) => receives(endpoint, event))
        .map(({ endpoint_id, url }) => ({ endpoint_id, url })),
    ];
    if (destinations.length === 0) return [];
    const { client_id, message_id } = after;
    return [{ client_id, message_id, event, happened_at: happenedAt, body: body(), destinations }];
  });
}

export function deliveriesOf({ destinations, happened_at, ...event }: FanOut): PlannedDelivery[] {
  return destinations.map(({ url, endpoint_id }) => ({
    delivery_id: deliveryIdOf({ messageId: event.message_id, event: event.event, endpointId: endpoint_id }),
    ...event,
    url,
    ...(endpoint_id === undefined ? {} : { endpoint_id }),
    happenedAt: happened_at,
  }));
}

export function planDeliveries(change: ChangeWithDestinations): PlannedDelivery[] {
  return planEvents(change).flatMap(deliveriesOf);
}

/** Returns a delivery without a row: the worker that claims it creates the row. */
export function unpersistedDelivery(
  { clock, retentionDays, newRevision }: Pick<EnqueueDependencies, 'clock' | 'retentionDays' | 'newRevision'>,
  { happenedAt: _happenedAt, ...given }: PlannedDelivery,
): Delivery {
  return newDelivery(given, clock(), retentionDays, newRevision());
}

export interface EnqueueDependencies {
  readonly clock: Clock;
  readonly newRevision: () => string;
  readonly retentionDays: number;
  readonly dueItemIndex: DueItemIndex;
  readonly queue: DeliveryQueue;
}

/** What the relay and a fan-out need: they enqueue the first attempts of events. */
export interface PlanDependencies extends EnqueueDependencies {
  readonly slowEndpoints: SlowEndpoints;
}

/**
 * Adds the deliveries to the due-item index, from which the sweep rebuilds any that a queue loses; then enqueues them
 * complete. The worker that claims one creates its row, which saves a write. An event with several destinations is one
 * due item and one queue message, from which a worker makes the deliveries. Repeating the call is safe.
 *
 * @throws if any part may have failed; the caller repeats all of it.
 */
export async function relayDeliveries(
  dependencies: PlanDependencies,
  changes: readonly ChangeWithDestinations[],
): Promise<number> {
  const events = changes.flatMap(planEvents);
  const single = events.filter(({ destinations }) => destinations.length === 1);
  const fannedOut = events.filter(({ destinations }) => destinations.length > 1);
  const dueAt = addSeconds(dependencies.clock(), sweepGraceSeconds);
  const fanOutItems = fannedOut.map((event) => ({ id: fanOutItemIdOf(event), dueAt }));
  await allEnded([
    addAndEnqueue(dependencies, unpersistedDeliveries(dependencies, single)),
    dependencies.dueItemIndex
      .add('fan-outs', fanOutItems)
      .then(() => enqueueFanOuts(dependencies, fannedOut)),
  ]);
  return events.reduce((sum, { destinations }) => sum + destinations.length, 0);
}

/**
 * Adds the deliveries to the due-item index first, so that the sweep enqueues any that a crash leaves out, then
 * enqueues them.
 */
export async function addAndEnqueue(
  { dueItemIndex, queue, slowEndpoints }: PlanDependencies,
  deliveries: readonly Delivery[],
): Promise<void> {
  const [slow] = await Promise.all([
    slowEndpoints.deliveriesToSlow(deliveries),
    dueItemIndex.add('deliveries', deliveries.flatMap(dueItemOf)),
  ]);
  await enqueue(
    queue,
    deliveries.map((delivery) => ({
      delivery,
      message: { delivery_id: delivery.delivery_id, delivery },
      isToSlowEndpoint: slow.has(delivery),
    })),
  );
}

/**
 * Sends an event without a message. Nothing could rebuild its delivery, so the row is written before the queue
 * message; and before the row the due item, so that the sweep delivers it if the queue message is lost. Repeating the
 * call is safe.
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

/**
 * Queues events for a worker, which creates their deliveries. If the queue refuses an event, creates its deliveries
 * here, so that the queue refuses only the one at fault.
 */
export async function enqueueFanOuts(
  dependencies: PlanDependencies,
  events: readonly FanOut[],
): Promise<void> {
  if (events.length === 0) return;
  try {
    await dependencies.queue.send(
      'first',
      events.map((event) => ({ clientId: event.client_id, message: { fan_out: event }, delaySeconds: 0 })),
    );
  } catch (error) {
    if (!(error instanceof RefusedEntries)) throw error;
    const refused = error.entries.flatMap(({ index }) => events[index] ?? []);
    await addAndEnqueue(dependencies, unpersistedDeliveries(dependencies, refused));
  }
}

function unpersistedDeliveries(dependencies: EnqueueDependencies, events: readonly FanOut[]): Delivery[] {
  return events.flatMap(deliveriesOf).map((planned) => unpersistedDelivery(dependencies, planned));
}

/** Leaves the events of these changes to the sweep, because their destinations could not be read. */
export async function leaveToSweep(
  { dueItemIndex, clock }: EnqueueDependencies,
  changes: readonly MessageChange[],
): Promise<void> {
  const dueAt = clock();
  const items = changes.flatMap((change) =>
    eventsOfChange(change).map(({ event }) => ({
      id: fanOutItemIdOf({ message_id: change.after.message_id, event }),
      dueAt,
    })),
  );
  await dueItemIndex.add('fan-outs', items);
}

interface WebhookEvent {
  readonly event: string;
  readonly happenedAt: string;
  /** Builds the body. Called only when the event is posted: a search for deliveries needs only the names. */
  readonly body: () => string;
}

/** Returns the events of a change, in the order of the states: each is posted to every destination that receives it. */
function eventsOfChange(change: MessageChange): WebhookEvent[] {
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

export function eventsOf(message: Message): WebhookEvent[] {
  return eventsOfChange({ before: undefined, after: message });
}

/**
 * Returns the event about a recipient that follows from a message: for a keyword of the recipient, or for a refusal
 * by the carrier because of one.
 */
function recipientEventOf(message: Message): 'recipient.opted_out' | 'recipient.opted_in' | undefined {
  if (message.opt_keyword !== undefined) {
    return message.opt_keyword === 'opt_out' ? 'recipient.opted_out' : 'recipient.opted_in';
  }
  const byCarrier = message.error_code === 'recipient_opted_out' && message.suppressed === undefined;
  return byCarrier ? 'recipient.opted_out' : undefined;
}

/**
 * Returns the event's name (specification, section 6.1). There is no `whatsapp.expired`; `whatsapp.failed` is sent
 * instead.
 */
export function eventName(message: Message, status: EventStatus): string {
  return message.channel === 'whatsapp' && status === 'expired'
    ? 'whatsapp.failed'
    : `${message.channel}.${status}`;
}

/**
 * Returns the JSON text to post. A field that is not yet known at this event is absent, never null (contract 7.2).
 * `data.status` is the state of the event, even if the message has a later state by now. @throws Error if the message
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
  const data: InboundEventData = {
    message_id: message.message_id,
    client_id: message.client_id,
    ...modeField(message.client_id),
    status: 'received',
    from: message.recipient,
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
