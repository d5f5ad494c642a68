/**
 * The rows of the webhook-deliveries table: deliveries, resends of many webhooks, and slow endpoints. Every write of a
 * delivery or a resend is conditional on the revision that was read. If the SDK repeats a write after a lost response, the
 * repeat recognizes its own revision in the row.
 *
 * Two indexes list the deliveries of a client by time: one lists all of them, the other those that failed and have not been
 * acknowledged since. The indexes contain only keys, so a state change writes to an index only at a failure, and at an
 * acknowledgement after a failure. Each client has several partitions, because a partition takes 1,000 writes a second.
 *
 * An endpoint is slow if its last attempt took longer than a second. First attempts to a slow endpoint use the retry queue, as
 * do all attempts to an endpoint with a long time limit.
 * An endpoint that hangs therefore occupies the workers of the first queue only until its first timeout. Each row is for a
 * managed endpoint (by its id), or for a URL (by its client and origin). A slow endpoint therefore never affects another
 * client, or another endpoint on the same host. The relay reads the rows. The worker writes the row after a slow attempt,
 * and deletes it after a quick attempt from the retry queue.
 */
import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalPut } from '../platform/aws/conditional-write.dynamo.ts';
import { allEnded } from '../platform/aws/permanent-fault.ts';
import {
  batchRead,
  type ReadOptions,
  readableRows,
  readRowShared,
} from '../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { derivedId, shardOf } from '../platform/ids.ts';
import {
  type Delivery,
  deliverySchema,
  listPositionOf,
  type NewDelivery,
  newDelivery,
  originOf,
} from './delivery.ts';
import { enqueueDeliveries } from './delivery-queue.sqs.ts';

/** The context of functions that store and queue deliveries. */
export type StoredDeliveries = Context<
  'WEBHOOKS_QUEUE_URL' | 'WEBHOOK_RETRIES_QUEUE_URL' | 'WEBHOOK_DELIVERIES_TABLE' | 'RETENTION_DAYS'
>;

/** The context of the log of webhooks and of resends. */
export type WebhookContext = StoredDeliveries & Context<'WEBHOOK_ENDPOINTS_TABLE' | 'ACTIVITY_LOG_TABLE'>;

/**
 * Stores the deliveries and queues the ids of those that are not skipped. A delivery is stored once for its id, and a second queue message finds no
 * attempt that is due, so the call can be repeated. If a queue message is lost, the due index finds the row.
 *
 * @param slowOf - returns those of the stored deliveries that go to slow endpoints; not needed for webhooks that belong to
 * no message
 * @throws if any part may have failed, so that the caller repeats the call.
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
    stored
      .map((delivery, index) => ({
        delivery,
        isToSlowEndpoint: planned[index]?.hasLongTimeout === true || slow?.has(delivery) === true,
      }))
      .filter(({ delivery }) => delivery.state !== 'skipped'),
  );
  return stored;
}

/** Stores the delivery unless its id exists, and returns the stored row. The call can be repeated. */
export async function storeDelivery(
  context: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  delivery: Delivery,
): Promise<Delivery> {
  const stored = await storeRow(context, { ...delivery, ...deliveryKeysOf(delivery) });
  return stored === undefined ? delivery : deliverySchema.parse(stored);
}

/** Reads consistently. */
export function readDelivery(
  context: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  deliveryId: string,
): Promise<Delivery | undefined> {
  const { db, env } = context;
  return readRowShared(db, deliverySchema, env.WEBHOOK_DELIVERIES_TABLE, { delivery_id: deliveryId });
}

/**
 * Replaces the row with `next` if it is still `seen`. Returns false if another write came first. The call can be repeated.
 */
export function replaceDelivery(
  context: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  seen: Delivery,
  next: Delivery,
): Promise<boolean> {
  return replaceRow(context, seen, { ...next, ...deliveryKeysOf(next) });
}

/** Returns the rows that exist and are valid, in no particular order. */
export async function readDeliveries(
  { db, env }: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  deliveryIds: readonly string[],
  { consistent }: ReadOptions = { consistent: true },
): Promise<readonly Delivery[]> {
  const keys = [...new Set(deliveryIds)].map((delivery_id) => ({ delivery_id }));
  const rows = await batchRead(db, env.WEBHOOK_DELIVERIES_TABLE, keys, { ConsistentRead: consistent });
  return readableRows(deliverySchema, rows, 'delivery_id');
}

