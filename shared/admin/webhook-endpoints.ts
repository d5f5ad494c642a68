/** An administrator's view of a client's webhook endpoints, and test events to them. */
import { endpointView, sendTestEvent, type TestRequest } from '../webhook/endpoints/manage-endpoints.ts';
import type { WebhookEndpointView } from '../webhook/webhook-response.schema.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { clientIdOf } from './find-client.ts';

export interface EndpointSummary extends WebhookEndpointView {
  /** The time of the first failed attempt since the last success; null if the last one succeeded. */
  readonly failing_since: string | null;
}

/**
 * The webhook endpoints that the client manages, the oldest first.
 *
 * @param client - its id or name
 * @throws GatewayError if there is no such client.
 */
export async function listEndpoints(
  dependencies: AdminDependencies,
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
