/**
 * Expires messages after their validity period. Also queues messages again whose queue message was lost or whose next
 * leg did not start. Every message has an entry in the due-item index until it is final and its next leg, if it has
 * one, exists; so the next run continues after one that failed.
 */
import { carrierDescriptors } from '../carrier/carrier-descriptors.ts';
import { mayBeTaken } from '../message/attempt.ts';
import { isFinished, laterLegIds, nextLegDueAt, nextLegWaitsUntil } from '../message/dispatch/fallback.ts';
import {
  nextLegEntryOf,
  type OutboundQueue,
  outboundEntryOf,
  queuedEntryOf,
} from '../message/dispatch/outbound-queue.sqs.ts';
import { timedDueItemOf, timedOf } from '../message/dispatch/scheduled-entries.ts';
import { lastChangeOf, type Message, transitions, waitsUntil } from '../message/message.ts';
import { expiry, type MessageStore } from '../message/store/message-store.ts';
import { isPermanentFault } from '../platform/aws/permanent-fault.ts';
import { addSeconds, type Clock, earlierOf, laterOf } from '../platform/clock.ts';
import type { DueItem, DueItemIndex } from '../recovery/due-item-index.dynamo.ts';
import {
  type DueItemRun,
  errorOf,
  type NextReview,
  processDueItems,
  type ReviewResult,
  readRows,
} from '../recovery/process-due-items.ts';
import type { SetAside } from '../recovery/set-aside.sqs.ts';
import { fanOutItemIdOf } from '../webhook/delivery.ts';
import { eventsOf } from '../webhook/plan-deliveries.ts';

/** A message that is still scheduled this long after its time is queued again, once per interval. */
const requeueAfterSeconds = 60;
const requeueIntervalSeconds = 60;
/** A message that is still queued or sending after this time is probably lost, and is queued again, once per interval. */
const lostAfterSeconds = 900;
const lostIntervalSeconds = 3600;
/** How long a carrier that is asked has for its answer until it is asked again. */
const answerSeconds = 30;
/** How long after its end the gateway still tries to expire a message that a service refuses, or that no worker asks about: time for a repair. */
const repairSeconds = 86_400;

/** A next leg that has not started this long after it was due is queued again. */
const legLateSeconds = 60;

/** Returns the first review of a new message. */
export function firstReview(message: Message): DueItem {
  const legDueAt = nextLegDueAt(message);
  const review = nextReview(message);
  const dueAt = legDueAt === undefined ? review : earlierOf(review, addSeconds(legDueAt, legLateSeconds));
  return { id: message.message_id, dueAt };
}

function nextReview(message: Message): Date {
  const expiresAt = new Date(message.expires_at);
  switch (message.status) {
    case 'scheduled':
      return addSeconds(new Date(message.scheduled_at ?? message.created_at), requeueAfterSeconds);
    case 'queued':
      return earlierOf(addSeconds(comesToWorkerAt(message), lostAfterSeconds), expiresAt);
    case 'sending':
      // A message that the carrier throttles has a newer claim. The wait for a report may be longer than the delay of its queue message.
      return earlierOf(
        addSeconds(
          new Date(message.handover_until ?? message.created_at),
          waitsForReport(message) ? requeueAfterSeconds : lostAfterSeconds,
        ),
        expiresAt,
      );
    default:
      return expiresAt;
  }
}

function waitsForReport({ attempts }: Message): boolean {
  const last = attempts?.at(-1);
  return last !== undefined && last.outcome === undefined;
}

/** A queued message that waits for the pace of its sender is not lost. */
function comesToWorkerAt(message: Message): Date {
  const queuedAt = new Date(message.queued_at ?? message.created_at);
  return laterOf(queuedAt, waitsUntil(message) ?? queuedAt);
}

/** True if a carrier that has the message, or may have it, can look up its status. */
function canBeAsked({ attempts = [] }: Message): boolean {
  return attempts.some(
    (attempt) =>
      mayBeTaken(attempt) &&
      carrierDescriptors.some(({ name, canLookUp }) => name === attempt.carrier && canLookUp),
  );
}

