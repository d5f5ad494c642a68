/**
 * Disables an endpoint that has acknowledged no webhook for the days and attempts in `disabledAfter`, or that answered 410
 * (contract 12.5).
 *
 * A success needs no write, unless failures were counted before. Each failure needs one write, until
 * `disabledAfter.attempts` failures are counted. A failure is counted after its outcome is stored: a crash can lose a
 * failure, which delays the disabling, but cannot count it twice. If the queue message of a success is received again, the
 * success is counted again.
 *
 * After `disabledAfter.days`, a failed attempt queues the endpoint with a delay of 15 minutes. A success whose worker died
 * is counted within these 15 minutes. The worker that receives the message disables the endpoint and sends the notice. The
 * row marks the notice as pending until it is sent. If the worker dies, the queue shows the message again. The repeat
 * writes the same entry and the same deliveries. If the queue loses the message, the next failed attempt queues another
 * one.
 *
 * A 410 queues the endpoint without a delay, with the revision that was read before the attempt. If the client has changed
 * the endpoint since, the 410 is not about the present endpoint, so it stays enabled.
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
import { hasLongTimeout, receives, type WebhookEndpoint } from '../webhook-endpoint.ts';

/** An endpoint is disabled if it has acknowledged no webhook for this many days and at least this many attempts. */
export const disabledAfter = { days: 5, attempts: 20 } as const;

/**
 * This delay must exceed the time in which the queue repeats the message of a success (`receivesMax`), and the difference
 * between the clocks of two processes.
 */
const disableGraceSeconds = queueDelayMaxSeconds;

/** Counts the result of an attempt for its endpoint. @param endpoint - the row as read before the attempt */
export async function countResult(
  context: Context<'WEBHOOK_ENDPOINTS_TABLE' | 'WEBHOOK_RETRIES_QUEUE_URL'>,
  endpoint: WebhookEndpoint,
  { error, status }: Attempt,
): Promise<void> {
  if (error === undefined) {
    if (endpoint.failing_since !== undefined) await clearEndpointFailures(context, endpoint);
    return;
  }
  const { client_id: clientId, endpoint_id: failing_endpoint_id, revision } = endpoint;
  const message = { client_id: clientId, failing_endpoint_id };
  if (status === 410) {
    await sendWebhookRetries(context, [
      { clientId, message: { ...message, gone: revision }, delaySeconds: 0 },
    ]);
    return;
  }
  const isCounted = (endpoint.failed_attempts ?? 0) >= disabledAfter.attempts;
  const failing = isCounted ? endpoint : await addEndpointFailure(context, endpoint);
  if (failing === undefined || !hasFailedTooLong(failing, context.clock())) return;
  await sendWebhookRetries(context, [{ clientId, message, delaySeconds: disableGraceSeconds }]);
}

/**
 * Counts the success of a delivery again, in case its worker died or failed before it counted the success. Otherwise the
 * endpoint could be disabled despite the success.
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

/**
 * Disables an endpoint that still has had no success, or that answered 410, and sends a pending notice.
 *
 * @param gone - the revision of the endpoint that answered 410
 */
export async function disableIfFailing(
  context: WebhookContext,
  clientId: string,
  endpointId: string,
  gone?: string,
): Promise<void> {
  const endpoint = await readEndpoint(context, clientId, endpointId);
  if (endpoint === undefined) return;
  const now = context.clock();
  const isFailing = gone === undefined ? hasFailedTooLong(endpoint, now) : endpoint.revision === gone;
  const disabled =
    endpoint.enabled && isFailing
      ? await disableEndpoint(context, endpoint, {
          disabled_at: now.toISOString(),
          disabled_reason: gone === undefined ? 'no_successful_delivery' : 'gone',
          revision: context.newId(),
        })
      : endpoint;
  if (disabled?.notice_pending) await reportDisabled(context, disabled);
}

/** Writes the entry in the activity log, and sends the event to the client's other endpoints. */
export async function reportDisabled(context: WebhookContext, endpoint: WebhookEndpoint): Promise<void> {
  const { client_id, endpoint_id, url, disabled_at, disabled_reason } = endpoint;
  if (disabled_at === undefined) return;
  const cause =
    disabled_reason === 'gone'
      ? 'it answered with status 410'
      : `no successful delivery for ${disabledAfter.days} days`;
  const id = derivedIdAt('act', new Date(disabled_at), endpointDisabledEvent, endpoint_id);
  await notify(context, 'webhook_endpoint_disabled', id, {
    at: disabled_at,
    summary: `The webhook endpoint ${endpoint_id} was disabled: ${cause}`,
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
      hasLongTimeout: hasLongTimeout(other),
    }));
  await createDeliveries(context, notices);
  await noteNoticeSent(context, endpoint);
}
