/** The due-items table: one partition for each shard of each list, sorted by time. */
import {
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { allEnded } from '../platform/aws/permanent-fault.ts';
import { queryRows } from '../platform/aws/read-rows.dynamo.ts';
import { chunksOf } from '../platform/long-lists.ts';
import { retryRemaining } from '../platform/retry.ts';
import {
  type DueItemIndex,
  type DueItemReader,
  dueItemShards,
  entriesOf,
  listKey,
  positionAfter,
} from './due-item-index.ts';

/** The maximum of `BatchWriteItem`. */
const writeBatchSize = 25;
/** A page is processed before the next is read. */
const pageSize = 100;

const dueItemRow = z.object({ list: z.string(), position: z.string(), ids: z.array(z.string()) });

export function dynamoDueItemIndex(client: DynamoDBDocumentClient, TableName: string): DueItemIndex {
  return {
    async add(list, dueItems) {
      const entries = entriesOf(list, dueItems);
      await allEnded(entries.map((entry) => client.send(new PutCommand({ TableName, Item: { ...entry } }))));
    },

    async *due(list, shard, until) {
      let unreadable = 0;
      const rows = queryRows(client, {
        TableName,
        KeyConditionExpression: '#list = :list AND #position < :until',
        ExpressionAttributeNames: { '#list': 'list', '#position': 'position' },
        ExpressionAttributeValues: { ':list': listKey(list, shard), ':until': positionAfter(until) },
        Limit: pageSize,
      });
      for await (const row of rows) {
        const entry = dueItemRow.safeParse(row);
        if (entry.success) yield entry.data;
        else unreadable += 1;
      }
      // Thrown last, so that a broken entry delays no other.
      if (unreadable > 0) throw new Error(`${unreadable} due-item entries cannot be read`);
    },

    async remove(entries) {
      for (const batch of chunksOf(entries, writeBatchSize)) {
        await retryRemaining(batch, async (left) => {
          const deletes = left.map(({ list, position }) => ({ DeleteRequest: { Key: { list, position } } }));
          const { UnprocessedItems } = await client.send(
            new BatchWriteCommand({ RequestItems: { [TableName]: deletes } }),
          );
          const undone = UnprocessedItems?.[TableName]?.map(
            ({ DeleteRequest }) => DeleteRequest?.Key?.position,
          );
          return left.filter(({ position }) => undone?.includes(position));
        });
      }
    },
  };
}

export function dynamoDueItemReader(client: DynamoDBDocumentClient, TableName: string): DueItemReader {
  return {
    async earliestIn(list, { from, until }, entriesPerShard) {
      const pages = await Promise.all(
        Array.from({ length: dueItemShards }, (_, shard) =>
          client.send(
            new QueryCommand({
              TableName,
              KeyConditionExpression: '#list = :list AND #position BETWEEN :from AND :until',
              ExpressionAttributeNames: { '#list': 'list', '#position': 'position' },
              ExpressionAttributeValues: {
                ':list': listKey(list, shard),
                ':from': from.toISOString(),
                ':until': positionAfter(until),
              },
              Limit: entriesPerShard,
            }),
          ),
        ),
      );
      // An entry that cannot be read is reported by the sweep.
      const entries = pages.flatMap(({ Items = [] }) => Items.map((item) => dueItemRow.safeParse(item)));
      return entries.flatMap((entry) => (entry.success ? entry.data.ids : []));
    },
  };
}
