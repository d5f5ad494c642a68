/** The queues of messages for the carriers, one for each kind of send; at-least-once delivery, unordered. */
import type { SendKind } from '../../contract/send-kinds.ts';
import type { Message } from '../message.ts';
import { sendKindOf } from '../send-kind.ts';

/** A message to hand over. Its queue is fair between clients. */
export interface OutboundEntry {
  readonly messageId: string;
  readonly clientId: string;
  readonly kind: SendKind;
  /** Whole seconds, at most 900, before the queue delivers it; default 0. */
  readonly delaySeconds?: number;
}

/** The message's entry, in the queue of its kind. */
export function outboundEntryOf(message: Message, delaySeconds?: number): OutboundEntry {
  return {
    messageId: message.message_id,
    clientId: message.client_id,
    kind: sendKindOf(message),
    ...(delaySeconds === undefined ? {} : { delaySeconds }),
  };
}

export interface OutboundQueue {
  /**
   * Sends each entry to the queue of its kind.
   *
   * @throws RefusedEntries when a queue refused some entries permanently; all others are in their queues.
   * @throws when any entry may not be in its queue.
   */
  enqueue(entries: readonly OutboundEntry[]): Promise<void>;
}

/** Sends a scheduled message to its queue at its time, where that is beyond the maximum delay of a queue. */
export interface OutboundScheduler {
  /** A second call for the same message does nothing. */
  schedule(entry: Pick<OutboundEntry, 'messageId' | 'kind'>, at: Date): Promise<void>;
}
