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
 * A message of a sender with a pace is handed over in its slot (reserve-slots.ts). It waits for it in the queue, and the last
 * seconds in the worker.
 *   slot reserved ─ crash → the slot is unused; the next delivery of the queue message reserves another
 *   attempt recorded after the slot is over ─ crash → an unknown attempt, as above
 *
 * Why: docs/decisions/hand-over-lease.md
 */
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { addSeconds } from '../../platform/clock.ts';
import { fromOf } from '../attempt.ts';
import type { Message } from '../message.ts';
import { isOver, type Slot } from '../slot.ts';
import { expiry } from '../store/message-store.ts';
import { windowEnd } from '../store/whatsapp-window.dynamo.ts';
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
import { atCarrier, begunAt, nextStep, possiblyDoubled } from './next-step.ts';
import { nextLegEntryOf, outboundEntryOf, type QueuedMessage, untilSlot } from './outbound-queue.sqs.ts';
import { type PacedMessage, pacedMessageOf, pacedNow, workerWaitMs } from './reserve-slots.ts';
import { isReplaced, startNextLeg } from './start-next-leg.ts';

/** A claim of a message holds longer than the function runs, so the worker has ended when its claim expires. */
export const claimSeconds = 20;

/** A carrier that cannot be asked about a message is asked again for so long after the end of the message. */
const askedForSeconds = 900;

/** The longest wait for a claim: a wrong clock or an edited row may have set its end far ahead. */
const heldSecondsMax = 2 * claimSeconds;

/**
 * Processes one queue message. One that waits for a slot further ahead is only queued anew; one about the next leg of a
 * message starts that, if it is due.
 */
export async function dispatchQueued(
  dependencies: DispatchDependencies,
  { message_id: messageId, slot, next_leg }: QueuedMessage,
): Promise<Dispatched> {
  if (next_leg === true) return startLegAfter(dependencies, messageId);
  const now = dependencies.clock();
  if (slot === undefined || Date.parse(slot.at) - now.getTime() <= workerWaitMs)
    return dispatch(dependencies, messageId);
  const entry = untilSlot({ messageId, clientId: slot.client_id, kind: slot.kind }, slot.at, now);
  return requeue(dependencies, 'waits_for_slot', undefined, entry);
}

async function startLegAfter(dependencies: DispatchDependencies, messageId: string): Promise<Dispatched> {
  const started = await startNextLeg({ ...dependencies, newWorkId: dependencies.newClaimId }, messageId);
  if (started.outcome !== 'leg_not_due')
    return { outcome: started.outcome, message: started.leg ?? started.previous };
  const { previous, dueAt } = started;
  // The delay is at least a second, so that a clock that is slow catches up.
  const entry = nextLegEntryOf(previous, dueAt, dependencies.clock());
  const delaySeconds = Math.max(1, entry.delaySeconds);
  return requeue(dependencies, 'leg_not_due', previous, { ...entry, delaySeconds });
}

/**
 * Hands the message over, if it is due.
 *
 * @throws when the outcome of the hand-over, or of a write, is unknown: the queue must deliver the message again.
 */
