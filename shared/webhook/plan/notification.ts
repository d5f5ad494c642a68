/** Webhooks for one endpoint that follow from no message: test events, and that another endpoint was disabled. */
import { endpointDisabledEvent } from '../../contract/webhook-events.ts';
import { derivedId } from '../../platform/ids.ts';
import type { Delivery } from '../delivery.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';
import { dueItemOf } from './delivery-due-item.ts';
import {
  enqueue,
  type PlannedDelivery,
  type RelayWebhooksDependencies,
  unpersistedDelivery,
} from './plan-deliveries.ts';

export interface NotificationDependencies extends RelayWebhooksDependencies {
  readonly deliveries: Pick<DeliveryStore, 'create'>;
}

/** The id of the webhook that tells an endpoint of the disabling of another one. */
export function disabledNoticeId(
  disabled: { readonly endpointId: string; readonly at: string },
  toEndpointId: string,
): string {
  return derivedId('whd', disabled.endpointId, endpointDisabledEvent, disabled.at, toEndpointId);
}

/**
 * Nothing can rebuild this delivery, so its row is written before its queue message; and before the row the due item, by
 * which the sweep delivers it if the queue message is lost. Repeating the call is safe.
 */
export async function sendNotification(
  dependencies: NotificationDependencies,
  planned: PlannedDelivery,
): Promise<Delivery> {
  const delivery = await unpersistedDelivery(dependencies, planned);
  await dependencies.dueItemIndex.add('deliveries', dueItemOf(delivery));
  const stored = await dependencies.deliveries.create(delivery);
  await enqueue(dependencies.queue, [{ delivery: stored, message: { delivery_id: stored.delivery_id } }]);
  return stored;
}