/** A range of positions in the list of a client's deliveries, without both ends. */
interface DeliveryRange {
  readonly clientId: string;
  /** True for the deliveries that failed and have not been acknowledged since. */
  readonly failed: boolean;
  readonly after: string;
  readonly before: string;
  readonly order: 'newest first' | 'oldest first';
  readonly limit: number;
}

const listShards = 4;
/** `list_at` is the delivery's position in the list of its client. */
const indexRow = z.object({ delivery_id: z.string(), list_at: z.string() });

/** Returns the next keys of the list; fewer than `limit` at the end of the list. The read is eventually consistent. */
export async function listDeliveryKeys(context: Context<'WEBHOOK_DELIVERIES_TABLE'>, range: DeliveryRange) {
  // DynamoDB rejects a range whose end is before its start.
  if (range.before < range.after) return [];
  const shards = Array.from({ length: listShards }, (_, shard) => keysInShard(context, shard, range));
  const sorted = (await Promise.all(shards))
    .flat()
    .toSorted((one, other) => (one.list_at < other.list_at ? -1 : 1));
  return (range.order === 'oldest first' ? sorted : sorted.toReversed()).slice(0, range.limit);
}

async function keysInShard(
  { db, env }: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  shard: number,
  { clientId, failed, after, before, order, limit }: DeliveryRange,
) {
  const { Items = [] } = await db.send(
    new QueryCommand({
      TableName: env.WEBHOOK_DELIVERIES_TABLE,
      IndexName: failed ? 'failed-by-client' : 'by-client',
      KeyConditionExpression: `${failed ? 'failed_key' : 'list_key'} = :key AND list_at BETWEEN :after AND :before`,
      ExpressionAttributeValues: { ':key': listKey(clientId, shard), ':after': after, ':before': before },
      ScanIndexForward: order === 'oldest first',
      // BETWEEN also returns the last row of the previous page.
      Limit: limit + 1,
    }),
  );
  return Items.map((item) => indexRow.parse(item)).filter(
    ({ list_at }) => list_at !== after && list_at !== before,
  );
}

/** Returns the keys of a row in the table and in its indexes. */
export function deliveryKeysOf(delivery: Delivery) {
  const { delivery_id, client_id, state } = delivery;
  const list_key = listKey(client_id, shardOf(delivery_id, listShards));
  const failed_key = state === 'failed' ? list_key : delivery.failed_key;
  return {
    ...{ delivery_id, list_key, list_at: listPositionOf(delivery) },
    failed_key: state === 'acknowledged' ? undefined : failed_key,
  };
}

function listKey(clientId: string, shard: number): string {
  return `${clientId}#${shard}`;
}

export function consistentRead({ env }: Context<'WEBHOOK_DELIVERIES_TABLE'>, delivery_id: string) {
  return { TableName: env.WEBHOOK_DELIVERIES_TABLE, Key: { delivery_id }, ConsistentRead: true };
}

/** Returns the existing row with the same id, or undefined if the new row was stored. */
export async function storeRow(
  { db, env }: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  Item: Record<string, unknown>,
) {
  const creating = await conditionalPut(db, {
    TableName: env.WEBHOOK_DELIVERIES_TABLE,
    Item,
    ConditionExpression: 'attribute_not_exists(delivery_id)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return creating.applied ? undefined : creating.row;
}

export async function replaceRow(
  { db, env }: Context<'WEBHOOK_DELIVERIES_TABLE'>,
  seen: { readonly revision: string },
  Item: Record<string, unknown>,
): Promise<boolean> {
  const replacing = await conditionalPut(db, {
    TableName: env.WEBHOOK_DELIVERIES_TABLE,
    Item,
    ConditionExpression: 'revision = :seen',
    ExpressionAttributeValues: { ':seen': seen.revision },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return replacing.applied || replacing.row?.revision === Item.revision;
}

const slowAfterMs = 1000;

/** The row of a slow endpoint expires after this time without attempts. */
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

/** Records whether the endpoint of an attempt was slow. */
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
  // The key contains a hash, because a key has at most 2,048 bytes.
  return `slow#${derivedId('whe', client_id, endpoint_id ?? originOf(url))}`;
}
