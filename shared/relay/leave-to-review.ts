/**
 * Adds messages to the due-item index, so that the run of each minute does what is still due of them: it hands over,
 * starts the next leg, expires, and sends the events that have no delivery. Repeating the call is safe, because each
 * review reads the rows first.
 */
import { isFinished } from '../message/dispatch/legs.ts';
import { timedDueItemOf, timedOf } from '../message/dispatch/scheduled-entries.ts';
import type { Message } from '../message/message.ts';
import { addSeconds, type Clock } from '../platform/clock.ts';
import type { DueItem, DueItemIndex } from '../recovery/due-item-index.ts';
import { fanOutItemIdOf } from '../webhook/delivery.ts';
import { eventsOf } from '../webhook/plan-deliveries.ts';
import { firstReview } from './expire-messages.ts';

/** ISO 8601. */
export interface TimeRange {
  readonly since: string;
  readonly until: string;
}

interface ReviewedLater {
  readonly dueItemIndex: Pick<DueItemIndex, 'add'>;
  readonly clock: Clock;
}

/** A record arrives in the stream after its change, by less than this. */
const arrivalSeconds = 60;

/**
 * Returns how many of the messages are not finished.
 *
 * @param events - the time whose events are reviewed as well
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
    addSeconds(new Date(since), -arrivalSeconds),
    addSeconds(new Date(until), arrivalSeconds),
  ];
  return (message: Message): DueItem[] =>
    eventsOf(message)
      .filter(({ happenedAt }) => happenedAt >= from.toISOString() && happenedAt <= to.toISOString())
      .map(({ event }) => ({ id: fanOutItemIdOf({ message_id: message.message_id, event }), dueAt }));
}
