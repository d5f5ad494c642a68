/** The batches table: one row for each bulk request. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { conditionalPut, conditionalUpdate } from '../../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import { noteKeyUse } from '../store/idempotency-key-use.dynamo.ts';
import { type BatchStore, batchSchema } from './batch.ts';

export function dynamoBatchStore(
  client: DynamoDBDocumentClient,
  table: { readonly tableName: string; readonly retentionDays: number },
): BatchStore {
  const TableName = table.tableName;

  return {
    async create(batch) {
      const creating = await conditionalPut(client, {
        TableName,
        Item: {
          ...batch,
          purge_at: epochSeconds(addDays(new Date(batch.expires_at), table.retentionDays)),
        },
        ConditionExpression: 'attribute_not_exists(batch_id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      if (creating.applied) return { created: true };
      const existing = batchSchema.parse(creating.row);
      return existing.stored_by === batch.stored_by ? { created: true } : { created: false, existing };
    },

    get: (batchId) =>
      readRow(client, batchSchema, { TableName, Key: { batch_id: batchId }, ConsistentRead: true }),

    noteKeyUse: (batchId, use, at) => noteKeyUse(client, table, { batch_id: batchId }, { use, at }),

    async takeOver(batchId, seen, by) {
      const { applied } = await conditionalUpdate(client, {
        TableName,
        Key: { batch_id: batchId },
        UpdateExpression: 'SET storing_until = :until, stored_by = :by',
        ConditionExpression:
          '#state = :storing AND (stored_by = :by OR (stored_by = :seen AND storing_until = :seen_until))',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: {
          ':until': by.storing_until,
          ':by': by.stored_by,
          ':seen': seen.stored_by,
          ':seen_until': seen.storing_until,
          ':storing': 'storing',
        },
      });
      return applied;
    },

    async markStored(batchId) {
      await conditionalUpdate(client, {
        TableName,
        Key: { batch_id: batchId },
        UpdateExpression: 'SET #state = :stored',
        ConditionExpression: 'attribute_exists(batch_id)',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':stored': 'stored' },
      });
    },
  };
}
