/** Alerts about a delivery that failed after its last attempt: at least once, with one entry in the activity log. */
import { type ActivityLog, notify } from '../../activity/write-activity.dynamo.ts';
import { modeOf } from '../../contract/mode.ts';
import { derivedIdAt } from '../../platform/ids.ts';
import { log } from '../../platform/log.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { isWithdrawn } from '../attempt-record.ts';
import { alerted, type Delivery, originOf } from '../delivery.ts';
import type { DeliveryStore } from '../delivery-store.dynamo.ts';

/**
 * Writes the entry of the failure. Its id is derived from the attempt and its due time, so a repeat writes the same
 * entry.
 */
async function enterFailure(
  { activityLog }: { readonly activityLog: ActivityLog },
  delivery: Delivery,
): Promise<void> {
  const at = delivery.finished_at ?? delivery.created_at;
  const dueAt = new Date(delivery.attempt_due_at);
  const attempt = String(delivery.attempt_number);
  const id = derivedIdAt('act', dueAt, 'webhook_failed', delivery.delivery_id, attempt);
  await notify(activityLog, 'webhook_failed', id, {
    at,
    summary: `${delivery.event} was not acknowledged after ${attempt} attempts: ${lastError(delivery)}`,
    client_id: delivery.client_id,
    ...withoutUndefined({ message_id: delivery.message_id }),
    delivery_id: delivery.delivery_id,
  });
}

/**
 * Sends the alert of a failed delivery whose alert is pending. The delivery has a `due_at` until the last line here, so a
 * crash at any line repeats the whole function.
 */
export async function alertFailure(
  dependencies: {
    readonly deliveries: Pick<DeliveryStore, 'replace'>;
    readonly activityLog: ActivityLog;
    readonly reportFailedDelivery: (delivery: Delivery) => void;
    readonly newRevision: () => string;
  },
  delivery: Delivery,
): Promise<void> {
  await sendAlert(dependencies, delivery);
  await dependencies.deliveries.replace(delivery, alerted(delivery, dependencies.newRevision()));
}

/** Sends the alert alone. A resend calls this before it makes a delivery with a pending alert `pending`. */
export async function sendAlert(
  dependencies: {
    readonly activityLog: ActivityLog;
    readonly reportFailedDelivery: (delivery: Delivery) => void;
  },
  delivery: Delivery,
): Promise<void> {
  await enterFailure(dependencies, delivery);
  // If the client withdrew the endpoint, nobody must act.
  if (!isWithdrawn(delivery.attempts.at(-1)?.error)) dependencies.reportFailedDelivery(delivery);
}

function lastError(delivery: Delivery): string {
  const last = delivery.attempts.at(-1);
  return last?.error_message ?? last?.error?.replaceAll('_', ' ') ?? 'unknown';
}

/** Returns the identifiers that every log line about a delivery has. */
export function logFieldsOf(delivery: Delivery) {
  const { client_id, message_id, endpoint_id, event } = delivery;
  return { client_id, message_id, endpoint_id, event, origin: originOf(delivery.url) };
}

/** Writes the alert, an ERROR line. Test data alerts nobody. */
export function reportFailedDelivery(delivery: Delivery): void {
  if (modeOf(delivery.client_id) === 'test') return;
  log.error('webhook failed', {
    delivery_id: delivery.delivery_id,
    ...logFieldsOf(delivery),
    attempts: delivery.attempt_number,
    error: delivery.attempts.at(-1)?.error,
  });
}
