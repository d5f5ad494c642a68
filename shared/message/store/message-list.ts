/** The list indexes of the messages table. */

/** The shards of a client's list. */
export const listShards = 4;

/** A range of a client's messages; the positions are of `listPosition`, and `before` is exclusive. */
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
  /** The keys in a range, newest first; read lazily, `pageSize` at a time. */
  keys(range: ListRange, pageSize: number): AsyncGenerator<ListedKey>;
}
