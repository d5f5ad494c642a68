/** A webhook endpoint for tests. */
import type { WebhookEndpoint } from '../../../shared/webhook/webhook-endpoint.ts';
import { created } from '../message/example-message.ts';

export function anEndpoint(more: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  return {
    client_id: 'client-a',
    endpoint_id: 'whe_01KAG00000000000000000000A',
    url: 'https://endpoint.example.com/events',
    enabled: true,
    created_at: created.toISOString(),
    revision: 'first',
    ...more,
  };
}
