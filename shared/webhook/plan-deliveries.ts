/** From a change of a message to the deliveries it owes: the same change gives the same rows, however often it is relayed. */
import type { Agenda } from '../agenda/agenda.ts';
import type { Clock } from '../clock.ts';
import { derivedId } from '../ids.ts';
import { eventsOwed, type Message } from '../message/message.ts';
import { firstLane } from './admission.ts';
import type { Delivery } from './delivery.ts';
import { appointmentOf, type NewDelivery, newDelivery } from './delivery-steps.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { eventBody, eventName } from './event-body.ts';
import { type ReceiverHealth, receiverOf } from './receiver-health.ts';
import type { DeliveryMessage, DeliveryQueue } from './wake.ts';

export type PlannedDelivery = Omit<NewDelivery, 'lane'>;

/**
 * One delivery for each event state that the change entered, in the order of the states.
 * The request's URL goes before the account's, which is taken as it stands when the event happens;
 * with neither there is nothing to deliver (contract, section 7).
 */
export function planDeliveries(
  before: Message | undefined,
  after: Message,
  accountUrl: string | undefined,
): PlannedDelivery[] {
  const url = after.webhook_url ?? accountUrl;
  if (url === undefined) return [];
  return eventsOwed(before, after).map((status) => {
    const event = eventName(after, status);
    return {
      delivery_id: derivedId('whd', after.message_id, event),
      client_id: after.client_id,
      message_id: after.message_id,
      event,
      url,
      body: eventBody(after, status),
    };
  });
}

export interface RelayPorts {
  readonly deliveries: Pick<DeliveryStore, 'create'>;
  readonly agenda: Agenda;
  readonly queue: DeliveryQueue;
  readonly health: Pick<ReceiverHealth, 'standing'>;
  readonly clock: Clock;
  readonly warn: (message: string, error: unknown) => void;
  readonly newRevision: () => string;
  readonly retentionDays: number;
}

/** A change that owes webhooks, and its account's URL, which is needed only where the message has none. */
export interface OwedChange {
  readonly before: Message | undefined;
  readonly after: Message;
  readonly accountUrl: string | undefined;
}

/**
 * Writes the rows, then their place in the agenda, then puts them on their queues: an entry never names a row that is
 * not there yet, and once it stands the sweep sees to the rows even if the queue never heard of them. Relayed again,
 * the rows stay as they are, and the second queue message finds its delivery held or finished.
 *
 * @throws when any of it is not surely done: all of it is to be relayed again.
 */
export async function relayDeliveries(ports: RelayPorts, owed: readonly OwedChange[]): Promise<number> {
  const planned = owed.flatMap(({ before, after, accountUrl }) => planDeliveries(before, after, accountUrl));
  const deliveries = await Promise.all(
    planned.map(async (given) => {
      const lane = await firstLane(ports, receiverOf(given));
      const delivery = newDelivery(
        { ...given, lane },
        ports.clock(),
        ports.retentionDays,
        ports.newRevision(),
      );
      await ports.deliveries.create(delivery);
      return delivery;
    }),
  );
  await ports.agenda.add('deliveries', deliveries.flatMap(appointmentOf));
  await enqueue(ports.queue, deliveries);
  return deliveries.length;
}

/** Puts each delivery on its lane's queue. */
export async function enqueue(
  queue: DeliveryQueue,
  deliveries: readonly Delivery[],
  more: Pick<DeliveryMessage, 'swept'> = {},
): Promise<void> {
  for (const lane of ['fast', 'slow'] as const) {
    const entries = deliveries
      .filter((delivery) => delivery.lane === lane)
      .map(({ client_id, delivery_id }) => ({
        clientId: client_id,
        message: { delivery_id, ...more },
        delaySeconds: 0,
      }));
    if (entries.length > 0) await queue.send(lane, entries);
  }
}
