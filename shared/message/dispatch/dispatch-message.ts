/**
 * Hands a queued message over to its carrier, once. The claim is a conditional write, so a second delivery of the queue
 * message finds the row claimed. When a process dies, the claim expires and the queue delivers the message again.
 *
 *   claim ─ crash → the queue delivers the message again after the claim has expired: claimed again, handed over
 *   attempt recorded, carrier.handOver ─ crash, or no response → it is unknown whether the carrier has the message: what
 *                      then happens is in next-step.ts; a second message only if the stage sends this kind again
 *   transition to sent | failed ─ crash → a receipt changes the row, or the attempt is settled as an unknown one
 *
 * A message that must wait is sent to the queue again with a delay, and the received one is deleted: SQS holds any
 * number of delayed messages, but at most 120,000 that were received and not deleted.
 *   new queue message ─ crash → both are delivered; the second finds the message claimed, waiting or sent
 *
 * A worker acts on the state of the row, and never on why the queue message was sent. So it also starts the next leg of a
 * fallback, queues a scheduled message, asks carriers at the end, expires the message, and sets the next look at it
 * (due/due-index.ts).
 *   any of these ─ crash → the queue delivers the message again, or the due index queues it
 *
 * A message of a sender with a pace is handed over in a place that it reserved (sender-pace.dynamo.ts). It waits in the queue
 * until a place is near, and the last seconds in the worker.
 *   place reserved ─ crash → the place is unused; the next delivery of the queue message reserves another
 *   attempt recorded, and the place missed ─ crash → an unknown attempt, as above
 *
 * Why: docs/decisions/hand-over-lease.md
 */
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { lookAfter, movedAfter } from '../../due/due-index.ts';
import { addSeconds, earlierOf, laterOf } from '../../platform/clock.ts';
import { fromOf } from '../attempt.ts';
import { type Message, transitions, waitsUntil } from '../message.ts';
import { isNear, nextLookOf } from '../next-look.ts';
import {
  claimMessage,
  recordAttempt,
  releaseMessage,
  setNextLook,
  transitionMessage,
} from '../store/message-changes.dynamo.ts';
import { expiry } from '../store/message-row.ts';
import { windowEnd, windowOpenedAt } from '../store/whatsapp-window.dynamo.ts';
import {
  type Claimed,
  callCarrier,
  type DispatchDependencies,
  type Dispatched,
  type DispatchOutcome,
  lookUp,
  noteLateOutcome,
  optedOut,
  type Prepared,
  recordRefused,
  requeue,
  type Step,
  secondsUntil,
  waitUntil,
} from './call-carrier.ts';
import type { ChosenCarrier } from './carrier.ts';
import { nextLegDueAt } from './fallback.ts';
import { atCarrier, begunAt, nextStep, possiblyDoubled } from './next-step.ts';
import {
  outboundEntryAt,
  outboundEntryOf,
  type QueuedMessage,
  queuedEntryOf,
  waitingEntryOf,
} from './outbound-queue.sqs.ts';
import { type PacedMessage, pacedNow } from './paced-message.ts';
import { isReplaced, startNextLeg } from './start-next-leg.ts';

/** A claim of a message holds longer than the function runs, so the worker has ended when its claim expires. */
export const claimSeconds = 20;

/** A carrier that cannot be asked about a message is asked again for so long after the end of the message. */
const askedForSeconds = 900;
/** How long it has until it is asked again. */
const answerSeconds = 30;

/** A queue message that comes this much too early, by a clock that differs, is sent again for the time. */
const clockAheadSecondsMax = 10;

/** The longest wait for a claim: a wrong clock or an edited row may have set its end far ahead. */
const heldSecondsMax = 2 * claimSeconds;

/** A message that waits for the pace of its sender may come to a worker so long before its time. */
const earlySecondsMax = 2;

/** Processes one queue message. A message that waits longer for the pace of its sender is only queued again. */
export async function dispatchQueued(
  dependencies: DispatchDependencies,
  { message_id: messageId, waits }: QueuedMessage,
): Promise<Dispatched> {
  const now = dependencies.clock();
  if (waits === undefined || new Date(waits.until) <= addSeconds(now, earlySecondsMax))
    return dispatch(dependencies, messageId);
  const { client_id: clientId, kind, until } = waits;
  const entry = waitingEntryOf({ messageId, clientId, kind }, new Date(until), now);
  return requeue(dependencies, 'waits_for_pace', undefined, entry);
}

