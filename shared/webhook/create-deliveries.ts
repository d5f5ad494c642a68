/** Stores deliveries and queues their first attempts. */
import { allEnded } from '../platform/aws/permanent-fault.ts';
import type { Context } from '../platform/context.ts';
import { type Delivery, type NewDelivery, newDelivery } from './delivery.ts';
import { enqueueDeliveries } from './delivery-queue.sqs.ts';
import { storeDelivery } from './delivery-store.dynamo.ts';
import type { deliveriesToSlow } from './slow-endpoints.dynamo.ts';

/** The context of functions that store and queue deliveries. */
export type StoredDeliveries = Context<
  'WEBHOOKS_QUEUE_URL' | 'WEBHOOK_RETRIES_QUEUE_URL' | 'WEBHOOK_DELIVERIES_TABLE' | 'RETENTION_DAYS'
>;

/**
 * Stores the deliveries and queues their ids. Repeating the call is safe: a delivery is stored once for its id, and a
 * further queue message finds no attempt that is due. If a queue message is lost, the due index finds the row.
 *
 * @param slowOf - returns the stored deliveries to slow endpoints; not needed for webhooks of no message, which are few
 * @throws if any part may have failed: the caller repeats the call.
 */
export async function createDeliveries(
  context: StoredDeliveries,
  planned: readonly NewDelivery[],
  slowOf?: typeof deliveriesToSlow,
): Promise<readonly Delivery[]> {
  const { clock, newId, env } = context;
  const wanted = planned.map((given) => newDelivery(given, clock(), env.RETENTION_DAYS, newId()));
  const stored = await allEnded(wanted.map((delivery) => storeDelivery(context, delivery)));
  const slow = await slowOf?.(context, stored);
  await enqueueDeliveries(
    context,
    stored.map((delivery) => ({ delivery, isToSlowEndpoint: slow?.has(delivery) ?? false })),
  );
  return stored;
}
