/** Alerts about a delivery that failed after its last attempt: at least once, with one entry in the activity log. */
import type { ActivityLog } from '../../activity/activity-log.ts';
import { derivedIdAt } from '../../platform/ids.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import { type Delivery, isWithdrawn } from '../delivery.ts';
import { alerted } from '../delivery-transitions.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';

export interface AlertDependencies {
  readonly deliveries: DeliveryStore;
  readonly activityLog: ActivityLog;
  readonly reportFailedDelivery: (delivery: Delivery) => void;
  readonly newRevision: () => string;
}

/**
 * `delivery` is failed and its alert pending. The due-item index lists it until the last line here, so a crash at any
 * line repeats the whole function. The entry's id is derived from the attempt, so a repeat writes the same entry.
 */
export async function alertFailure(dependencies: AlertDependencies, delivery: Delivery): Promise<void> {
  const at = delivery.finished_at ?? delivery.created_at;
  const attempt = String(delivery.attempt_number);
  await dependencies.activityLog.add({
    entry_id: derivedIdAt('act', new Date(at), 'webhook_failed', delivery.delivery_id, attempt),
    kind: 'webhook_failed',
    at,
    summary: `${delivery.event} was not acknowledged after ${attempt} attempts: ${lastError(delivery)}`,
    client_id: delivery.client_id,
    ...withoutUndefined({ message_id: delivery.message_id }),
    delivery_id: delivery.delivery_id,
  });
  // An endpoint that its client withdrew is no fault that anyone must act on.
  if (!isWithdrawn(delivery.attempts.at(-1)?.error)) dependencies.reportFailedDelivery(delivery);
  await dependencies.deliveries.replace(delivery, alerted(delivery, dependencies.newRevision()));
}

function lastError(delivery: Delivery): string {
  const last = delivery.attempts.at(-1);
  return last?.error_message ?? last?.error?.replaceAll('_', ' ') ?? 'unknown';
}
