/** Webhook endpoints in memory; passes the same tests as the table. */
import type { EndpointStore } from '../../../shared/webhook/endpoints/endpoint-store.ts';
import { endpointsMax, type WebhookEndpoint } from '../../../shared/webhook/endpoints/webhook-endpoint.ts';

export function memoryEndpointStore(): EndpointStore {
  const rows = new Map<string, WebhookEndpoint>();
  const keyOf = (clientId: string, endpointId: string) => `${clientId} ${endpointId}`;
  const ofClient = (clientId: string) =>
    [...rows.values()]
      .filter(({ client_id }) => client_id === clientId)
      .toSorted((one, other) => one.endpoint_id.localeCompare(other.endpoint_id));

  return {
    async list(clientId) {
      return ofClient(clientId);
    },
    async get(clientId, endpointId) {
      return rows.get(keyOf(clientId, endpointId));
    },
    async create(endpoint) {
      if (ofClient(endpoint.client_id).length >= endpointsMax) return false;
      rows.set(keyOf(endpoint.client_id, endpoint.endpoint_id), endpoint);
      return true;
    },
    async replace(seen, next) {
      const key = keyOf(seen.client_id, seen.endpoint_id);
      const row = rows.get(key);
      if (row?.revision === next.revision) return true;
      if (row?.revision !== seen.revision) return false;
      rows.set(key, next);
      return true;
    },
    async delete(clientId, endpointId) {
      return rows.delete(keyOf(clientId, endpointId));
    },
  };
}
