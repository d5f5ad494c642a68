/** Derives deliveries from a change of a message. The same change always gives the same deliveries. */
import type { DueItemIndex } from '../../due-items/due-item-index.ts';
import type { MessageChange } from '../../message/message.ts';
import { allEnded } from '../../platform/aws/permanent-fault.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Delivery } from '../delivery.ts';
import { type NewDelivery, newDelivery } from '../delivery-transitions.ts';
import { initialLane } from '../endpoint-health/choose-lane.ts';
import { clientOriginOf, type EndpointHealth } from '../endpoint-health/endpoint-health.ts';
import { receives, type WebhookEndpoint } from '../endpoints/webhook-endpoint.ts';
import type { DeliveryMessage, DeliveryQueue } from '../schedule/delivery-queue.ts';
import { deliveryIdOf, dueItemOf } from './delivery-due-item.ts';
import { eventsOfChange } from './events-of-change.ts';

/** A change of a message, and where its client has its events sent. */
export interface ChangeWithDestinations extends MessageChange {
  /** Used if the message has no URL. */
  readonly accountUrl: string | undefined;
  /** All of the client. */
  readonly endpoints: readonly WebhookEndpoint[];
}

export interface PlannedDelivery extends Omit<NewDelivery, 'lane'> {
  /** When the message entered the state. */
  readonly happenedAt: string;
}

/**
 * For each event state that the change entered, in the order of the states: one delivery to the request's URL, or to the
 * account's current one if the request has none; and one to each endpoint that receives the event (contract, sections 7
 * and 12).
 */
export function planDeliveries(change: ChangeWithDestinations): PlannedDelivery[] {
  const { before, after, accountUrl, endpoints } = change;
  const ownUrl = after.webhook_url ?? accountUrl;
  return eventsOfChange({ before, after }).flatMap(({ event, body, happenedAt }) => {
    const destinations = [
      ...(ownUrl === undefined ? [] : [{ url: ownUrl }]),
      ...endpoints
        .filter((endpoint) => receives(endpoint, event))
        .map(({ endpoint_id, url }) => ({ endpoint_id, url })),
    ];
    if (destinations.length === 0) return [];
    const bodyText = body();
    return destinations.map((destination: { readonly url: string; readonly endpoint_id?: string }) => ({
      delivery_id: deliveryIdOf({
        messageId: after.message_id,
        event,
        endpointId: destination.endpoint_id,
      }),
      client_id: after.client_id,
      message_id: after.message_id,
      ...destination,
      event,
      body: bodyText,
      happenedAt,
    }));
  });
}

export interface UnpersistedDeliveryDependencies {
  readonly health: Pick<EndpointHealth, 'status'>;
  readonly clock: Clock;
  readonly warn: (message: string, error: unknown) => void;
  readonly newRevision: () => string;
  readonly retentionDays: number;
}

/** A delivery without a row: the worker that claims it creates the row. */
export async function unpersistedDelivery(
  dependencies: UnpersistedDeliveryDependencies,
  planned: PlannedDelivery,
): Promise<Delivery> {
  const { happenedAt: _happenedAt, ...given } = planned;
  const lane = await initialLane(dependencies, clientOriginOf(given));
  return newDelivery(
    { ...given, lane },
    dependencies.clock(),
    dependencies.retentionDays,
    dependencies.newRevision(),
  );
}

export interface RelayWebhooksDependencies extends UnpersistedDeliveryDependencies {
  readonly dueItemIndex: DueItemIndex;
  readonly queue: DeliveryQueue;
}

/**
 * Adds the deliveries to the due-item index, from which the sweep rebuilds any that a queue loses; then enqueues them
 * complete. The worker that claims one creates its row, which saves a write. Repeating the call is safe.
 *
 * @throws if any part may have failed; the caller repeats all of it.
 */
export async function relayDeliveries(
  dependencies: RelayWebhooksDependencies,
  changes: readonly ChangeWithDestinations[],
): Promise<number> {
  const planned = changes.flatMap(planDeliveries);
  const deliveries = await Promise.all(planned.map((given) => unpersistedDelivery(dependencies, given)));
  await dependencies.dueItemIndex.add('deliveries', deliveries.flatMap(dueItemOf));
  await enqueue(
    dependencies.queue,
    deliveries.map((delivery) => ({ delivery, message: unpersistedDeliveryMessage(delivery) })),
  );
  return deliveries.length;
}

export function unpersistedDeliveryMessage(delivery: Delivery): DeliveryMessage {
  return { delivery_id: delivery.delivery_id, delivery };
}

export interface Enqueued {
  readonly delivery: Delivery;
  readonly message: DeliveryMessage;
}

/** Sends each delivery to the queue of its lane. */
export async function enqueue(queue: DeliveryQueue, enqueued: readonly Enqueued[]): Promise<void> {
  await allEnded(
    (['fast', 'slow'] as const).map(async (lane) => {
      const entries = enqueued
        .filter(({ delivery }) => delivery.lane === lane)
        .map(({ delivery, message }) => ({ clientId: delivery.client_id, message, delaySeconds: 0 }));
      if (entries.length > 0) await queue.send(lane, entries);
    }),
  );
}
