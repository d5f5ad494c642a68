/**
 * The due item of a delivery. Its name is `<message>#<event>`, with `#<endpoint>` for an endpoint of the client: from
 * these the delivery's id is derived, so the sweep can rebuild a delivery that has no row yet. A delivery that follows
 * from no message has a row from its start, and its id is the name.
 */
import type { DueItem } from '../../due-items/due-item-index.ts';
import { derivedId } from '../../platform/ids.ts';
import type { Delivery } from '../delivery.ts';
import { nextReviewAt } from '../delivery-transitions.ts';

interface DeliveryEvent {
  readonly messageId: string;
  readonly event: string;
  /** Absent for the URL of the message or of the account. */
  readonly endpointId?: string | undefined;
}

/** Always the same id for the same event of a message at the same destination. */
export function deliveryIdOf({ messageId, event, endpointId }: DeliveryEvent): string {
  return derivedId('whd', messageId, event, ...(endpointId === undefined ? [] : [endpointId]));
}

/** None if the delivery is finished. */
export function dueItemOf(delivery: Delivery): DueItem[] {
  const dueAt = nextReviewAt(delivery);
  return dueAt === undefined ? [] : [{ id: dueItemIdOf(delivery), dueAt }];
}

function dueItemIdOf({ delivery_id, message_id, event, endpoint_id }: Delivery): string {
  if (message_id === undefined) return delivery_id;
  return [message_id, event, ...(endpoint_id === undefined ? [] : [endpoint_id])].join('#');
}

/** Undefined if the delivery follows from no message. */
export function deliveryEventOf(dueItemId: string): DeliveryEvent | undefined {
  const [messageId = '', event, endpointId] = dueItemId.split('#');
  return event === undefined ? undefined : { messageId, event, endpointId };
}

export function deliveryIdOfDueItem(dueItemId: string): string {
  const event = deliveryEventOf(dueItemId);
  return event === undefined ? dueItemId : deliveryIdOf(event);
}
