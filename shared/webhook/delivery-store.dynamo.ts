/**
 * The rows of the webhook-deliveries table: deliveries, and requests to resend many. Every write is conditional on the
 * revision that was read. A write that the SDK repeats after a lost response recognizes its revision in the row.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import { conditionalPut } from '../platform/aws/conditional-write.dynamo.ts';
import { batchRead, type ReadOptions, readableRows, readRow } from '../platform/aws/read-rows.dynamo.ts';
import { type Delivery, deliverySchema } from './delivery.ts';
import { resendSchema } from './log/resend.ts';

export type DeliveryStore = ReturnType<typeof dynamoDeliveryStore>;

export function dynamoDeliveryStore(client: DynamoDBDocumentClient, tableName: string) {
  return {
    ...dynamoRevisedRows(client, tableName, deliverySchema, ({ delivery_id }) => delivery_id),

    /** Returns the rows that exist and are valid, unordered. */
    async getMany(deliveryIds: readonly string[], options?: ReadOptions): Promise<readonly Delivery[]> {
      const keys = [...new Set(deliveryIds)].map((id) => ({ delivery_id: id }));
      const rows = await batchRead(client, tableName, keys, { ConsistentRead: options?.consistent ?? true });
      return readableRows(deliverySchema, rows, 'delivery_id');
    },
  };
}

/**
 * Reads and writes rows with a revision that changes with each write. @param idOf - the row's primary key,
 * `delivery_id`
 */
function dynamoRevisedRows<Row extends { readonly revision: string }>(
  client: DynamoDBDocumentClient,
  TableName: string,
  schema: z.ZodMiniType<Row>,
  idOf: (row: Row) => string,
) {
  return {
    /** Stores the row unless its id exists; returns the stored row. Repeating the call is safe. */
    async create(row: Row): Promise<Row> {
      const creating = await conditionalPut(client, {
        TableName,
        Item: { ...row, delivery_id: idOf(row) },
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
        Item: { ...next, delivery_id: idOf(next) },
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
  return dynamoRevisedRows(client, tableName, resendSchema, ({ resend_id }) => resend_id);
}
