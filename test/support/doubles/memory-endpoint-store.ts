/** Webhook endpoints in memory; passes the same tests as the table. */
import type { EndpointResults, EndpointStore } from '../../../shared/webhook/endpoints/endpoint-store.ts';
import { endpointsMax, type WebhookEndpoint } from '../../../shared/webhook/endpoints/webhook-endpoint.ts';

export function memoryEndpointStore(): EndpointStore & EndpointResults {
  const rows = new Map<string, WebhookEndpoint>();
  const keyOf = (clientId: string, endpointId: string) => `${clientId} ${endpointId}`;
  const ofClient = (clientId: string) =>
    [...rows.values()]
      .filter(({ client_id }) => client_id === clientId)
      .toSorted((one, other) => one.endpoint_id.localeCompare(other.endpoint_id));

  /** Writes what `next` makes of the row if the row is there and `holds`. */
  function update(
    { client_id, endpoint_id }: WebhookEndpoint,
    holds: (row: WebhookEndpoint) => boolean,
    next: (row: WebhookEndpoint) => WebhookEndpoint,
  ): WebhookEndpoint | undefined {
    const row = rows.get(keyOf(client_id, endpoint_id));
    if (row === undefined || !holds(row)) return undefined;
    const written = next(row);
    rows.set(keyOf(client_id, endpoint_id), written);
    return written;
  }

  return {
    async addFailure(endpoint, at) {
      return update(
        endpoint,
        ({ enabled }) => enabled,
        (row) => ({
          ...row,
          failing_since: row.failing_since ?? at.toISOString(),
          failed_attempts: (row.failed_attempts ?? 0) + 1,
        }),
      );
    },
    async clearFailures(endpoint) {
      update(
        endpoint,
        ({ enabled }) => enabled,
        ({ failing_since: _since, failed_attempts: _attempts, ...row }) => row,
      );
    },
    async disable(failing, by) {
      return update(
        failing,
        ({ enabled, failing_since }) => enabled && failing_since === failing.failing_since,
        (row) => ({ ...row, ...by, enabled: false, notice_pending: true }),
      );
    },
    async noticeSent(endpoint) {
      update(
        endpoint,
        ({ disabled_at }) => disabled_at === endpoint.disabled_at,
        ({ notice_pending: _pending, ...row }) => row,
      );
    },
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
      const { failing_since, failed_attempts } = row;
      const isCounted = failing_since !== undefined && failed_attempts !== undefined;
      // A change only removes what the worker counted.
      const counted = isCounted && next.failing_since !== undefined ? { failing_since, failed_attempts } : {};
      rows.set(key, { ...next, ...counted });
      return true;
    },
    async delete(clientId, endpointId) {
      return rows.delete(keyOf(clientId, endpointId));
    },
  };
}
