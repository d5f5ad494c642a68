/** The queue of messages that wait for the carrier; at least once, in no order. */

/** A message to hand over, in its client's fair share of the queue. */
export interface OutboundEntry {
  readonly messageId: string;
  readonly clientId: string;
}

export interface OutboundQueue {
  /** @throws when any of the entries is not surely in the queue. */
  enqueue(entries: readonly OutboundEntry[]): Promise<void>;
}
