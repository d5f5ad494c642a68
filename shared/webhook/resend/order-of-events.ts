/** The events of one message are resent in their order to each destination, so none may overtake another. */
import { messageEventNames } from '../../contract/webhook-events.ts';
import { statuses } from '../../message/message.ts';
import type { Delivery } from '../delivery.ts';
import { deliveryIdOf } from '../plan/delivery-due-item.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';

/** The same for all events of a message at one destination. */
export function destinationOf({ message_id, delivery_id, endpoint_id = '' }: Delivery): string {
  return `${message_id ?? delivery_id} ${endpoint_id}`;
}

/** With the other events of each message at the same destination, which must not be overtaken. */
export async function withEventsOfTheSame(
  deliveries: Pick<DeliveryStore, 'getMany'>,
  included: readonly Delivery[],
): Promise<readonly Delivery[]> {
  const ids = included.flatMap(({ message_id, endpoint_id, event, delivery_id }) =>
    message_id === undefined
      ? []
      : eventsLike(event)
          .map((name) => deliveryIdOf({ messageId: message_id, event: name, endpointId: endpoint_id }))
          .filter((id) => id !== delivery_id),
  );
  const known = new Map(included.map((row) => [row.delivery_id, row]));
  const others = ids.filter((id) => !known.has(id));
  return [...known.values(), ...(await deliveries.getMany(others))];
}

/** Of the same channel. */
function eventsLike(event: string): string[] {
  const prefix = event.slice(0, event.indexOf('.') + 1);
  return messageEventNames.filter((name) => name.startsWith(prefix));
}

export interface OrderedDelivery {
  readonly row: Delivery;
  /** How many of its message's events come before it. */
  readonly rank: number;
  /** The id of the last of these. */
  readonly after: string | undefined;
}

/**
 * Messages by time, the events of each in the order of its states: `created_at` is by the clocks of two processes, and
 * the events of one message can be closer to each other than these.
 */
export function inOrder(rows: readonly Delivery[]): OrderedDelivery[] {
  const byTime = rows.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  return [...Map.groupBy(byTime, destinationOf).values()].flatMap((events) => {
    const byState = events.toSorted((a, b) => stateOrderOf(a) - stateOrderOf(b));
    return byState.map((row, rank) => ({ row, rank, after: byState[rank - 1]?.delivery_id }));
  });
}

function stateOrderOf({ event }: Delivery): number {
  return statuses.findIndex((status) => event.endsWith(`.${status}`));
}
