/**
 * Hand-overs of scheduled messages, and starts of next legs, that are due later than a queue can delay. They wait in the
 * due-item index, and the run of each minute enqueues them some minutes ahead, each with the delay until its time. Their
 * list is apart from that of the reviews, so that a large campaign delays no expiry.
 *
 * A crash after the queue and before the entry is removed queues a message twice, and the second one finds it claimed or
 * final. A message that its queue loses, or refuses, is queued again by the review after its time (relay/expire-messages.ts).
 */

import { isPermanentFault } from '../../platform/aws/permanent-fault.ts';
import { queueDelayMaxSeconds } from '../../platform/aws/queues.sqs.ts';
import { addSeconds, earlierOf } from '../../platform/clock.ts';
import type { DueItem } from '../../recovery/due-item-index.dynamo.ts';
import {
  type DueItemRun,
  type NextReview,
  processDueItems,
  type ReviewResult,
  readRows,
} from '../../recovery/process-due-items.ts';
import type { Message } from '../message.ts';
import type { MessageStore } from '../store/message-store.ts';
import { nextLegDueAt } from './fallback.ts';
import {
  nextLegEntryOf,
  type OutboundEntry,
  type OutboundQueue,
  outboundEntryOf,
} from './outbound-queue.sqs.ts';

/** The hand-over of a scheduled message, or the start of the leg that follows a message. */
export interface Timed {
  readonly message: Message;
  readonly step: 'hand_over' | 'next_leg';
  readonly dueAt: Date;
}

/** A run each minute finds an entry up to a minute later, and may leave some to the next runs. */
const aheadSeconds = queueDelayMaxSeconds - 60;

/** Whether a queue can delay it until its time. */
export function isNear({ dueAt }: Timed, now: Date): boolean {
  return dueAt <= addSeconds(now, queueDelayMaxSeconds);
}

export function timedEntryOf({ message, step, dueAt }: Timed, now: Date): OutboundEntry {
  if (step === 'next_leg') return nextLegEntryOf(message, dueAt, now);
  // The delay is rounded up: a message that comes early would wait in the queue a second time.
  return outboundEntryOf(message, Math.ceil((dueAt.getTime() - now.getTime()) / 1000));
}

export function timedDueItemOf({ message, dueAt }: Timed): DueItem {
  return { id: message.message_id, dueAt: addSeconds(dueAt, -aheadSeconds) };
}

/** Returns the hand-over that a scheduled message waits for. */
export function handOverOf(message: Message): Timed[] {
  if (message.status !== 'scheduled' || message.held !== undefined) return [];
  return [{ message, step: 'hand_over', dueAt: new Date(message.scheduled_at ?? message.created_at) }];
}

/** All that is due of a message at a later time. */
export function timedOf(message: Message): Timed[] {
  const dueAt = nextLegDueAt(message);
  return [
    ...handOverOf(message),
    ...(dueAt === undefined ? [] : [{ message, step: 'next_leg', dueAt } as const]),
  ];
}

export async function enqueueScheduled(
  dependencies: DueItemRun & {
    readonly messages: Pick<MessageStore, 'get' | 'getMany'>;
    readonly outbound: OutboundQueue;
  },
) {
  let enqueued = 0;
  /** The scan for missed messages adds entries beside those of the relay: the review that takes a message first does all. */
  const taken = new Set<string>();

  async function review(ids: readonly string[]): Promise<ReviewResult> {
    const own = ids.filter((id) => !taken.has(id));
    for (const id of own) taken.add(id);
    const rows = await readRows(dependencies.messages, own, ({ message_id }) => message_id);
    const now = dependencies.clock();
    const reviews = new Map<string, NextReview | Error>();
    const near: Timed[] = [];
    for (const [id, row] of rows) {
      if (row instanceof Error) {
        // A row that is malformed is reported by the review after its time.
        reviews.set(id, isPermanentFault(row) ? undefined : row);
        continue;
      }
      const timed = timedOf(row);
      near.push(...timed.filter((each) => isNear(each, now)));
      const later = timed.filter((each) => !isNear(each, now)).map((each) => timedDueItemOf(each).dueAt);
      reviews.set(
        id,
        later.reduce<NextReview>((first, at) => (first ? earlierOf(first, at) : at), undefined),
      );
    }
    try {
      await dependencies.outbound.enqueue(near.map((each) => timedEntryOf(each, now)));
    } catch (error) {
      // All others are in their queues.
      if (!isPermanentFault(error)) throw error;
    }
    enqueued += near.length;
    return reviews;
  }

  return { ...(await processDueItems(dependencies, 'scheduled', review)), enqueued };
}
