/** The batches table: one row for each bulk request. */
import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { addSeconds, epochSeconds } from '../clock.ts';
import { type Batch, rowErrors } from './batch.ts';
import type { BatchStore } from './batch-store.ts';

const batchRow = z.object({
  batch_id: z.string(),
  client_id: z.string(),
  state: z.enum(['storing', 'stored']),
  storing_until: z.iso.datetime(),
  total: z.number().int(),
  accepted: z.number().int(),
  errors: z.array(
    z.object({
      index: z.number().int(),
      to: z.string().nullable(),
      error: z.enum(rowErrors),
      message: z.string(),
    }),
  ),
  created_at: z.iso.datetime(),
  request_hash: z.string().exactOptional(),
  key_use: z.number().int().exactOptional(),
});

export function dynamoBatchStore(
  client: DynamoDBDocumentClient,
  table: { readonly tableName: string; readonly retentionDays: number },
): BatchStore {
  const TableName = table.tableName;
  const purgeAt = (from: string): number =>
    epochSeconds(addSeconds(new Date(from), (table.retentionDays + 10) * 86_400));

  async function update(batchId: string, update: string, condition: string, values: Record<string, unknown>) {
    try {
      await client.send(
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
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  return {
    async create(batch) {
      try {
        await client.send(
          new PutCommand({
            TableName,
            Item: { ...batch, purge_at: purgeAt(batch.created_at) },
            ConditionExpression: 'attribute_not_exists(batch_id)',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return { created: true };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException) || error.Item === undefined) throw error;
        const existing = batchRow.parse(unmarshall(error.Item as Record<string, AttributeValue>));
        return { created: false, existing };
      }
    },

    async get(batchId): Promise<Batch | undefined> {
      const answer = await client.send(
        new GetCommand({ TableName, Key: { batch_id: batchId }, ConsistentRead: true }),
      );
      return answer.Item === undefined ? undefined : batchRow.parse(answer.Item);
    },

    noteKeyUse(batchId, use, at) {
      return update(batchId, 'SET key_use = :use, purge_at = :purge', 'attribute_exists(batch_id)', {
        ':use': use,
        ':purge': purgeAt(at.toISOString()),
      });
    },

    takeOver(batchId, seenUntil, until) {
      return update(batchId, 'SET storing_until = :until', '#state = :storing AND storing_until = :seen', {
        ':until': until,
        ':seen': seenUntil,
        ':storing': 'storing',
      });
    },

    async markStored(batchId) {
      await update(batchId, 'SET #state = :stored', 'attribute_exists(batch_id)', { ':stored': 'stored' });
    },
  };
}
