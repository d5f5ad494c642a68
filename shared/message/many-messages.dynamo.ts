/** Many messages at once, in as few calls as DynamoDB allows; what a throttled table leaves over is tried again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetCommand, BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { messageRowOf, parseMessageRow } from './message-row.ts';
import type { MessageStore } from './message-store.ts';

/** What DynamoDB takes in one call. */
const writeBatchSize = 25;
const readBatchSize = 100;
const rounds = 8;

type Row = Record<string, unknown>;

export function manyMessages(
  client: DynamoDBDocumentClient,
  { tableName, retentionDays }: { readonly tableName: string; readonly retentionDays: number },
): Pick<MessageStore, 'createMany' | 'getMany' | 'findMissing'> {
  function writeAll(rows: readonly Row[]): Promise<void> {
    return untilNoneLeft(rows, async (left) => {
      const requests = left.map((row) => ({ PutRequest: { Item: row } }));
      const answer = await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
      return (answer.UnprocessedItems?.[tableName] ?? []).map((request) => request.PutRequest?.Item ?? {});
    });
  }

  async function readAll(ids: readonly string[], projection?: string): Promise<Row[]> {
    const found: Row[] = [];
    const keys: Row[] = ids.map((id) => ({ message_id: id }));
    await untilNoneLeft(keys, async (left) => {
      const wanted = {
        Keys: [...left],
        ConsistentRead: true,
        ...(projection === undefined ? {} : { ProjectionExpression: projection }),
      };
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

    async getMany(messageIds) {
      const rows = await Promise.all(chunksOf(messageIds, readBatchSize).map((ids) => readAll(ids)));
      return rows.flat().map(parseMessageRow);
    },

    async findMissing(messageIds) {
      const rows = await Promise.all(
        chunksOf(messageIds, readBatchSize).map((ids) => readAll(ids, 'message_id')),
      );
      const present = new Set(rows.flat().map((row) => keyRow.parse(row).message_id));
      return messageIds.filter((id) => !present.has(id));
    },
  };
}

const keyRow = z.object({ message_id: z.string() });

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

function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks: Item[][] = [];
  for (let from = 0; from < items.length; from += size) chunks.push(items.slice(from, from + size));
  return chunks;
}
