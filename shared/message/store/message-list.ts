/** What a listing asks of the messages table's indexes. */

/** How many shards a client's list has. */
export const listShards = 4;

/** Which of a client's messages: positions as `listPosition` makes them, the second one itself left out. */
export interface ListRange {
  readonly clientId: string;
  readonly reference?: string | undefined;
  readonly from: string;
  readonly before: string;
}

export interface ListedKey {
  readonly messageId: string;
  readonly position: string;
}

export interface MessageList {
  /** The keys in a range, newest first; read on, `pageSize` at a time, only as far as they are asked for. */
  keys(range: ListRange, pageSize: number): AsyncIterator<ListedKey>;
}
