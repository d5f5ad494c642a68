/** Many messages at once, in few calls; what a throttled table leaves over is tried again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { ReadOptions } from '../../platform/read-options.ts';
import { chunksOf } from '../../platform/split-into-chunks.ts';
import { messageRowOf, parseFilterFields, parseMessageRow } from './message-row.ts';
import type { MessageStore } from './message-store.ts';

/** What DynamoDB takes in one call. */
const writeBatchSize = 100;
const readBatchSize = 100;
const rounds = 8;
/** Why DynamoDB cancelled a call: this row's id is taken, which here means stored by an earlier try. */
const alreadyThere = 'ConditionalCheckFailed';

type Row = Record<string, unknown>;

const filterFields = {
  ProjectionExpression: 'message_id, #status, #channel',
  ExpressionAttributeNames: { '#status': 'status', '#channel': 'channel' },
};

export function manyMessages(
  client: DynamoDBDocumentClient,
  { tableName, retentionDays }: { readonly tableName: string; readonly retentionDays: number },
): Pick<MessageStore, 'createMany' | 'getMany' | 'getFilterFields'> {
  /**
   * Each row only where its id is free, all of a call or none: a plain batch write that the SDK repeats after a
   * lost answer would set back messages that have moved on meanwhile, and send them twice. The price is a second
   * write unit for each.
   */
  function writeAll(rows: readonly Row[]): Promise<void> {
    return untilNoneLeft(rows, async (left) => {
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

  async function readAll(
    ids: readonly string[],
    reading: ReadOptions | undefined,
    only: {
      readonly ProjectionExpression?: string;
      readonly ExpressionAttributeNames?: Record<string, string>;
    } = {},
  ): Promise<Row[]> {
    const found: Row[] = [];
    const keys: Row[] = ids.map((id) => ({ message_id: id }));
    await untilNoneLeft(keys, async (left) => {
      const wanted = { Keys: [...left], ConsistentRead: reading?.consistent ?? true, ...only };
      const answer = await client.send(new BatchGetCommand({ RequestItems: { [tableName]: wanted } }));
      found.push(...(answer.Responses?.[tableName] ?? []));
      return answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
    });
    return found;
  }

  return {
    async createMany(messages) {
      const rows = messages.map((message) => messageRowOf(message, retentionDays));
      await Promise.all(chunksOf(rows, writeBatchSize).map(writeAll));
    },

    async getMany(messageIds, reading) {
      const rows = await Promise.all(chunksOf(messageIds, readBatchSize).map((ids) => readAll(ids, reading)));
      return rows.flat().map(parseMessageRow);
    },

    async getFilterFields(messageIds) {
      const chunks = chunksOf(messageIds, readBatchSize);
      const rows = await Promise.all(chunks.map((ids) => readAll(ids, { consistent: false }, filterFields)));
      return rows.flat().map(parseFilterFields);
    },
  };
}

/** Repeats a call for what it left over, after longer and longer pauses. */
async function untilNoneLeft(
  items: readonly Row[],
  call: (left: readonly Row[]) => Promise<readonly Row[]>,
): Promise<void> {
  let left = items;
  for (let round = 0; round < rounds; round += 1) {
    left = await call(left);
    if (left.length === 0) return;
    await sleep(25 * 2 ** round * (0.5 + Math.random()));
  }
  throw new Error(`the messages table left ${left.length} items over in ${rounds} rounds`);
}
