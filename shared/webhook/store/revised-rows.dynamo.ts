/**
 * Rows of the webhook-deliveries table, each with a revision that changes with each write. A write that the SDK repeats
 * after a lost response recognizes its revision in the row.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import { conditionalPut } from '../../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../../platform/aws/read-rows.dynamo.ts';
import type { RevisedRows } from './delivery-store.ts';

/** @param idOf - the row's primary key, `delivery_id` */
export function dynamoRevisedRows<Row extends { readonly revision: string }>(
  client: DynamoDBDocumentClient,
  TableName: string,
  schema: z.ZodMiniType<Row>,
  idOf: (row: Row) => string,
): RevisedRows<Row> {
  return {
    async create(row) {
      const creating = await conditionalPut(client, {
        TableName,
        Item: { ...row, delivery_id: idOf(row) },
        ConditionExpression: 'attribute_not_exists(delivery_id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      return creating.applied ? row : schema.parse(creating.row);
    },

    get: (id) => readRow(client, schema, { TableName, Key: { delivery_id: id }, ConsistentRead: true }),

    async replace(seen, next) {
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