export async function expireOverdue(
  dependencies: DueItemRun & {
    readonly messages: Pick<MessageStore, 'get' | 'getMany' | 'transition'>;
    readonly outbound: OutboundQueue;
    readonly setAside: SetAside;
  },
) {
  const totals = { expired: 0, requeued: 0 };

  async function reviewMessage(message: Message): Promise<NextReview> {
    // The relay adds it again when an administrator releases it.
    if (message.held !== undefined) return undefined;
    const legReview = await reviewNextLeg(message);
    const ownReview = await reviewState(message);
    if (legReview === undefined || ownReview === undefined) return legReview ?? ownReview;
    return earlierOf(legReview, ownReview);
  }

  /** Queues the start of the next leg again if it is late. */
  async function reviewNextLeg(message: Message): Promise<NextReview> {
    const now = dependencies.clock();
    const dueAt = nextLegDueAt(message);
    const [legId] = laterLegIds(message);
    if (dueAt === undefined || legId === undefined) return undefined;
    const lateAt = addSeconds(dueAt, legLateSeconds);
    if (lateAt > now) return lateAt;
    const { otp } = message;
    if (now > nextLegWaitsUntil(message, dueAt) || (await dependencies.messages.get(legId)) !== undefined)
      return undefined;
    await dependencies.outbound.enqueue([nextLegEntryOf(message, dueAt, now)]);
    totals.requeued += 1;
    return addSeconds(now, otp === undefined ? lostIntervalSeconds : requeueIntervalSeconds);
  }

  /** Expires the message, or queues it again, if its state has not changed for too long. */
  async function reviewState(message: Message): Promise<NextReview> {
    const now = dependencies.clock();
    if (transitions[message.status].final) return undefined;
    if (nextReview(message) > now) return nextReview(message);
    const expiresAt = new Date(message.expires_at);
    const toHandOver = message.status === 'queued' || message.status === 'sending';
    if (message.status === 'scheduled' || (toHandOver && expiresAt > now)) {
      const entry = message.status === 'queued' ? queuedEntryOf(message, now) : outboundEntryOf(message);
      await dependencies.outbound.enqueue([entry]);
      totals.requeued += 1;
      const pauseSeconds = message.status === 'scheduled' ? requeueIntervalSeconds : lostIntervalSeconds;
      return earlierOf(addSeconds(now, pauseSeconds), expiresAt);
    }
    // The carrier's report may have been lost. The worker looks up the status, and expires the message if the carrier
    // reports no result.
    if (canBeAsked(message) && now < addSeconds(expiresAt, repairSeconds)) {
      await dependencies.outbound.enqueue([outboundEntryOf(message)]);
      totals.requeued += 1;
      return addSeconds(now, answerSeconds);
    }
    const expired = await dependencies.messages.transition(message.message_id, expiry(now));
    // The row has changed since it was read; the next review reads it again.
    if (expired === undefined) return addSeconds(now, requeueIntervalSeconds);
    totals.expired += 1;
    return isFinished(expired) ? undefined : addSeconds(now, legLateSeconds);
  }

  /**
   * Sets work aside that a service refuses permanently, and retries it each hour until one day after the message
   * expires.
   */
  async function afterFailure(message: Message, error: unknown): Promise<NextReview | Error> {
    if (!isPermanentFault(error)) return errorOf(error);
    const { message_id: messageId, client_id: clientId } = message;
    const summary = `A service refused a step that was due for the message, which is ${message.status}`;
    try {
      await dependencies.setAside({ summary, clientId, messageId, since: lastChangeOf(message), error });
    } catch (fault) {
      return errorOf(fault);
    }
    const now = dependencies.clock();
    const expiresAt = new Date(message.expires_at);
    if (now > addSeconds(expiresAt, repairSeconds)) return undefined;
    const again = addSeconds(now, lostIntervalSeconds);
    return expiresAt > now ? earlierOf(again, expiresAt) : again;
  }

  async function review(ids: readonly string[]): Promise<ReviewResult> {
    const rows = await readRows(dependencies.messages, ids, ({ message_id }) => message_id);
    const reviewed = await Promise.all(
      Array.from(rows, async ([id, message]) => {
        const again =
          message instanceof Error
            ? message
            : await reviewMessage(message).catch((error: unknown) => afterFailure(message, error));
        return [id, again] as const;
      }),
    );
    return new Map(reviewed);
  }

  return { ...(await processDueItems(dependencies, 'messages', review)), ...totals };
}

/** Adds messages to the due-item index that neither the relay nor the scan for missed messages may find. */
export function reviewFrom(dueItemIndex: Pick<DueItemIndex, 'add'>) {
  return (time: Date, messages: readonly Message[]): Promise<void> =>
    dueItemIndex.add(
      'messages',
      messages.map(firstReview).map(({ id, dueAt }) => ({ id, dueAt: laterOf(dueAt, time) })),
    );
}

/** ISO 8601. */
export interface TimeRange {
  readonly since: string;
  readonly until: string;
}

export function spanOf(ranges: readonly TimeRange[]): TimeRange {
  const sorted = ranges.flatMap(({ since, until }) => [since, until]).toSorted();
  return { since: sorted[0] ?? '', until: sorted.at(-1) ?? '' };
}

interface ReviewedLater {
  readonly dueItemIndex: Pick<DueItemIndex, 'add'>;
  readonly clock: Clock;
}

/** The clock of who stored a message, or wrote its event, may be ahead of the stream's by less than this. */
export const clockAheadSeconds = 180;
/**
 * An event carries the carrier's time, and its report may be delayed or retried before it is written, also during the
 * outage in which the record was lost. If an account without a URL sets one in the meantime, it gets the events of
 * this time.
 */
const reportSeconds = 86_400;

/**
 * Adds messages to the due-item index. The run of each minute then does whatever is still due: it hands over, starts
 * the next leg, expires, and sends events without a delivery. Repeating the call is safe, because each review reads
 * the rows first.
 *
 * @param events - the time whose events are reviewed as well
 * @returns the number of unfinished messages
 */
export async function leaveToReview(
  { dueItemIndex, clock }: ReviewedLater,
  messages: readonly Message[],
  events?: TimeRange,
): Promise<number> {
  const unfinished = messages.filter((message) => !isFinished(message));
  const timed = unfinished.flatMap(timedOf).map(timedDueItemOf);
  if (events !== undefined)
    await dueItemIndex.add('fan-outs', messages.flatMap(eventItemsOf(events, clock())));
  if (unfinished.length > 0) await dueItemIndex.add('messages', unfinished.map(firstReview));
  if (timed.length > 0) await dueItemIndex.add('scheduled', timed);
  return unfinished.length;
}

/** Returns the due items of a message's events that the records of this time can be of. */
function eventItemsOf({ since, until }: TimeRange, dueAt: Date) {
  const [from, to] = [
    addSeconds(new Date(since), -reportSeconds),
    addSeconds(new Date(until), clockAheadSeconds),
  ];
  return (message: Message): DueItem[] =>
    eventsOf(message)
      .filter(({ happenedAt }) => happenedAt >= from.toISOString() && happenedAt <= to.toISOString())
      .map(({ event }) => ({ id: fanOutItemIdOf({ message_id: message.message_id, event }), dueAt }));
}
