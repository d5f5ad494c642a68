/** An administrator's view of a client's webhook endpoints and of the log of its webhooks, and resending many of them. */

import { addDays } from '../platform/clock.ts';
import type { WebhookEndpointView } from '../webhook/endpoints/endpoint-response.schema.ts';
import { endpointView } from '../webhook/endpoints/webhook-endpoint.ts';
import { type DeliveryLogQuery, deliveryLog } from '../webhook/log/delivery-log.ts';
import type { DeliveryList } from '../webhook/log/delivery-response.schema.ts';
import { sendTestEvent, type TestRequest } from '../webhook/manage/manage-endpoints.ts';
import { type ResendRequest, requestResend, showResend } from '../webhook/resend/request-resend.ts';
import { resendView } from '../webhook/resend/resend.ts';
import type { ResendView } from '../webhook/resend/resend-response.schema.ts';
import { runResend } from '../webhook/resend/run-resend.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { clientIdOf } from './clients.ts';

export interface EndpointSummary extends WebhookEndpointView {
  /** Of the first failed attempt since the last success; null if the last one succeeded. */
  readonly failing_since: string | null;
}

/**
 * The webhook endpoints that the client manages, the oldest first.
 *
 * @throws GatewayError if there is no such client.
 */
export async function listEndpoints(
  dependencies: AdminDependencies,
  /** Or its name. */
  client: string,
): Promise<readonly EndpointSummary[]> {
  const endpoints = await dependencies.endpoints.list(await clientIdOf(dependencies, client));
  return endpoints.map((endpoint) => ({
    ...endpointView(endpoint),
    failing_since: endpoint.failing_since ?? null,
  }));
}

/** A test event to one of the client's endpoints. @throws GatewayError `not_found` or `endpoint_disabled` */
export async function testEndpoint(
  dependencies: AdminDependencies,
  actor: string,
  client: string,
  test: Pick<TestRequest, 'endpointId' | 'event'>,
): Promise<{ readonly delivery_id: string; readonly endpoint_id: string }> {
  const clientId = await clientIdOf(dependencies, client);
  return sendTestEvent(dependencies.webhookLog, { ...test, actor, clientId });
}

/** @throws GatewayError `not_found` */
export async function deliveriesOf(
  dependencies: AdminDependencies,
  client: string,
  query: DeliveryLogQuery,
): Promise<DeliveryList> {
  return deliveryLog(dependencies.webhookLog, await clientIdOf(dependencies, client), query);
}

/** @throws GatewayError `not_found` or `endpoint_disabled` */
export async function resendMany(
  dependencies: AdminDependencies,
  actor: string,
  client: string,
  request: ResendRequest,
): Promise<ResendView> {
  const clientId = await clientIdOf(dependencies, client);
  return resendView(await requestResend(dependencies.webhookLog, clientId, actor, request));
}

/** @throws GatewayError `not_found` */
export async function showResendMany(
  dependencies: AdminDependencies,
  client: string,
  resendId: string,
): Promise<ResendView> {
  const clientId = await clientIdOf(dependencies, client);
  return resendView(await showResend(dependencies.webhookLog, clientId, resendId));
}

/** Works on the request until it is completed, beside the gateway, which goes on with it if this process ends. */
export async function finishResend(
  dependencies: AdminDependencies,
  begun: ResendView,
  onProgress: (view: ResendView) => void,
): Promise<ResendView> {
  const endsAt = addDays(dependencies.clock(), 1);
  const ended = await runResend(dependencies.webhookLog, begun.resend_id, endsAt, (resend) =>
    onProgress(resendView(resend)),
  );
  return ended === undefined ? begun : resendView(ended);
}
