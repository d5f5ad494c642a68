/**
 * Disables an endpoint that has acknowledged nothing for the days and attempts of `disabledAfter` (contract 12.5).
 *
 * A success costs no write unless failures were counted before; each failure costs one write, up to its number of
 * attempts. The row is read before each attempt anyway. A wrong count after a crash only delays the end: a failure is
 * counted after its outcome is stored, so a repeated attempt counts no failure, and the queue message counts a
 * success again.
 *
 * A failed attempt at which the days are over queues the endpoint with a delay of a quarter of an hour: by then, a success
 * whose worker died has been counted. The worker that receives the message disables the endpoint and sends the notice, which
 * is marked as pending in the row until then. If the worker dies, the queue shows the message again. Repeating it writes the
 * same entry and the same deliveries. If the queue loses the message, the next failed attempt queues another one.
 */
import { notify } from '../../activity/write-activity.dynamo.ts';
import { modeField } from '../../contract/mode.ts';
import { endpointDisabledEvent } from '../../contract/webhook-events.ts';
import { addDays, queueDelayMaxSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { derivedIdAt } from '../../platform/ids.ts';
import type { Attempt } from '../attempt-record.ts';
import { type Delivery, disabledNoticeId } from '../delivery.ts';
import { sendWebhookRetries } from '../delivery-queue.sqs.ts';
import { createDeliveries, type WebhookContext } from '../delivery-store.dynamo.ts';
import {
  addEndpointFailure,
  clearEndpointFailures,
  disableEndpoint,
  noteNoticeSent,
  readEndpoint,
  webhookEndpointsOf,
} from '../endpoint-store.dynamo.ts';
import { receives, type WebhookEndpoint } from '../webhook-endpoint.ts';

const reason = 'no_successful_delivery';

/** An endpoint that has acknowledged nothing for this many days, in at least this many attempts, is disabled. */
export const disabledAfter = { days: 5, attempts: 20 } as const;

/** Longer than a queue shows the message of a success again (`receivesMax`), and than the clocks of two processes differ. */
const disableGraceSeconds = queueDelayMaxSeconds;

/**
 * Counts the result of an attempt for its endpoint. @param endpoint - as it was read before the attempt
 */
export async function countResult(
  context: Context<'WEBHOOK_ENDPOINTS_TABLE' | 'WEBHOOK_RETRIES_QUEUE_URL'>,
  endpoint: WebhookEndpoint,
  { error }: Attempt,
): Promise<void> {
  if (error === undefined) {
    if (endpoint.failing_since !== undefined) await clearEndpointFailures(context, endpoint);
    return;
  }
  const isCounted = (endpoint.failed_attempts ?? 0) >= disabledAfter.attempts;
  const failing = isCounted ? endpoint : await addEndpointFailure(context, endpoint);
  if (failing === undefined || !hasFailedTooLong(failing, context.clock())) return;
  const { client_id: clientId, endpoint_id: failing_endpoint_id } = failing;
  const message = { client_id: clientId, failing_endpoint_id };
  await sendWebhookRetries(context, [{ clientId, message, delaySeconds: disableGraceSeconds }]);
}

/**
 * Counts the success of a delivery whose worker died or failed before it counted: otherwise the endpoint could be
 * disabled in spite of it. The queue delivers the message again.
 */
export async function countSuccessAgain(
  context: Context<'WEBHOOK_ENDPOINTS_TABLE'>,
  { state, client_id, endpoint_id, finished_at = '' }: Delivery,
): Promise<void> {
  if (state !== 'acknowledged' || endpoint_id === undefined) return;
  const endpoint = await readEndpoint(context, client_id, endpoint_id);
  const { failing_since } = endpoint ?? {};
  if (endpoint !== undefined && failing_since !== undefined && failing_since < finished_at)
    await clearEndpointFailures(context, endpoint);
}

function hasFailedTooLong({ failing_since, failed_attempts = 0 }: WebhookEndpoint, now: Date): boolean {
  if (failing_since === undefined || failed_attempts < disabledAfter.attempts) return false;
  return addDays(new Date(failing_since), disabledAfter.days) <= now;
}

/** Disables an endpoint that has still acknowledged nothing, and sends the notice if it is pending. */
export async function disableIfFailing(
  context: WebhookContext,
  clientId: string,
  endpointId: string,
): Promise<void> {
  const endpoint = await readEndpoint(context, clientId, endpointId);
  if (endpoint === undefined) return;
  const now = context.clock();
  const isFailing = endpoint.enabled && hasFailedTooLong(endpoint, now);
  const disabled = isFailing
    ? await disableEndpoint(context, endpoint, {
        disabled_at: now.toISOString(),
        disabled_reason: reason,
        revision: context.newId(),
      })
    : endpoint;
  if (disabled?.notice_pending) await reportDisabled(context, disabled);
}

/** Writes the entry in the activity log, and sends the event to the client's other endpoints. */
export async function reportDisabled(context: WebhookContext, endpoint: WebhookEndpoint): Promise<void> {
  const { client_id, endpoint_id, url, disabled_at, disabled_reason } = endpoint;
  if (disabled_at === undefined) return;
  const id = derivedIdAt('act', new Date(disabled_at), endpointDisabledEvent, endpoint_id);
  await notify(context, 'webhook_endpoint_disabled', id, {
    at: disabled_at,
    summary: `The webhook endpoint ${endpoint_id} was disabled: no successful delivery for ${disabledAfter.days} days`,
    client_id,
    after: { endpoint_id, url, enabled: false },
  });
  const body = JSON.stringify({
    event: endpointDisabledEvent,
    timestamp: disabled_at,
    data: { endpoint_id, url, disabled_at, reason: disabled_reason, client_id, ...modeField(client_id) },
  });
  const others = await webhookEndpointsOf(context, client_id);
  const notices = others
    .filter((one) => receives(one, endpointDisabledEvent))
    .map((other) => ({
      delivery_id: disabledNoticeId({ endpointId: endpoint_id, at: disabled_at }, other.endpoint_id),
      client_id,
      endpoint_id: other.endpoint_id,
      event: endpointDisabledEvent,
      url: other.url,
      body,
    }));
  await createDeliveries(context, notices);
  await noteNoticeSent(context, endpoint);
}
