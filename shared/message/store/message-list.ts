/** The list indexes of the messages table. */
import type { Message } from '../message.ts';

/** The shards of a client's list. */
export const listShards = 4;

/** The partition of one shard of a client's list; inbound messages have a list of their own. */
export function listKey(clientId: string, direction: 'inbound' | undefined, shard: number): string {
  return `${clientId}#${direction === undefined ? '' : `${direction}#`}${shard}`;
}

export const directions = ['outbound', 'inbound', 'all'] as const;
export type Direction = (typeof directions)[number];

/** The fields by which a list is filtered after its keys were read: parameters of the query with the same names. */
export const filterFields = ['status', 'channel'] as const satisfies readonly (keyof Message)[];
export type FilterField = (typeof filterFields)[number];
export type FilterFields = Pick<Message, 'message_id' | FilterField>;

/** A range of a client's messages; the positions are of `listPosition`, and `before` is exclusive. */
export interface ListRange {
  readonly clientId: string;
  readonly reference?: string | undefined;
  readonly direction: Direction;
  readonly from: string;
  readonly before: string;
}

export interface ListedKey {
  readonly messageId: string;
  readonly position: string;
}

export interface MessageList {
  /** The keys in a range, newest first; read lazily, `pageSize` at a time. */
  keys(range: ListRange, pageSize: number): AsyncGenerator<ListedKey>;
}
