/**
 * Handles a message that cannot be claimed, because it is scheduled, waits for its receipt, or is over. Then sets the time
 * at which a worker looks at it again (due/due-index.ts).
 */

import { earlySecondsMax } from '../../contract/hand-over-times.ts';
import { lookAfter } from '../../due/due-index.ts';
import { addSeconds, earlierOf } from '../../platform/clock.ts';
import { mayBeTaken, shownAttempt } from '../attempt.ts';
import { type Message, transitions, waitsUntil } from '../message.ts';
import { setNextLook, transitionMessage } from '../store/message-changes.dynamo.ts';
import { expiry, isNear, nextLookOf } from '../store/message-row.ts';
import type { DispatchContext, Dispatched } from './dispatch-context.ts';
import { attemptFor } from './next-step.ts';
import {
  enqueueOutbound,
  type OutboundEntry,
  outboundEntryAt,
  outboundEntryOf,
  queuedEntryOf,
} from './outbound-queue.sqs.ts';
import { recordReceipts } from './record-receipts.ts';

/** If the carrier could not be asked about a message, the gateway tries again until this long after the message's end. */
const askedForSeconds = 900;
/** How long to wait before asking the carrier again. */
const answerSeconds = 30;

/** If a queue message arrives early by up to this time, because clocks differ, it is sent again for the right time. */
const clockAheadSecondsMax = 10;

/**
 * Does what the message's state requires.
 *
 * @param legDueAt - the time of the next leg, if it is not due yet
 * @returns `queued` if the message can be claimed now
 */
export async function lookAtMessage(
  ctx: DispatchContext,
  message: Message,
  legDueAt: Date | undefined,
): Promise<Dispatched> {
  const now = ctx.clock();
  if (message.held !== undefined) return { outcome: 'nothing_to_do', message };
  if (message.status === 'scheduled') {
    const startsAt = new Date(message.scheduled_at ?? message.created_at);
    if (startsAt <= now) return queueScheduled(ctx, message, now);
    if (isNear(startsAt, now))
      return requeue(ctx, 'not_yet_due', message, outboundEntryAt(message, startsAt, now));
  } else if (!transitions[message.status].final && new Date(message.expires_at) <= now)
    return expireMessage(ctx, message, now);
  if (legDueAt !== undefined && legDueAt <= addSeconds(now, clockAheadSecondsMax))
    return requeue(ctx, 'leg_not_due', message, outboundEntryAt(message, legDueAt, now));
  const next = nextLookOf(message, legDueAt);
  if (next?.toISOString() !== message.due_at) await setNextLook(ctx, message, next);
  return { outcome: 'nothing_to_do', message };
}

/** Queues a scheduled message. If its sender has a pace, the message waits until its time in the line. */
async function queueScheduled(ctx: DispatchContext, message: Message, now: Date): Promise<Dispatched> {
  const queued = await transitionMessage(ctx, message.message_id, { to: 'queued', at: now });
  const until = queued && waitsUntil(queued);
  if (queued === undefined || until === undefined || until <= addSeconds(now, earlySecondsMax))
    return { outcome: 'queued', message: queued };
  const waiting = await requeue(ctx, 'waits_for_pace', queued, queuedEntryOf(queued, now));
  await setNextLook(ctx, queued, earlierOf(lookAfter(until), new Date(queued.expires_at)));
  return waiting;
}

/** Ends the validity period. First asks the carriers for receipts that may be lost, then expires the message. */
async function expireMessage(ctx: DispatchContext, message: Message, now: Date): Promise<Dispatched> {
  const { hasFailed, ...asked } = await askCarriers(ctx, message);
  if (hasFailed && now < addSeconds(new Date(message.expires_at), askedForSeconds)) {
    await requeue(ctx, asked.outcome, message, outboundEntryOf(message, answerSeconds));
    return asked;
  }
  const expired = await transitionMessage(ctx, message.message_id, expiry(now));
  return expired === undefined ? asked : { outcome: 'expired', message: expired };
}

/**
 * Asks each carrier that may have an attempt and offers a look-up, and records the responses.
 *
 * @returns also `hasFailed`: true if a carrier could not be asked, or its response could not be stored, so that it may know
 * more than the row
 */
async function askCarriers(
  ctx: DispatchContext,
  message: Message,
): Promise<Dispatched & { readonly hasFailed: boolean }> {
  const shown = shownAttempt(message);
  const carriers = ctx.carriersFor(message);
  let hasFailed = false;
  const asking = (message.attempts ?? []).filter(mayBeTaken).map(async (attempt) => {
    // The stored carrier id belongs to the attempt that responses show.
    const carrierMessageId = attempt === shown ? message.carrier_message_id : undefined;
    const answer = await carriers
      .find(({ name }) => name === attempt.carrier)
      ?.lookup?.({ message, attempt: attemptFor(message, attempt), carrierMessageId })
      .catch((error: unknown) => {
        hasFailed = true;
        ctx.warn('the carrier could not be asked', error);
      });
    return answer?.receipt === undefined
      ? []
      : [{ ...answer.receipt, messageId: message.message_id, attempt: attempt.number }];
  });
  const receipts = (await Promise.all(asking)).flat();
  if (receipts.length === 0) return { outcome: 'nothing_to_do', message, hasFailed };
  // The hand-over stored the price when the message was sent.
  const { recorded, failures } = await recordReceipts({ ...ctx, priceOf: () => undefined }, receipts, 1);
  for (const failure of failures) {
    hasFailed = true;
    ctx.warn('an answer of the carrier could not be stored', failure);
  }
  const known = recorded.findLast((one) => one.message)?.message ?? message;
  return { outcome: 'looked_up', message: known, hasFailed };
}

/** Sends the message to its queue again, and returns the outcome. */
export async function requeue(
  ctx: DispatchContext,
  outcome: Dispatched['outcome'],
  message: Message | undefined,
  entry: OutboundEntry,
): Promise<Dispatched> {
  await enqueueOutbound(ctx, [entry]);
  return { outcome, message, requeuedForSeconds: entry.delaySeconds };
}
