/**
 * The rows of the webhook-deliveries table: deliveries, and requests to resend many. Every write is conditional on the
 * revision that was read. A write that the SDK repeats after a lost response recognizes its revision in the row.
 *
 * Two indexes list the deliveries of a client by time: all of them, and those that failed and have not been
 * acknowledged since. They contain only keys, so a change of state writes to no index, except at a failure and at the
 * acknowledgement after it. Each client has several partitions, because a partition takes 1,000 writes a second.
 */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalPut } from '../platform/aws/conditional-write.dynamo.ts';
import { batchRead, type ReadOptions, readableRows, readRow } from '../platform/aws/read-rows.dynamo.ts';
import { shardOf } from '../platform/ids.ts';
import { type Delivery, deliverySchema, listPositionOf } from './delivery.ts';
import { resendSchema } from './log/resend.ts';

export type DeliveryStore = ReturnType<typeof dynamoDeliveryStore>;

/** A part of the list of a client's deliveries, by their positions; both ends are exclusive. */
interface DeliveryRange {
  readonly clientId: string;
  /** True for the deliveries that failed and have not been acknowledged since. */
  readonly failed: boolean;
  readonly after: string;
  readonly before: string;
  readonly order: 'newest first' | 'oldest first';
  readonly limit: number;
}

interface ListedDelivery {
  readonly delivery_id: string;
  /** The position in the list. */
  readonly list_at: string;
}

const listShards = 4;
const indexRow = z.object({ delivery_id: z.string(), list_at: z.string() });

export function dynamoDeliveryStore(client: DynamoDBDocumentClient, TableName: string) {
  async function partOf(
    shard: number,
    { clientId, failed, after, before, order, limit }: DeliveryRange,
  ): Promise<readonly ListedDelivery[]> {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: failed ? 'failed-by-client' : 'by-client',
        KeyConditionExpression: `${failed ? 'failed_key' : 'list_key'} = :key AND list_at BETWEEN :after AND :before`,
        ExpressionAttributeValues: { ':key': listKey(clientId, shard), ':after': after, ':before': before },
        ScanIndexForward: order === 'oldest first',
        // BETWEEN includes the end that the page before has shown.
        Limit: limit + 1,
      }),
    );
    return Items.map((item) => indexRow.parse(item)).filter(
      ({ list_at }) => list_at !== after && list_at !== before,
    );
  }

  return {
    ...dynamoRevisedRows(client, TableName, deliverySchema, keysOf),

    /** Returns the rows that exist and are valid, unordered. */
    async getMany(deliveryIds: readonly string[], options?: ReadOptions): Promise<readonly Delivery[]> {
      const keys = [...new Set(deliveryIds)].map((id) => ({ delivery_id: id }));
      const rows = await batchRead(client, TableName, keys, { ConsistentRead: options?.consistent ?? true });
      return readableRows(deliverySchema, rows, 'delivery_id');
    },

    /** Returns the next keys of the list, fewer than `limit` at its end. Eventually consistent. */
    async list(range: DeliveryRange): Promise<readonly ListedDelivery[]> {
      // DynamoDB rejects a range whose end is before its start.
      if (range.before < range.after) return [];
      const shards = Array.from({ length: listShards }, (_, shard) => partOf(shard, range));
      const sorted = (await Promise.all(shards))
        .flat()
        .toSorted((one, other) => (one.list_at < other.list_at ? -1 : 1));
      return (range.order === 'oldest first' ? sorted : sorted.toReversed()).slice(0, range.limit);
    },
  };
}

/** Returns the keys of a row, also those of the indexes. */
export function keysOf(delivery: Delivery) {
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

/** Reads and writes rows with a revision that changes with each write. @param keysOf - the keys of the row */
function dynamoRevisedRows<Row extends { readonly revision: string }>(
  client: DynamoDBDocumentClient,
  TableName: string,
  schema: z.ZodMiniType<Row>,
  keysOf: (row: Row) => Readonly<Record<string, string | undefined>>,
) {
  return {
    /** Stores the row unless its id exists; returns the stored row. Repeating the call is safe. */
    async create(row: Row): Promise<Row> {
      const creating = await conditionalPut(client, {
        TableName,
        Item: { ...row, ...keysOf(row) },
        ConditionExpression: 'attribute_not_exists(delivery_id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      return creating.applied ? row : schema.parse(creating.row);
    },

    /** Reads consistently. */
    get: (id: string): Promise<Row | undefined> =>
      readRow(client, schema, { TableName, Key: { delivery_id: id }, ConsistentRead: true }),

    /** Writes `next` if the row is still `seen`; false if another write came first. Repeating the call is safe. */
    async replace(seen: Row, next: Row): Promise<boolean> {
      const replacing = await conditionalPut(client, {
        TableName,
        Item: { ...next, ...keysOf(next) },
        ConditionExpression: 'revision = :seen',
        ExpressionAttributeValues: { ':seen': seen.revision },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      return replacing.applied || replacing.row?.revision === next.revision;
    },
  };
}

/** A request has its id in the place of a delivery's. */
export type ResendStore = ReturnType<typeof dynamoResendStore>;

export function dynamoResendStore(client: DynamoDBDocumentClient, tableName: string) {
  return dynamoRevisedRows(client, tableName, resendSchema, ({ resend_id }) => ({ delivery_id: resend_id }));
}
