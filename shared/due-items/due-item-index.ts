/**
 * What must be looked at again, and when: a message until it is final, a webhook until it is acknowledged or has failed.
 * Nothing unfinished is ever without an entry here, so whatever a queue, a schedule or a worker loses is found.
 *
 * An entry names a score of rows that are due about the same time, so it costs each of them a small part of a write
 * unit, where an index on the row would cost two whole ones. Nobody moves an entry when its rows change: whoever looks
 * asks the rows themselves.
 */
import { shardOf } from '../platform/shard.ts';

export type DueItemList = 'messages' | 'deliveries';

export interface DueItem {
  /** What to look at: a message's id, or what `plan/delivery-due-item.ts` makes of a delivery. */
  readonly id: string;
  readonly dueAt: Date;
}

export interface DueItemEntry {
  /** The list and its shard: `messages#0`. */
  readonly list: string;
  /** When it is due, and the first of its ids: `2026-11-20T10:00:00.000Z#msg_…`. */
  readonly position: string;
  readonly ids: readonly string[];
}

export interface DueItemIndex {
  /** Repeating it does no harm. @throws when any of them is not surely entered. */
  add(list: DueItemList, dueItems: readonly DueItem[]): Promise<void>;
  /** The entries of one shard that are due, oldest first, page by page. */
  due(list: DueItemList, shard: number, until: Date): AsyncIterable<DueItemEntry>;
  /** What a busy table leaves over stands there still, and is looked at again. */
  remove(entries: readonly DueItemEntry[]): Promise<void>;
}

/** Each carries 1,000 writes a second, which is 20,000 rows at best. */
export const dueItemShards = 4;

/** With its keys an entry stays below one kilobyte, one write unit. */
const idBytesMax = 850;
/** How much later than promised a row may be looked at for the company of others. */
const packWithinMs = 15_000;

interface PackedDueItems {
  /** That of the last of its rows: none is looked at too early. */
  readonly dueAt: Date;
  readonly ids: readonly string[];
}

/** Gathers what is due about the same time: the same appointments always make the same entries. */
export function packDueItems(dueItems: readonly DueItem[]): PackedDueItems[] {
  const entries: { from: number; bytes: number; dueAt: Date; ids: string[] }[] = [];
  const inOrder = dueItems.toSorted(
    (a, b) => a.dueAt.getTime() - b.dueAt.getTime() || (a.id < b.id ? -1 : 1),
  );
  for (const { id, dueAt } of inOrder) {
    const open = entries.at(-1);
    const near = open !== undefined && dueAt.getTime() - open.from <= packWithinMs;
    // Each element of a list takes a byte more.
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

/** The entries that these appointments make. */
export function entriesOf(list: DueItemList, dueItems: readonly DueItem[]): DueItemEntry[] {
  return packDueItems(dueItems).map(({ dueAt, ids }) => {
    const [first = ''] = ids;
    return {
      list: listKey(list, shardOf(first, dueItemShards)),
      position: `${dueAt.toISOString()}#${first}`,
      ids,
    };
  });
}

export function listKey(list: DueItemList, shard: number): string {
  return `${list}#${shard}`;
}

/** What sorts after every position that is due: `~` comes after the `#` that ends a time. */
export function positionAfter(until: Date): string {
  return `${until.toISOString()}~`;
}
