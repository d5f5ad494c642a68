/** Reads and writes several rows of messages: the rows of a batch, and a leg with the rows of the legs before it. */

import { type AttributeValue, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import { batchRead, readableRows } from '../../platform/aws/read-rows.dynamo.ts';
import { lazily } from '../../platform/expiring-cache.ts';
import { chunksOf } from '../../platform/long-lists.ts';
import { retryRemaining } from '../../platform/retry.ts';
import { type Message, messageSchema, undeliveredStatuses } from '../message.ts';
import { filterFields } from './message-list.dynamo.ts';
import { isOwn, type LegCreated, type MessageStore, messageRowOf, parseMessageRow } from './message-store.ts';

const filterFieldsRow = lazily(() => {
  const picked = ['message_id', ...filterFields] as const;
  type Picked = Record<(typeof picked)[number], true>;
  return z.pick(messageSchema(), Object.fromEntries(picked.map((field) => [field, true])) as Picked);
});

/** The maximum of `TransactWriteItems`. */
const writeBatchSize = 100;
/** The reason why DynamoDB cancelled a transaction: the condition of this row does not hold. */
const conditionFailed = 'ConditionalCheckFailed';

type Row = Record<string, unknown>;

/** The fields are named by placeholders, because some are reserved words of DynamoDB. */
const filterFieldsOnly = {
  ProjectionExpression: ['message_id', ...filterFields.map((field) => `#${field}`)].join(', '),
  ExpressionAttributeNames: Object.fromEntries(filterFields.map((field) => [`#${field}`, field])),
};

export function manyMessages(
  client: DynamoDBDocumentClient,
  { tableName, retentionDays }: { readonly tableName: string; readonly retentionDays: number },
): Pick<MessageStore, 'createMany' | 'getMany' | 'getFilterFields'> {
  /**
   * Writes each row only if its id is free, and all rows of a call or none. If the SDK retried a plain batch write
   * after a lost response, it would set back messages that have moved on in the meantime, and send them twice. The
   * price is a second write unit for each row.
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
        // An earlier attempt stored a row whose id is taken.
        return left.filter((_, index) => error.CancellationReasons?.[index]?.Code !== conditionFailed);
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
      return readableRows(messageSchema(), rows, 'message_id');
    },

    async getFilterFields(messageIds) {
      const rows = await readAll(messageIds, { ConsistentRead: false, ...filterFieldsOnly });
      return readableRows(filterFieldsRow(), rows, 'message_id');
    },
  };
}

const names = undeliveredStatuses.map((_, index) => `:status${index}`);
const values = Object.fromEntries(undeliveredStatuses.map((status, index) => [`:status${index}`, status]));

/**
 * Stores a further leg of a send in one transaction with the check that no earlier leg is delivered. The SDK gives its tries of
 * the call the same token, so a transaction that is cancelled was not done by an earlier try either.
 */
export async function createLeg(
  client: DynamoDBDocumentClient,
  { tableName: TableName, retentionDays }: { readonly tableName: string; readonly retentionDays: number },
  leg: Message,
  earlierLegIds: readonly string[],
): Promise<LegCreated> {
  try {
    await client.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Put: {
              TableName,
              Item: messageRowOf(leg, retentionDays),
              ConditionExpression: 'attribute_not_exists(message_id)',
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            },
          },
          ...earlierLegIds.map((message_id) => ({
            ConditionCheck: {
              TableName,
              Key: { message_id },
              ConditionExpression: `#status IN (${names.join(', ')})`,
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: values,
            },
          })),
        ],
      }),
    );
    return 'created';
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const [put, ...checks] = error.CancellationReasons ?? [];
    if (put?.Code === conditionFailed) return isFirstWriter(leg, put.Item) ? 'created' : 'exists';
    if (checks.some(({ Code }) => Code === conditionFailed)) return 'sequence_ended';
    throw error;
  }
}

function isFirstWriter(leg: Message, item: unknown): boolean {
  return (
    item !== undefined && isOwn(leg, parseMessageRow(unmarshall(item as Record<string, AttributeValue>)))
  );
}
