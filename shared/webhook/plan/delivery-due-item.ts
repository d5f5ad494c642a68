/**
 * The due item of a delivery. It is named by message and event, from which the delivery's id is derived, so the sweep
 * can rebuild a delivery that has no row yet.
 */
import type { DueItem } from '../../due-items/due-item-index.ts';
import { derivedId } from '../../platform/ids.ts';
import type { Delivery } from '../delivery.ts';
import { nextReviewAt } from '../delivery-transitions.ts';

export interface DeliveryEvent {
  readonly messageId: string;
  readonly event: string;
}

/** Always the same id for the same event of a message. */
export function deliveryIdOf({ messageId, event }: DeliveryEvent): string {
  return derivedId('whd', messageId, event);
}

/** None if the delivery is finished. */
export function dueItemOf(delivery: Delivery): DueItem[] {
  const dueAt = nextReviewAt(delivery);
  return dueAt === undefined ? [] : [{ id: `${delivery.message_id}#${delivery.event}`, dueAt }];
}

export function deliveryEventOf(dueItemId: string): DeliveryEvent {
  const [messageId = '', event = ''] = dueItemId.split('#');
  return { messageId, event };
}
