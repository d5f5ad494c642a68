/** From a change of a message to the deliveries it owes: the same change gives the same rows, however often it is relayed. */
import type { Clock } from '../clock.ts';
import { derivedId } from '../ids.ts';
import { eventsOwed, type Message } from '../message/message.ts';
import { firstLane } from './admission.ts';
import { type NewDelivery, newDelivery } from './delivery-steps.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { eventBody, eventName } from './event-body.ts';
import { type ReceiverHealth, receiverOf } from './receiver-health.ts';
import type { DeliveryQueue } from './wake.ts';

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
  readonly deliveries: DeliveryStore;
  readonly queue: DeliveryQueue;
  readonly health: Pick<ReceiverHealth, 'standing'>;
  readonly clock: Clock;
  readonly warn: (message: string, error: unknown) => void;
  readonly newRevision: () => string;
  readonly retentionDays: number;
}

/**
 * Writes each row, then enqueues it: once the row stands, the sweep would see to it even if the queue never heard.
 * Relayed again, the row stays as it is, and the second queue message finds it held or finished.
 */
export async function relayDeliveries(
  ports: RelayPorts,
  before: Message | undefined,
  after: Message,
  accountUrl: string | undefined,
): Promise<number> {
  const planned = planDeliveries(before, after, accountUrl);
  for (const given of planned) {
    const lane = await firstLane(ports, receiverOf(given));
    await ports.deliveries.create(
      newDelivery({ ...given, lane }, ports.clock(), ports.retentionDays, ports.newRevision()),
    );
    await ports.queue.send(lane, given.client_id, { delivery_id: given.delivery_id }, 0);
  }
  return planned.length;
}