/**
 * Starts the next leg of the message if it is due, then hands the message over if it is due, or does what its state needs.
 *
 * @throws when the outcome of the hand-over, or of a write, is unknown: the queue must deliver the message again.
 */
export async function dispatch(dependencies: DispatchDependencies, messageId: string): Promise<Dispatched> {
  const { clock } = dependencies;
  const claimId = dependencies.newId();
  const claim = await claimMessage(dependencies, messageId, {
    claimId,
    at: clock(),
    leaseSeconds: claimSeconds,
  });
  if (claim.outcome === 'unknown') return { outcome: 'unknown_message', message: undefined };
  const { message } = claim;
  const legDueAt = message.held === undefined ? nextLegDueAt(message) : undefined;
  const started =
    legDueAt !== undefined && legDueAt <= clock() ? await startNextLeg(dependencies, message) : undefined;
  if (claim.outcome === 'held') {
    const seconds = secondsUntil(message.handover_until, clock());
    const last = message.attempts?.at(-1);
    const waitsForReport = last !== undefined && last.outcome === undefined;
    const waits = waitsForReport || waitsUntil(message) !== undefined;
    // It has a queue message of its own, or a `due_at`, for the end of the wait.
    if (seconds > heldSecondsMax && waits) return { outcome: 'held', message };
    return { outcome: 'held', message, retryAfterSeconds: Math.min(heldSecondsMax, seconds) };
  }
  if (claim.outcome === 'not_sendable') {
    const looked = await look(dependencies, message, started === undefined ? legDueAt : undefined);
    const isAboutLeg = started !== undefined && looked.outcome === 'nothing_to_do';
    return isAboutLeg ? { outcome: started.outcome, message: started.leg ?? message } : looked;
  }
  const claimed = { message, claimId, carriers: dependencies.carriersFor(message) };
  const next = nextStep(message, claimed.carriers, dependencies.attemptRules, clock());
  switch (next.step) {
    case 'hand_over':
      // The person has the code, or it is of no use any more, so only the report of the earlier attempt is waited for.
      if (possiblyDoubled(next.attempts) && (await isOtpOver(dependencies, message)))
        return waitUntil(dependencies, claimed, new Date(message.expires_at));
      return handOver(dependencies, claimed, next);
    case 'repeat':
      return repeatAttempt(dependencies, claimed, next);
    case 'wait':
      return waitUntil(dependencies, claimed, next.until);
    case 'channel_off':
      return recordRefused(dependencies, message, messageError('channel_off'));
  }
}

async function isOtpOver({ otpLegs }: DispatchDependencies, { otp }: Message): Promise<boolean> {
  return otp !== undefined && !(await otpLegs.isPending(otp.otp_id));
}

async function handOver(
  dependencies: DispatchDependencies,
  claimed: Claimed,
  { carrier, attempts: planned }: Step<'hand_over'>,
): Promise<Dispatched> {
  const { clock } = dependencies;
  const { claimId } = claimed;
  const message = atCarrier(claimed.message, carrier.name, claimed.carriers);
  const { message_id: messageId } = message;
  // The checks precede the wait for the place: a call after it could take so long that the place is missed.
  const refusal = await refusalOf(dependencies, message);
  if (refusal !== undefined) {
    const notSent = { to: 'failed', at: clock(), notSent: true } as const;
    await transitionMessage(dependencies, messageId, { ...notSent, ...messageError(refusal.error) });
    return { outcome: refusal.outcome, message };
  }
  const turn = await waitForTurn(dependencies, claimed, message, carrier);
  if (turn.outcome === 'later') return turn.dispatched;
  const { prepared, placeMs } = turn;
  if (prepared === 'suppressed') {
    const notHandedOver = { to: 'failed', at: clock(), notSent: true, suppressed: true } as const;
    await transitionMessage(dependencies, messageId, { ...notHandedOver, ...messageError(optedOut) });
    return { outcome: 'suppressed', message };
  }
  const from = senderOf(message) ?? prepared.defaultSender;
  const callAt = laterOf(clock(), new Date(placeMs ?? 0));
  const attempts = begunAt(callAt, claimed.message, planned, from);
  const recorded = await recordAttempt(dependencies, messageId, claimId, {
    attempts,
    possiblyDoubled: possiblyDoubled(attempts),
  });
  // A receipt of an earlier attempt came meanwhile.
  if (!recorded) return { outcome: 'nothing_to_do', message };
  // The place was missed: the attempt is taken back, as it was not made.
  if (!(await isInPlace(dependencies, placeMs))) {
    const { attempts: before, attempt, possible_duplicate } = claimed.message;
    const takenBack = { attempts: before, attempt, possible_duplicate };
    const isReleased = await releaseMessage(dependencies, messageId, claimId, clock(), {
      ...takenBack,
      ...movedAfter(messageId, clock(), message.due_at, new Date(message.expires_at)),
    });
    if (!isReleased) await noteLateOutcome(dependencies, message, claimId, takenBack);
    return requeue(dependencies, 'waits_for_pace', message, outboundEntryOf(message));
  }
  return callCarrier(dependencies, { ...claimed, message: { ...message, attempts } }, carrier, prepared);
}

