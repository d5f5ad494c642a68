/**
 * The operations of administrators on webhooks: show the log (of a client, of one webhook with its attempts, or of failed
 * webhooks), show a client's endpoints and send test events to them, and resend one webhook, or many by a request that the
 * gateway processes.
 */

import { GatewayError } from '../contract/errors.ts';
import type { MessageEventName } from '../contract/webhook-events.ts';
import { isId } from '../platform/ids.ts';
import { readDelivery } from '../webhook/delivery-store.dynamo.ts';
import { webhookEndpointsOf } from '../webhook/endpoint-store.dynamo.ts';
import { type DeliveryLogQuery, deliveryLog, deliveryView } from '../webhook/log/delivery-log.ts';
import {
  type ResendRequest,
  requestResend,
  resendDelivery,
  resendView,
  showResend,
} from '../webhook/log/request-resend.ts';
import { endpointView, sendTestEvent } from '../webhook/manage-endpoints.ts';
import type { DeliverySummary, WebhookEndpointView } from '../webhook/webhook-response.schema.ts';
import { listActivity, retentionRange } from './activity.ts';
import type { AdminContext } from './admin-context.ts';
import { clientIdOf } from './find-client.ts';

/** @param client - its id or name */
export async function listDeliveries(ctx: AdminContext, client: string, query: DeliveryLogQuery) {
  return deliveryLog(ctx, await clientIdOf(ctx, client), query);
}

/** @throws GatewayError `not_found` */
export async function showDelivery(ctx: AdminContext, deliveryId: string) {
  const delivery = isId('whd', deliveryId) ? await readDelivery(ctx, deliveryId) : undefined;
  if (delivery === undefined) throw noSuchWebhook();
  return deliveryView(delivery);
}

const noSuchWebhook = () => new GatewayError('not_found', 'There is no such webhook.');

const entriesPerPage = 100;

/** Returns the webhooks that failed permanently and have not been acknowledged since, latest failure first. */
export async function failedWebhooksOf(ctx: AdminContext, clientId: string, limit: number) {
  const failed = new Map<string, DeliverySummary>();
  let cursor: string | undefined;
  do {
    const page = await listActivity(ctx, {
      kind: 'webhook_failed',
      clientId,
      ...retentionRange(ctx),
      limit: entriesPerPage,
      cursor,
    });
    for (const { delivery } of page.entries) {
      if (delivery?.state === 'failed' && failed.size < limit) failed.set(delivery.delivery_id, delivery);
    }
    cursor = page.next_cursor;
  } while (cursor !== undefined && failed.size < limit);
  return [...failed.values()];
}

export interface EndpointSummary extends WebhookEndpointView {
  /** The time of the first failed attempt since the last success; null if the last attempt succeeded. */
  readonly failing_since: string | null;
}

/**
 * Lists the webhook endpoints that the client manages, oldest first. @param client - its id or name @throws
 * GatewayError if there is no such client.
 */
export async function listEndpoints(ctx: AdminContext, client: string): Promise<readonly EndpointSummary[]> {
  const endpoints = await webhookEndpointsOf(ctx, await clientIdOf(ctx, client));
  return endpoints.map((endpoint) => ({
    ...endpointView(endpoint),
    failing_since: endpoint.failing_since ?? null,
  }));
}

/** Sends a test event to one of the client's endpoints. @throws GatewayError `not_found` or `endpoint_disabled` */
export async function testEndpoint(
  ctx: AdminContext,
  actor: string,
  client: string,
  test: {
    readonly endpointId: string;
    readonly event: MessageEventName | undefined;
  },
) {
  const clientId = await clientIdOf(ctx, client);
  return sendTestEvent(ctx, { ...test, actor, clientId });
}

/** Resends one finished webhook, even if the endpoint acknowledged it. @throws GatewayError `not_found` */
export async function resendWebhook(ctx: AdminContext, actor: string, deliveryId: string) {
  // The id is checked first, because the table also contains rows that are not deliveries.
  const { kind: outcome } = isId('whd', deliveryId)
    ? await resendDelivery(ctx, deliveryId, actor, { evenAcknowledged: true })
    : ({ kind: 'not_found' } as const);
  if (outcome === 'not_found') throw noSuchWebhook();
  return { delivery_id: deliveryId, outcome };
}

/** @throws GatewayError `not_found` or `endpoint_disabled` */
export async function resendMany(ctx: AdminContext, actor: string, client: string, request: ResendRequest) {
  const clientId = await clientIdOf(ctx, client);
  return resendView(await requestResend(ctx, clientId, actor, request));
}

/** @throws GatewayError `not_found` */
export async function showResendMany(ctx: AdminContext, client: string, resendId: string) {
  const clientId = await clientIdOf(ctx, client);
  return resendView(await showResend(ctx, clientId, resendId));
}