export async function dispatch(dependencies: DispatchDependencies, messageId: string): Promise<Dispatched> {
  const { messages, clock } = dependencies;
  const claimId = dependencies.newClaimId();
  const claim = await messages.claim(messageId, { claimId, at: clock(), leaseSeconds: claimSeconds });
  if (claim.outcome === 'unknown') return { outcome: 'unknown_message', message: undefined };
  const { message } = claim;
  if (claim.outcome === 'held') {
    const seconds = secondsUntil(message.handover_until, clock());
    const last = message.attempts?.at(-1);
    const waitsForReport = last !== undefined && last.outcome === undefined;
    // It has a queue message or a due item of its own for the end of the wait.
    if (seconds > heldSecondsMax && waitsForReport) return { outcome: 'held', message };
    return { outcome: 'held', message, retryAfterSeconds: Math.min(heldSecondsMax, seconds) };
  }
  if (claim.outcome === 'not_sendable') return handleNotSendable(dependencies, message);
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
  const { messages, clock } = dependencies;
  const { claimId } = claimed;
  const message = atCarrier(claimed.message, carrier.name, claimed.carriers);
  const { message_id: messageId } = message;
  // The checks precede the wait for the slot: a call after it could take so long that the slot is missed.
  const refusal = await refusalOf(dependencies, message);
  if (refusal !== undefined) {
    const notSent = { to: 'failed', at: clock(), notSent: true } as const;
    await messages.transition(messageId, { ...notSent, ...messageError(refusal.error) });
    return { outcome: refusal.outcome, message };
  }
  const waited = await waitForSlot(dependencies, claimed, message, carrier);
  if (waited.outcome === 'later') return waited.dispatched;
  if (waited.prepared === 'suppressed') {
    const notHandedOver = { to: 'failed', at: clock(), notSent: true, suppressed: true } as const;
    await messages.transition(messageId, { ...notHandedOver, ...messageError(optedOut) });
    return { outcome: 'suppressed', message };
  }
  const from = senderOf(message) ?? waited.prepared.defaultSender;
  const attempts = begunAt(clock(), claimed.message, planned, from);
  const recorded = await messages.recordAttempt(messageId, claimId, {
    attempts,
    possiblyDoubled: possiblyDoubled(attempts),
  });
  // A receipt of an earlier attempt came meanwhile.
  if (!recorded) return { outcome: 'nothing_to_do', message };
  // The write took so long that the call would count in the next second: the attempt is taken back, as it was not made.
  if (waited.slot !== undefined && isOver(waited.slot, clock())) {
    const { attempts: before, attempt, possible_duplicate } = claimed.message;
    const takenBack = { attempts: before, attempt, possible_duplicate };
    const isReleased = await messages.release(messageId, claimId, clock(), takenBack);
    if (!isReleased) await noteLateOutcome(dependencies, message, claimId, takenBack);
    return requeue(dependencies, 'waits_for_slot', message, outboundEntryOf(message));
  }
  return callCarrier(
    dependencies,
    { ...claimed, message: { ...message, attempts } },
    carrier,
    waited.prepared,
  );
}

/**
 * The carrier recognizes the attempt, but may not have it yet: so the repeat passes the checks of a hand-over, and has a slot of
 * its own, because others were sent meanwhile. Where the message would not be handed over any more, nothing is repeated: a report
 * settles the attempt, or what the carrier is asked at the end.
 */
async function repeatAttempt(
  dependencies: DispatchDependencies,
  claimed: Claimed,
  { carrier }: Step<'repeat'>,
): Promise<Dispatched> {
  const message = atCarrier(claimed.message, carrier.name, claimed.carriers);
  const isRefused =
    (await isOtpOver(dependencies, message)) || (await refusalOf(dependencies, message)) !== undefined;
  // The next free place: the carrier was asked in time, and the message's deadline does not wait for those behind it.
  const turn = isRefused
    ? undefined
    : await waitForSlot(dependencies, claimed, message, carrier, { kind: 'otp' });
  if (turn?.outcome === 'later') return turn.dispatched;
  if (turn !== undefined && turn.prepared !== 'suppressed')
    return callCarrier(dependencies, { ...claimed, message }, carrier, turn.prepared, true);
  const deadline = new Date(message.attempts?.at(-1)?.deadline ?? message.expires_at);
  const isLate = deadline <= dependencies.clock();
  return waitUntil(dependencies, claimed, isLate ? new Date(message.expires_at) : deadline);
}

type Turn =
  | {
      readonly outcome: 'now';
      readonly prepared: 'suppressed' | Prepared;
      /** Undefined where the sender has no pace. */
      readonly slot: Slot | undefined;
    }
  | { readonly outcome: 'later'; readonly dispatched: Dispatched };