/**
 * Repeats an attempt that the carrier recognizes. The carrier may not have it yet, so the repeat passes the checks of a hand-over,
 * and takes a place of its own. If the message would not be handed over any more, nothing is repeated: a report settles the
 * attempt, or what the carrier is asked at the end.
 */
async function repeatAttempt(
  dependencies: DispatchDependencies,
  claimed: Claimed,
  { carrier }: Step<'repeat'>,
): Promise<Dispatched> {
  const message = atCarrier(claimed.message, carrier.name, claimed.carriers);
  const isRefused =
    (await isOtpOver(dependencies, message)) || (await refusalOf(dependencies, message)) !== undefined;
  // As urgent as a one-time password: the carrier was asked in time, and the message's deadline does not wait.
  const turn = isRefused
    ? undefined
    : await waitForTurn(dependencies, claimed, message, carrier, { kind: 'otp' });
  if (turn?.outcome === 'later') return turn.dispatched;
  if (turn !== undefined && turn.prepared !== 'suppressed') {
    if (await isInPlace(dependencies, turn.placeMs))
      return callCarrier(dependencies, { ...claimed, message }, carrier, turn.prepared, true);
    return waitUntil(dependencies, claimed, dependencies.clock());
  }
  const deadline = new Date(message.attempts?.at(-1)?.deadline ?? message.expires_at);
  const isLate = deadline <= dependencies.clock();
  return waitUntil(dependencies, claimed, isLate ? new Date(message.expires_at) : deadline);
}

type Turn =
  | {
      readonly outcome: 'now';
      readonly prepared: 'suppressed' | Prepared;
      /** The time of the call; undefined if the sender has no pace. */
      readonly placeMs: number | undefined;
    }
  | { readonly outcome: 'later'; readonly dispatched: Dispatched };

/** Reserves a place, if the message's sender has a pace, and prepares the call shortly before it. */
async function waitForTurn(
  dependencies: DispatchDependencies,
  { message: row, claimId }: Claimed,
  message: Message,
  carrier: ChosenCarrier,
  as: Partial<Pick<PacedMessage, 'kind'>> = {},
): Promise<Turn> {
  const { clock, pace } = dependencies;
  const paced = await pacedNow(dependencies, message);
  const turn = paced && (await pace.reserve({ ...paced, ...as }));
  if (turn?.outcome !== 'later') {
    const placeMs = turn?.atMs;
    if (placeMs !== undefined) await sleepUntil(dependencies, pace.preparationMs(placeMs));
    return { outcome: 'now', prepared: await prepareHandOver(dependencies, message, carrier), placeMs };
  }
  const until = new Date(turn.atMs);
  const entry = waitingEntryOf(outboundEntryOf(message), until, clock());
  // The queue comes first: if it fails, the claim is over when the received message comes again.
  const dispatched = await requeue(dependencies, 'waits_for_pace', message, entry);
  await releaseMessage(dependencies, row.message_id, claimId, addSeconds(until, -earlySecondsMax), {
    handover_claim: undefined,
    ...movedAfter(row.message_id, until, row.due_at, new Date(row.expires_at)),
  });
  return { outcome: 'later', dispatched };
}

/** Waits for the place. Returns false if it was missed. */
async function isInPlace(dependencies: DispatchDependencies, placeMs: number | undefined): Promise<boolean> {
  if (placeMs === undefined) return true;
  await sleepUntil(dependencies, placeMs);
  return dependencies.pace.isInTime(placeMs);
}

async function sleepUntil({ clock, sleep }: DispatchDependencies, atMs: number): Promise<void> {
  const ms = atMs - clock().getTime();
  if (ms > 0) await sleep(ms);
}

