/** Tells when somebody must look at a message: the `due_at` of its row (due/due-index.ts). */
import { lookAfter } from '../due/due-index.ts';
import { addSeconds, earlierOf, laterOf, queueDelayMaxSeconds } from '../platform/clock.ts';
import { type Message, transitions, waitsUntil } from './message.ts';

/** True if the relay queues a scheduled message with a delay. A message that waits longer is in the due index alone. */
export function isQueuedByRelay({ scheduled_at, created_at }: Message): boolean {
  return isNear(new Date(scheduled_at ?? created_at), new Date(created_at));
}

/** True if a queue can delay a message until then. */
export function isNear(time: Date, now: Date): boolean {
  return time <= addSeconds(now, queueDelayMaxSeconds);
}

/** Returns the first look at a new message; undefined if it is final. */
export function firstLookOf(message: Message): Date | undefined {
  if (transitions[message.status].final) return undefined;
  if (message.status === 'scheduled') {
    const startsAt = new Date(message.scheduled_at ?? message.created_at);
    return isQueuedByRelay(message) ? lookAfter(startsAt) : startsAt;
  }
  const queuedAt = new Date(message.queued_at ?? message.created_at);
  const comesToWorkerAt = laterOf(queuedAt, waitsUntil(message) ?? queuedAt);
  return earlierOf(lookAfter(comesToWorkerAt), new Date(message.expires_at));
}

/**
 * Returns the next look at a message that a worker cannot hand over now; undefined if none is needed.
 *
 * @param legDueAt - the time of the next leg, if it has not started and may still be needed
 */
export function nextLookOf(message: Message, legDueAt: Date | undefined): Date | undefined {
  if (message.held !== undefined) return undefined;
  const looks: Date[] = [];
  if (!transitions[message.status].final)
    looks.push(new Date(message.status === 'scheduled' ? (message.scheduled_at ?? 0) : message.expires_at));
  if (legDueAt !== undefined) {
    // The relay queued a leg that starts soon after its message, so a look at that time would start it twice.
    const after = message.fallback?.[0]?.after_seconds ?? 0;
    looks.push(after > queueDelayMaxSeconds ? legDueAt : lookAfter(legDueAt));
  }
  return looks.length === 0 ? undefined : looks.reduce(earlierOf);
}