/** Prepares the call of the carrier, in a slot of the message's sender if that has a pace. */
async function waitForSlot(
  dependencies: DispatchDependencies,
  { message: row, claimId }: Claimed,
  message: Message,
  carrier: ChosenCarrier,
  as: Partial<Pick<PacedMessage, 'kind'>> = {},
): Promise<Turn> {
  const { messages, clock, pace } = dependencies;
  const paced = await pacedNow(dependencies, message);
  const prepare = () => prepareHandOver(dependencies, message, carrier);
  if (paced === undefined) return { outcome: 'now', prepared: await prepare(), slot: undefined };
  const waited = await pace.waitForSlot({ ...paced, ...as }, unusedSlot(row, paced), prepare);
  if (waited.outcome === 'now') return waited;
  const slot = slotOf(row, paced, waited.slot);
  await messages.release(row.message_id, claimId, clock(), { slot });
  // Otherwise the due-item index ends it when it expires.
  const dispatched: Dispatched =
    slot.at >= message.expires_at
      ? { outcome: 'waits_for_slot', message }
      : await requeue(
          dependencies,
          'waits_for_slot',
          message,
          untilSlot(outboundEntryOf(message), slot.at, clock()),
        );
  return { outcome: 'later', dispatched };
}

/** Returns the slot of this sender that no attempt has used yet. */
function unusedSlot(row: Message, { identity }: PacedMessage): Slot | undefined {
  const { slot, attempts } = row;
  if (slot === undefined || (slot.identity ?? pacedMessageOf(row)?.identity) !== identity) return undefined;
  const last = attempts?.at(-1);
  return last !== undefined && slot.period_start <= last.at ? undefined : slot;
}

/** Returns the slot as the row has it, which names its sender where that is not the sender of the row. */
function slotOf(row: Message, { identity }: PacedMessage, slot: Slot): Slot {
  const { identity: _before, ...rest } = slot;
  return identity === pacedMessageOf(row)?.identity ? rest : { ...rest, identity };
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
 * Reads the suppression when the slot has come: while the message waits, the person may opt out. The carrier reads its secret,
 * which could take so long in the call that the slot is missed.
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
async function withTemplate({ windows, clock }: DispatchDependencies, message: Message): Promise<Message> {
  const { fallback_template: template, text: _text, ...rest } = message;
  if (template === undefined) return message;
  const openedAt = await windows.openedAt(message.client_id, message.recipient);
  return windowEnd(openedAt, clock()) === undefined
    ? { ...rest, whatsapp: { type: 'template', template } }
    : message;
}

/** Handles a message that cannot be claimed: it is not due yet, has expired, or needs nothing. */
async function handleNotSendable(dependencies: DispatchDependencies, message: Message): Promise<Dispatched> {
  if (message.held !== undefined) return { outcome: 'nothing_to_do', message };
  const now = dependencies.clock();
  if (message.status === 'scheduled') {
    if ((message.scheduled_at ?? '') > now.toISOString()) {
      const entry = outboundEntryOf(message, secondsUntil(message.scheduled_at, now));
      return requeue(dependencies, 'not_yet_due', message, entry);
    }
    await dependencies.messages.transition(message.message_id, { to: 'queued', at: now });
    return { outcome: 'queued', message };
  }
  const toHandOver = message.status === 'queued' || message.status === 'sending';
  const isOver = message.expires_at <= now.toISOString();
  if (message.status !== 'sent' && !(toHandOver && isOver)) return { outcome: 'nothing_to_do', message };
  const { hasFailed, ...asked } = await lookUp(dependencies, message, dependencies.carriersFor(message));
  // The review has the question repeated (relay/expire-messages.ts).
  const isRepeated = hasFailed && now < addSeconds(new Date(message.expires_at), askedForSeconds);
  if (!isOver || isRepeated) return asked;
  const expired = await dependencies.messages.transition(message.message_id, expiry(now));
  return expired === undefined ? asked : { outcome: 'expired', message: expired };
}
