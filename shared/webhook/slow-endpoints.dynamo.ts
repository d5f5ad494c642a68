/**
 * Remembers the slow endpoints: those whose last attempt took longer than a second. Their first attempts use the retry
 * queue, so an endpoint that hangs stops occupying the workers of the first queue after its first timeout.
 *
 * The deliveries table has a row for each slow endpoint: a managed endpoint by its id, a URL by its client and origin. So one
 * client's endpoint never affects another client, nor a slow endpoint another one on the same host. The relay reads the
 * rows. The worker writes a row after a slow attempt, and deletes it after a quick one from the retry queue.
 */
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { batchRead } from '../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { derivedId } from '../platform/ids.ts';
import { type Delivery, originOf } from './delivery.ts';

const slowAfterMs = 1000;
/** The next attempt decides again. An endpoint without one needs no row. */
const keptDays = 1;

/** Returns the deliveries to slow endpoints. */
export async function deliveriesToSlow(
  { db, env }: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  deliveries: readonly Delivery[],
): Promise<ReadonlySet<Delivery>> {
  const keys = [...new Set(deliveries.map(keyOf))].map((delivery_id) => ({ delivery_id }));
  const rows = keys.length === 0 ? [] : await batchRead(db, env.WEBHOOK_DELIVERIES_TABLE, keys);
  const slow = new Set(rows.map(({ delivery_id }) => delivery_id));
  return new Set(deliveries.filter((delivery) => slow.has(keyOf(delivery))));
}

/** Notes how long the endpoint of an attempt took. */
export async function noteResponseTime(
  { db, env, clock }: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  delivery: Delivery,
  tookMs: number,
  isFromRetries: boolean,
): Promise<void> {
  const TableName = env.WEBHOOK_DELIVERIES_TABLE;
  const delivery_id = keyOf(delivery);
  if (tookMs >= slowAfterMs) {
    const Item = { delivery_id, purge_at: epochSeconds(addDays(clock(), keptDays)) };
    await db.send(new PutCommand({ TableName, Item }));
  } else if (isFromRetries) {
    await db.send(new DeleteCommand({ TableName, Key: { delivery_id } }));
  }
}

function keyOf({ client_id, endpoint_id, url }: Delivery): string {
  // A hash, because a key has at most 2048 bytes.
  return `slow#${derivedId('whe', client_id, endpoint_id ?? originOf(url))}`;
}
