/** An administrator's view of the log of webhooks: a client's, one with its attempts, and those that failed. */
import { GatewayError } from '../contract/errors.ts';
import { isId } from '../platform/ids.ts';
import { type DeliveryLogQuery, deliveryLog, deliveryView } from '../webhook/log/delivery-log.ts';
import type { DeliveryList, DeliverySummary, DeliveryView } from '../webhook/webhook-response.schema.ts';
import { listActivity, retentionRange } from './activity.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { clientIdOf } from './find-client.ts';

/** @param client - its id or name */
export async function listDeliveries(
  dependencies: AdminDependencies,
  client: string,
  query: DeliveryLogQuery,
): Promise<DeliveryList> {
  return deliveryLog(dependencies.webhookLog, await clientIdOf(dependencies, client), query);
}

/** @throws GatewayError `not_found` */
export async function showDelivery(
  dependencies: AdminDependencies,
  deliveryId: string,
): Promise<DeliveryView> {
  const delivery = isId('whd', deliveryId) ? await dependencies.deliveries.get(deliveryId) : undefined;
  if (delivery === undefined) throw new GatewayError('not_found', 'There is no such webhook.');
  return deliveryView(delivery);
}

const entriesPerPage = 100;

/**
 * Webhooks that failed for good and have not been acknowledged since, the latest failure first.
 *
 * @throws GatewayError if there is no such client.
 */
export async function failedWebhooks(
  dependencies: AdminDependencies,
  of: { /** Or its name. */ readonly clientId?: string | undefined; readonly limit: number },
): Promise<readonly DeliverySummary[]> {
  const clientId = of.clientId === undefined ? undefined : await clientIdOf(dependencies, of.clientId);
  return failedWebhooksOf(dependencies, clientId, of.limit);
}

/** The same, of a client by its id, or of all. */
export async function failedWebhooksOf(
  dependencies: Pick<AdminDependencies, 'activity' | 'deliveries' | 'clock' | 'retentionDays'> &
    Partial<Pick<AdminDependencies, 'mode'>>,
  clientId: string | undefined,
  limit: number,
): Promise<readonly DeliverySummary[]> {
  const failed = new Map<string, DeliverySummary>();
  let cursor: string | undefined;
  do {
    const page = await listActivity(dependencies, {
      kind: 'webhook_failed',
      clientId,
      ...retentionRange(dependencies),
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
