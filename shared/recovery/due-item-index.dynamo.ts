/**
 * The due-items table lists the rows to review, and when:
 *
 * - webhook deliveries until they are acknowledged or failed
 * - requests to resend many webhooks until they are completed
 * - clients, when one of their rows with limits expires
 *
 * Every unfinished row has an entry, so anything that a queue, a schedule or a worker loses is found.
 *
 * Each shard of each list is one partition, sorted by time. An entry names about twenty rows that are due at about
 * the same time, so it costs a fraction of a write unit for each row; a secondary index would cost two units. Entries
 * do not change when their rows do: a review reads the rows.
 *
 * Why: docs/decisions/due-item-index.md
 */
import { createHash } from 'node:crypto';
import {
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { allEnded } from '../platform/aws/permanent-fault.ts';
import { queryRows } from '../platform/aws/read-rows.dynamo.ts';
import { shardOf } from '../platform/ids.ts';
import { chunksOf } from '../platform/long-lists.ts';
import { retryRemaining } from '../platform/retry.ts';

const dueItemLists = ['deliveries', 'resends', 'expiring-limits'] as const;
export type DueItemList = (typeof dueItemLists)[number];

export interface DueItem {
  /** The id of the row. */
  readonly id: string;
  readonly dueAt: Date;
}

export interface DueItemEntry {
  /** The list and its shard: `deliveries#0`. */
  readonly list: string;
  /**
   * The due time, the first id and a digest of all ids: `2026-11-20T10:00:00.000Z#msg_…#1a2b3c4d`. So an entry never
   * replaces one with other rows, although several can be due at one time and begin with the same row.
   */
  readonly position: string;
  readonly ids: readonly string[];
}

export type DueItemIndex = ReturnType<typeof dynamoDueItemIndex>;

export interface DueItemRange {
  readonly from: Date;
  readonly until: Date;
}

/** Each shard takes 1,000 writes a second: up to 20,000 rows. */
export const dueItemShards = 4;

/** An entry with its keys stays below 1 KB, one write unit. */
const idBytesMax = 850;
/** How much later a row may be reviewed to share an entry with others. */
const packWithinMs = 15_000;

/**
 * Packs items that are due at about the same time, each with the time of the last, so that none is reviewed too early. The same
 * items always make the same entries.
 */
export function packDueItems(dueItems: readonly DueItem[]) {
  const entries: { from: number; bytes: number; dueAt: Date; ids: string[] }[] = [];
  const inOrder = dueItems.toSorted(
    (a, b) => a.dueAt.getTime() - b.dueAt.getTime() || (a.id < b.id ? -1 : 1),
  );
  for (const { id, dueAt } of inOrder) {
    const open = entries.at(-1);
    const near = open !== undefined && dueAt.getTime() - open.from <= packWithinMs;
    // Each element of a list takes one more byte.
    const bytes = id.length + 1;
    if (near && open.bytes + bytes <= idBytesMax) {
      open.bytes += bytes;
      open.dueAt = dueAt;
      open.ids.push(id);
    } else {
      entries.push({ from: dueAt.getTime(), bytes, dueAt, ids: [id] });
    }
  }
  return entries;
}

export function entriesOf(list: DueItemList, dueItems: readonly DueItem[]): DueItemEntry[] {
  return packDueItems(dueItems).map(({ dueAt, ids }) => {
    const [first = ''] = ids;
    return {
      list: listKey(list, shardOf(first, dueItemShards)),
      position: `${dueAt.toISOString()}#${first}#${digestOf(ids)}`,
      ids,
    };
  });
}

function digestOf(ids: readonly string[]): string {
  return createHash('sha256').update(ids.join()).digest('hex').slice(0, 8);
}

function listKey(list: DueItemList, shard: number): string {
  return `${list}#${shard}`;
}

/** Sorts after every position that is due: `~` sorts after the `#` that ends a time. */
function positionAfter(until: Date): string {
  return `${until.toISOString()}~`;
}

/** The maximum of `BatchWriteItem`. */
const writeBatchSize = 25;
/** A page is processed before the next is read. */
const pageSize = 100;

const dueItemRow = z.object({ list: z.string(), position: z.string(), ids: z.array(z.string()) });

export function dynamoDueItemIndex(client: DynamoDBDocumentClient, TableName: string) {
  return {
    /** Adds the items. Repeating the call is safe. @throws if some of them may not be stored. */
    async add(list: DueItemList, dueItems: readonly DueItem[]): Promise<void> {
      const entries = entriesOf(list, dueItems);
      await allEnded(entries.map((entry) => client.send(new PutCommand({ TableName, Item: { ...entry } }))));
    },

    /** Returns the due entries of one shard, oldest first, page by page. */
    async *due(list: DueItemList, shard: number, until: Date): AsyncIterable<DueItemEntry> {
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

    /** Removes entries. An entry that a throttled table leaves unprocessed is reviewed again. */
    async remove(entries: readonly DueItemEntry[]): Promise<void> {
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

/** Reads unfinished items: a bounded number of entries, so that a long backlog also costs little. */
export function dynamoDueItemReader(client: DynamoDBDocumentClient, TableName: string) {
  return {
    /** Returns the ids in the earliest entries of each shard that are due in the range. */
    async earliestIn(
      list: DueItemList,
      { from, until }: DueItemRange,
      entriesPerShard: number,
    ): Promise<readonly string[]> {
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
