/** Sends an alert when the last attempt of a delivery has failed: at least once, with one entry in the activity log. */
import { notify } from '../../activity/write-activity.dynamo.ts';
import { modeOf } from '../../contract/mode.ts';
import type { Context } from '../../platform/context.ts';
import { derivedIdAt } from '../../platform/ids.ts';
import { alerted, type Delivery, originOf } from '../delivery.ts';
import { replaceDelivery } from '../delivery-store.dynamo.ts';

/**
 * Sends the alert of a failed delivery whose alert is pending. The delivery keeps its `due_at` until the last line of this
 * function, so a crash at any line repeats the whole function.
 */
export async function alertFailure(
  context: Context<'ACTIVITY_LOG_TABLE' | 'RETENTION_DAYS' | 'WEBHOOK_DELIVERIES_TABLE'>,
  delivery: Delivery,
): Promise<void> {
  await sendAlert(context, delivery);
  await replaceDelivery(context, delivery, alerted(delivery, context.newId()));
}

/**
 * Sends the alert, but leaves the delivery unchanged. A resend sends a pending alert first, and then changes the delivery
 * to `pending`.
 */
export async function sendAlert(
  context: Context<'ACTIVITY_LOG_TABLE' | 'RETENTION_DAYS'>,
  delivery: Delivery,
): Promise<void> {
  await enterFailure(context, delivery);
  // No alert is sent for test data, or if the client itself deleted the endpoint.
  if (delivery.attempts.at(-1)?.error === 'endpoint_deleted' || modeOf(delivery.client_id) === 'test') return;
  context.log.error('webhook failed', {
    delivery_id: delivery.delivery_id,
    ...logFieldsOf(delivery),
    attempts: delivery.attempt_number,
    error: delivery.attempts.at(-1)?.error,
  });
}

/**
 * Writes the activity entry for the failure. The entry's id is derived from the attempt and its due time, so a repeat
 * overwrites the same entry.
 */
async function enterFailure(
  context: Context<'ACTIVITY_LOG_TABLE' | 'RETENTION_DAYS'>,
  delivery: Delivery,
): Promise<void> {
  const at = delivery.finished_at ?? delivery.created_at;
  const dueAt = new Date(delivery.attempt_due_at);
  const attempt = String(delivery.attempt_number);
  const id = derivedIdAt('act', dueAt, 'webhook_failed', delivery.delivery_id, attempt);
  await notify(context, 'webhook_failed', id, {
    at,
    summary: `${delivery.event} was not acknowledged after ${attempt} attempts: ${lastError(delivery)}`,
    client_id: delivery.client_id,
    message_id: delivery.message_id,
    delivery_id: delivery.delivery_id,
  });
}

function lastError(delivery: Delivery): string {
  const last = delivery.attempts.at(-1);
  return last?.error_message ?? last?.error?.replaceAll('_', ' ') ?? 'unknown';
}

/** Returns the identifiers that every log line about a delivery contains. */
export function logFieldsOf(delivery: Delivery) {
  const { client_id, message_id, endpoint_id, event } = delivery;
  return { client_id, message_id, endpoint_id, event, origin: originOf(delivery.url) };
}
