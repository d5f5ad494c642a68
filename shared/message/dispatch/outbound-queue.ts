/** The queue of messages that wait for the carrier; at least once, in no order. */

/** A message to hand over, in its client's fair share of the queue. */
export interface OutboundEntry {
  readonly messageId: string;
  readonly clientId: string;
  /** Whole seconds, at most 900, before the queue shows it; at once where absent. */
  readonly delaySeconds?: number;
}

export interface OutboundQueue {
  /**
   * @throws RefusedEntries when the queue refused some of them for good; all the others are in it.
   * @throws when any of the entries is not surely in the queue.
   */
  enqueue(entries: readonly OutboundEntry[]): Promise<void>;
}

/** Brings a scheduled message into the queue at its time, for times that a queue's delay can't reach. */
export interface OutboundScheduler {
  /** Repeating it for the same message does nothing. */
  schedule(messageId: string, at: Date): Promise<void>;
}
