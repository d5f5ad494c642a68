/** The batches table: one row for each bulk request. */
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { conditionHolds, tryConditionalWrite } from '../../platform/aws/conditional-write.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import { noteKeyUse } from '../store/idempotency-key-use.dynamo.ts';
import { type Batch, batchSchema } from './batch.ts';
import type { BatchStore } from './batch-store.ts';

export function dynamoBatchStore(
  client: DynamoDBDocumentClient,
  table: { readonly tableName: string; readonly retentionDays: number },
): BatchStore {
  const TableName = table.tableName;

  async function update(batchId: string, update: string, condition: string, values: Record<string, unknown>) {
    return conditionHolds(
      client.send(
        new UpdateCommand({
          TableName,
          Key: { batch_id: batchId },
          UpdateExpression: update,
          ConditionExpression: condition,
          ...(update.includes('#state') || condition.includes('#state')
            ? { ExpressionAttributeNames: { '#state': 'state' } }
            : {}),
          ExpressionAttributeValues: values,
        }),
      ),
    );
  }

  return {
    async create(batch) {
      const creating = await tryConditionalWrite(
        client.send(
          new PutCommand({
            TableName,
            Item: {
              ...batch,
              purge_at: epochSeconds(addDays(new Date(batch.expires_at), table.retentionDays)),
            },
            ConditionExpression: 'attribute_not_exists(batch_id)',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      if (creating.applied) return { created: true };
      const existing = batchSchema.parse(creating.row);
      return existing.stored_by === batch.stored_by ? { created: true } : { created: false, existing };
    },

    async get(batchId): Promise<Batch | undefined> {
      const answer = await client.send(
        new GetCommand({ TableName, Key: { batch_id: batchId }, ConsistentRead: true }),
      );
      return answer.Item === undefined ? undefined : batchSchema.parse(answer.Item);
    },

    noteKeyUse: (batchId, use, at) => noteKeyUse(client, table, { batch_id: batchId }, { use, at }),

    takeOver(batchId, seen, by) {
      return update(
        batchId,
        'SET storing_until = :until, stored_by = :by',
        '#state = :storing AND (stored_by = :by OR (stored_by = :seen AND storing_until = :seen_until))',
        {
          ':until': by.storing_until,
          ':by': by.stored_by,
          ':seen': seen.stored_by,
          ':seen_until': seen.storing_until,
          ':storing': 'storing',
        },
      );
    },

    async markStored(batchId) {
      await update(batchId, 'SET #state = :stored', 'attribute_exists(batch_id)', { ':stored': 'stored' });
    },
  };
}
