/** Reads the list indexes of the messages table: merges the shards of a client's list, or reads the index by reference. */
import * as z from 'zod/mini';
import { queryRows } from '../../platform/aws/read-rows.dynamo.ts';
import type { Context } from '../../platform/context.ts';
import { listKey, listShards } from './message-row.ts';

export const directions = ['outbound', 'inbound', 'all'] as const;
export type Direction = (typeof directions)[number];

/** A range of a client's messages. The positions come from `listPosition`. `before` is exclusive. */
export interface ListRange {
  readonly clientId: string;
  readonly reference?: string | undefined;
  /** If set, the index by recipient is read, which contains the messages of all clients in both directions. */
  readonly recipient?: string | undefined;
  readonly direction: Direction;
  readonly from: string;
  readonly before: string;
}

export interface ListedKey {
  readonly messageId: string;
  readonly position: string;
}

const indexRow = z.object({ message_id: z.string(), list_at: z.string() });

/** A partition of an index, sorted by `list_at`. */
interface ListPartition {
  readonly name: 'by-client' | 'by-reference' | 'by-recipient';
  readonly key: 'list_key' | 'reference_key' | 'recipient';
  readonly value: string;
}

/** Reads a partition of a list index lazily, newest first, `pageSize` keys at a time. */
export async function* keysInPartition(
  { db, env }: Context<'MESSAGES_TABLE'>,
  index: ListPartition,
  range: { readonly from: string; readonly before: string },
  pageSize: number,
): AsyncGenerator<ListedKey> {
  const rows = queryRows(db, {
    TableName: env.MESSAGES_TABLE,
    IndexName: index.name,
    KeyConditionExpression: `${index.key} = :key AND list_at BETWEEN :from AND :before`,
    ExpressionAttributeValues: { ':key': index.value, ':from': range.from, ':before': range.before },
    ScanIndexForward: false,
    Limit: pageSize,
  });
  for await (const row of rows) {
    const { message_id, list_at } = indexRow.parse(row);
    // `BETWEEN` includes both ends, but `before` is the last message of the previous page.
    if (list_at !== range.before) yield { messageId: message_id, position: list_at };
  }
}

/** Returns the keys in a range, newest first, read lazily, `pageSize` at a time. */
export function listedKeys(
  ctx: Context<'MESSAGES_TABLE'>,
  range: ListRange,
  pageSize: number,
): AsyncGenerator<ListedKey> {
  return newestFirst(partitionsOf(range).map((index) => keysInPartition(ctx, index, range, pageSize)));
}

export function partitionsOf({
  clientId,
  reference,
  recipient,
  direction,
}: Omit<ListRange, 'from' | 'before'>): ListPartition[] {
  if (reference !== undefined) {
    return [{ name: 'by-reference', key: 'reference_key', value: `${clientId}#${reference}` }];
  }
  if (recipient !== undefined) return [{ name: 'by-recipient', key: 'recipient', value: recipient }];
  return kindsIn(direction).flatMap((kind) =>
    Array.from({ length: listShards }, (_, shard) => ({
      name: 'by-client',
      key: 'list_key',
      value: listKey(clientId, kind, shard),
    })),
  );
}

function kindsIn(direction: ListRange['direction']): readonly Parameters<typeof listKey>[1][] {
  if (direction === 'all') return [undefined, 'inbound'];
  return [direction === 'inbound' ? 'inbound' : undefined];
}

/** Takes the next keys, in order; fewer at the end of the sequence. */
export async function takeKeys(keys: AsyncGenerator<ListedKey>, count: number): Promise<ListedKey[]> {
  const taken: ListedKey[] = [];
  while (taken.length < count) {
    const { value, done } = await keys.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

/** The format of the positions that `listPosition` returns. */
export const listPositionForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#msg_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Merges sequences that are sorted newest first. */
export async function* newestFirst(sources: readonly AsyncGenerator<ListedKey>[]): AsyncGenerator<ListedKey> {
  const heads = await Promise.all(sources.map((source) => source.next()));
  for (;;) {
    let newest: { readonly key: ListedKey; readonly source: number } | undefined;
    for (const [source, head] of heads.entries()) {
      if (head.done === true) continue;
      if (newest === undefined || head.value.position > newest.key.position) {
        newest = { key: head.value, source };
      }
    }
    if (newest === undefined) return;
    yield newest.key;
    const next = await sources[newest.source]?.next();
    if (next !== undefined) heads[newest.source] = next;
  }
}
