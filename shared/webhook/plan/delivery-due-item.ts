/**
 * How the agenda names a delivery: by its message and its event, from which its id follows, and the delivery itself
 * where no worker has made its row yet.
 */
import type { DueItem } from '../../due-items/due-item-index.ts';
import { derivedId } from '../../platform/ids.ts';
import type { Delivery } from '../delivery.ts';
import { nextReviewAt } from '../delivery-transitions.ts';

export interface DeliveryEvent {
  readonly messageId: string;
  readonly event: string;
}

/** One delivery for each event of a message, however often it is planned. */
export function deliveryIdOf({ messageId, event }: DeliveryEvent): string {
  return derivedId('whd', messageId, event);
}

/** The place in the agenda of a delivery that is not finished. */
export function dueItemOf(delivery: Delivery): DueItem[] {
  const dueAt = nextReviewAt(delivery);
  return dueAt === undefined ? [] : [{ id: `${delivery.message_id}#${delivery.event}`, dueAt }];
}

/** What an appointment's id stands for. */
export function deliveryEventOf(dueItemId: string): DeliveryEvent {
  const [messageId = '', event = ''] = dueItemId.split('#');
  return { messageId, event };
}
