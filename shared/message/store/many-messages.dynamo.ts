/** Reads and writes many messages in few calls; what a throttled table left undone is retried. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { batchRead } from '../../platform/aws/batch-read.dynamo.ts';
import { retryRemaining } from '../../platform/retry.ts';
import { chunksOf } from '../../platform/split-into-chunks.ts';
import { filterFields } from './message-list.ts';
import { messageRowOf, parseFilterFields, parseMessageRow } from './message-row.ts';
import type { MessageStore } from './message-store.ts';

/** What DynamoDB writes in one call. */
const writeBatchSize = 100;
/** Why DynamoDB cancelled a call: this row's id is taken, which here means stored by an earlier try. */
const alreadyThere = 'ConditionalCheckFailed';

type Row = Record<string, unknown>;

/** By placeholders, because some are reserved words of DynamoDB. */
const filterFieldsOnly = {
  ProjectionExpression: ['message_id', ...filterFields.map((field) => `#${field}`)].join(', '),
  ExpressionAttributeNames: Object.fromEntries(filterFields.map((field) => [`#${field}`, field])),
};

export function manyMessages(
  client: DynamoDBDocumentClient,
  { tableName, retentionDays }: { readonly tableName: string; readonly retentionDays: number },
): Pick<MessageStore, 'createMany' | 'getMany' | 'getFilterFields'> {
  /**
   * Each row only where its id is free, all of a call or none: a plain batch write that the SDK repeats after a
   * lost response would set back messages that have moved on meanwhile, and send them twice. The price is a second
   * write unit for each.
   */
  function writeAll(rows: readonly Row[]): Promise<void> {
    return retryRemaining(rows, async (left) => {
      const puts = left.map((Item) => ({
        Put: { TableName: tableName, Item, ConditionExpression: 'attribute_not_exists(message_id)' },
      }));
      try {
        await client.send(new TransactWriteCommand({ TransactItems: puts }));
        return [];
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error;
        return left.filter((_, index) => error.CancellationReasons?.[index]?.Code !== alreadyThere);
      }
    });
  }

  function readAll(ids: readonly string[], options: Parameters<typeof batchRead>[3]): Promise<Row[]> {
    const keys = ids.map((id) => ({ message_id: id }));
    return batchRead(client, tableName, keys, options);
  }

  return {
    async createMany(messages) {
      const rows = messages.map((message) => messageRowOf(message, retentionDays));
      await Promise.all(chunksOf(rows, writeBatchSize).map(writeAll));
    },

    async getMany(messageIds, reading) {
      const rows = await readAll(messageIds, { ConsistentRead: reading?.consistent ?? true });
      return rows.map(parseMessageRow);
    },

    async getFilterFields(messageIds) {
      const rows = await readAll(messageIds, { ConsistentRead: false, ...filterFieldsOnly });
      return rows.map(parseFilterFields);
    },
  };
}
