/** A webhook endpoint as clients, administrators and the activity log see it. */
import { fromArns } from '../aws-destination/aws-destination.ts';
import type { WebhookEndpointView } from './endpoint-response.schema.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

type Settings = Omit<WebhookEndpointView, 'endpoint_id' | 'created_at' | 'disabled_at' | 'disabled_reason'>;

/** The settings of an endpoint, as answers and the activity log show them. */
export function settingsOf({ url, role_arn, events, description, enabled }: WebhookEndpoint): Settings {
  const destination = role_arn === undefined ? { url } : fromArns(url, role_arn);
  return { ...destination, events: events ?? null, description: description ?? null, enabled };
}

/** An endpoint as its client sees it. */
export function endpointView(endpoint: WebhookEndpoint): WebhookEndpointView {
  const { endpoint_id, created_at, disabled_at = null, disabled_reason = null } = endpoint;
  return { endpoint_id, ...settingsOf(endpoint), created_at, disabled_at, disabled_reason };
}
