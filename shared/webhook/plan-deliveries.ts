/** From a change of a message to the deliveries it owes: the same change gives the same rows, however often it is relayed. */
import type { Agenda } from '../agenda/agenda.ts';
import type { Clock } from '../clock.ts';
import { allEnded } from '../lasting-fault.ts';
import { eventsOwed, type MessageChange } from '../message/message.ts';
import { firstLane } from './admission.ts';
import { appointmentOf, deliveryIdOf } from './appointment.ts';
import type { Delivery } from './delivery.ts';
import { type NewDelivery, newDelivery } from './delivery-steps.ts';
import { eventBody, eventName } from './event-body.ts';
import { type ReceiverHealth, receiverOf } from './receiver-health.ts';
import type { DeliveryMessage, DeliveryQueue } from './wake.ts';

/** A change that owes webhooks, and its account's URL, which is needed only where the message has none. */
export interface OwedChange extends MessageChange {
  readonly accountUrl: string | undefined;
}

interface PlannedDelivery extends Omit<NewDelivery, 'lane'> {
  /** When the message entered the state. */
  readonly happenedAt: string;
}

/**
 * One delivery for each event state that the change entered, in the order of the states.
 * The request's URL goes before the account's, which is taken as it stands when the event happens;
 * with neither there is nothing to deliver (contract, section 7).
 */
export function planDeliveries({ before, after, accountUrl }: OwedChange): PlannedDelivery[] {
  const url = after.webhook_url ?? accountUrl;
  if (url === undefined) return [];
  return eventsOwed({ before, after }).map((status) => {
    const event = eventName(after, status);
    return {
      delivery_id: deliveryIdOf({ messageId: after.message_id, event }),
      client_id: after.client_id,
      message_id: after.message_id,
      event,
      url,
      body: eventBody(after, status),
      happenedAt: after[`${status}_at`] ?? after.created_at,
    };
  });
}

export interface NewbornPorts {
  readonly health: Pick<ReceiverHealth, 'standing'>;
  readonly clock: Clock;
  readonly warn: (message: string, error: unknown) => void;
  readonly newRevision: () => string;
  readonly retentionDays: number;
}

/** A delivery on its way to the worker that makes its row. */
export async function newborn(ports: NewbornPorts, planned: PlannedDelivery): Promise<Delivery> {
  const { happenedAt: _happenedAt, ...given } = planned;
  const lane = await firstLane(ports, receiverOf(given));
  return newDelivery({ ...given, lane }, ports.clock(), ports.retentionDays, ports.newRevision());
}

export interface RelayPorts extends NewbornPorts {
  readonly agenda: Agenda;
  readonly queue: DeliveryQueue;
}

/**
 * Enters the deliveries in the agenda, then puts them, whole, on their queues: from then on the sweep makes anew what a
 * queue loses. The worker that takes one makes its row as it claims it, which saves a write for each. Relayed again, a
 * delivery finds its row.
 *
 * @throws when any of it is not surely done: all of it is to be relayed again.
 */
export async function relayDeliveries(ports: RelayPorts, owed: readonly OwedChange[]): Promise<number> {
  const planned = owed.flatMap(planDeliveries);
  const deliveries = await Promise.all(planned.map((given) => newborn(ports, given)));
  await ports.agenda.add('deliveries', deliveries.flatMap(appointmentOf));
  await enqueue(
    ports.queue,
    deliveries.map((delivery) => ({ delivery, message: newbornMessage(delivery) })),
  );
  return deliveries.length;
}

export function newbornMessage(delivery: Delivery): DeliveryMessage {
  return { delivery_id: delivery.delivery_id, delivery };
}

export interface Enqueued {
  readonly delivery: Delivery;
  readonly message: DeliveryMessage;
}

/** Puts each delivery on its lane's queue. */
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
