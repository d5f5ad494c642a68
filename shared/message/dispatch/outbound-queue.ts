/** The queue of messages for the carriers; at-least-once delivery, unordered. */

/** A message to hand over. The queue is fair between clients. */
export interface OutboundEntry {
  readonly messageId: string;
  readonly clientId: string;
  /** Whole seconds, at most 900, before the queue delivers it; default 0. */
  readonly delaySeconds?: number;
}

export interface OutboundQueue {
  /**
   * @throws RefusedEntries when the queue refused some entries permanently; all others are in the queue.
   * @throws when any entry may not be in the queue.
   */
  enqueue(entries: readonly OutboundEntry[]): Promise<void>;
}

/** Sends a scheduled message to the queue at its time, where that is beyond the maximum delay of the queue. */
export interface OutboundScheduler {
  /** A second call for the same message does nothing. */
  schedule(messageId: string, at: Date): Promise<void>;
}