async function refusalOf(
  dependencies: DispatchDependencies,
  message: Message,
): Promise<{ readonly outcome: DispatchOutcome; readonly error: MessageErrorCode } | undefined> {
  if (await dependencies.isDisabled(message.client_id))
    return { outcome: 'client_disabled', error: 'client_disabled' };
  if (message.refusal !== undefined) return { outcome: 'leg_refused', error: message.refusal };
  const isNeeded = !(await isReplaced(dependencies, message));
  return isNeeded ? undefined : { outcome: 'not_needed', error: 'not_needed' };
}

/** Returns what the next attempt is sent from; undefined if the carrier's own sender is used. */
function senderOf({ attempts: _earlier, ...message }: Message): string | undefined {
  return fromOf(message);
}

/**
 * Reads the suppression shortly before the call, because the recipient may opt out while the message waits. The carrier reads
 * its secret, which could take so long in the call that the place is missed.
 */
async function prepareHandOver(
  dependencies: DispatchDependencies,
  message: Message,
  carrier: ChosenCarrier,
): Promise<'suppressed' | Prepared> {
  // Its secret may be missing: then the hand-over says so.
  const defaultSender = await carrier.defaultSender?.().catch(() => undefined);
  const from = senderOf(message) ?? defaultSender;
  if (await dependencies.suppressions.isSuppressed(message, from)) return 'suppressed';
  const toSend = await withTemplate(dependencies, message);
  return { toSend, body: await dependencies.bodyOf(toSend), defaultSender };
}

/** The message with its fallback template in place of its content, where WhatsApp would refuse the content. */
async function withTemplate(dependencies: DispatchDependencies, message: Message): Promise<Message> {
  const { fallback_template: template, text: _text, ...rest } = message;
  if (template === undefined) return message;
  const openedAt = await windowOpenedAt(dependencies, message.client_id, message.recipient);
  return windowEnd(openedAt, dependencies.clock()) === undefined
    ? { ...rest, whatsapp: { type: 'template', template } }
    : message;
}

/**
 * Does what the state of a message needs that cannot be claimed: it is not due yet, waits for its receipt, or is over. Then
 * sets the next look.
 *
 * @param legDueAt - the time of the next leg, if it is later
 */
async function look(
  dependencies: DispatchDependencies,
  message: Message,
  legDueAt: Date | undefined,
): Promise<Dispatched> {
  const { clock } = dependencies;
  const { message_id: messageId } = message;
  const now = clock();
  if (message.held !== undefined) return { outcome: 'nothing_to_do', message };
  if (message.status === 'scheduled') {
    const startsAt = new Date(message.scheduled_at ?? message.created_at);
    if (startsAt <= now) {
      const queued = await transitionMessage(dependencies, messageId, { to: 'queued', at: now });
      const until = queued && waitsUntil(queued);
      if (queued === undefined || until === undefined || until <= addSeconds(now, earlySecondsMax))
        return dispatch(dependencies, messageId);
      const waiting = await requeue(dependencies, 'waits_for_pace', queued, queuedEntryOf(queued, now));
      await setNextLook(dependencies, queued, earlierOf(lookAfter(until), new Date(queued.expires_at)));
      return waiting;
    }
    if (isNear(startsAt, now))
      return requeue(dependencies, 'not_yet_due', message, outboundEntryAt(message, startsAt, now));
  }
  const expiresAt = new Date(message.expires_at);
  if (!transitions[message.status].final && message.status !== 'scheduled' && expiresAt <= now) {
    const { hasFailed, ...asked } = await lookUp(dependencies, message, dependencies.carriersFor(message));
    if (hasFailed && now < addSeconds(expiresAt, askedForSeconds)) {
      await requeue(dependencies, asked.outcome, message, outboundEntryOf(message, answerSeconds));
      return asked;
    }
    const expired = await transitionMessage(dependencies, messageId, expiry(now));
    return expired === undefined ? asked : { outcome: 'expired', message: expired };
  }
  if (legDueAt !== undefined && legDueAt <= addSeconds(now, clockAheadSecondsMax))
    return requeue(dependencies, 'leg_not_due', message, outboundEntryAt(message, legDueAt, now));
  const next = nextLookOf(message, legDueAt);
  if (next?.toISOString() !== message.due_at) await setNextLook(dependencies, message, next);
  return { outcome: 'nothing_to_do', message };
}
