/**
 * Hands a queued message over to its carrier, once. The steps, in the order of this file: read, decide (next-step.ts),
 * check, wait for the pace, claim the message with its attempt, call the carrier, record the outcome (record-outcome.ts).
 * docs/decisions/hand-over-lease.md gives the reasons.
 *
 * The claim and the attempt are one conditional write, which fails if anybody has claimed or changed the message since it
 * was read. So only one of two workers makes the call. If a process dies, the claim expires and the queue delivers the
 * message again.
 *
 *   before the claim ─ crash → nothing is written: the queue delivers the message again
 *   claimed with an attempt, carrier.handOver ─ crash, or no response → it is unknown if the carrier has the message:
 *                      next-step.ts decides; a second message only if the stage sends this kind again
 *   transition to sent | failed ─ crash → a receipt changes the row, or the attempt is settled as an unknown one
 *
 * If a message must wait, a new queue message with a delay replaces the received one.
 *   new queue message ─ crash → both are delivered; the second finds the message waiting, claimed or sent
 *
 * A worker acts only on the state of the row, whatever caused the queue message. It therefore also starts the next leg of a
 * fallback (start-next-leg.ts), and handles a message that cannot be claimed (look-at-message.ts).
 *   any of these ─ crash → the queue delivers the message again, or the due index queues it
 *
 * A message of a sender with a pace is handed over in a place that it reserved (sender-pace.dynamo.ts).
 *   place reserved ─ crash → the place is unused; the next delivery of the queue message reserves another
 *   claimed with an attempt, and the place missed ─ crash → an unknown attempt, as above
 */
import {
  earlySecondsMax,
  heldSecondsMax,
  lastTrySeconds,
  recipientWaitSeconds,
} from '../../contract/hand-over-times.ts';
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { dueFields, movedAfter } from '../../due/due-index.ts';
import type { Row } from '../../platform/aws/read-rows.dynamo.ts';
import { addSeconds, earlierOf, laterOf } from '../../platform/clock.ts';
import { fromOf, type StoredAttempt } from '../attempt.ts';
import { type Message, waitsUntil } from '../message.ts';
import { claimMessage, releaseMessage, transitionMessage } from '../store/message-changes.dynamo.ts';
import { isNear } from '../store/message-row.ts';
import { readMessage } from '../store/messages.dynamo.ts';
import { withFallbackTemplate } from '../store/whatsapp-window.dynamo.ts';
import type { ChosenCarrier, HandOver, HandOverBody } from './carrier.ts';
import type { DispatchContext, Dispatched } from './dispatch-context.ts';
import { nextLegDueAt } from './fallback.ts';
import { lookAtMessage, requeue } from './look-at-message.ts';
import {
  atCarrier,
  attemptFor,
  begunAt,
  handOverBackoffSeconds,
  isClaimed,
  mayBeClaimed,
  nextHandOverStep,
  possiblyDoubled,
  settledAt,
  stepAfterResponse,
  withOutcome,
} from './next-step.ts';
import { outboundEntryOf, type QueuedMessage, waitingEntryOf } from './outbound-queue.sqs.ts';
import { pacedNow } from './paced-message.ts';
import { readBeforeCall } from './read-before-call.dynamo.ts';
import { noteLateOutcome, recordRefused, recordSent } from './record-outcome.ts';
import { reservePlace, slowDownSender, waitForPlace, waitToPrepare } from './sender-pace.dynamo.ts';
import { isReplaced, startNextLeg } from './start-next-leg.ts';

/** Processes one queue message. If the message must wait long for its sender's pace, it is only queued again. */
export async function dispatchQueued(
  ctx: DispatchContext,
  { message_id: messageId, waits }: QueuedMessage,
): Promise<Dispatched> {
  const now = ctx.clock();
  if (waits === undefined || new Date(waits.until) <= addSeconds(now, earlySecondsMax))
    return dispatch(ctx, messageId);
  const { client_id: clientId, kind, until } = waits;
  const entry = waitingEntryOf({ messageId, clientId, kind }, new Date(until), now);
  return requeue(ctx, 'waits_for_pace', undefined, entry);
}

/**
 * Starts the next leg of the message if it is due. Then hands the message over, or does what its state requires.
 *
 * @throws if the outcome of the hand-over or of a write is unknown; the queue then delivers the message again
 */
export async function dispatch(ctx: DispatchContext, messageId: string): Promise<Dispatched> {
  const message = await readMessage(ctx, messageId);
  if (message === undefined) return { outcome: 'unknown_message', message };
  const legDueAt = message.held === undefined ? nextLegDueAt(message) : undefined;
  const leg =
    legDueAt !== undefined && legDueAt <= ctx.clock() ? await startNextLeg(ctx, message) : undefined;
  const now = ctx.clock();
  if (mayBeClaimed(message, now)) return decide(ctx, message, ctx.carriersFor(message));
  if (isClaimed(message, now)) return heldByAnother(message, now);
  const looked = await lookAtMessage(ctx, message, leg === undefined ? legDueAt : undefined);
  if (looked.outcome === 'queued') return dispatch(ctx, messageId);
  const isAboutLeg = leg !== undefined && looked.outcome === 'nothing_to_do';
  return isAboutLeg ? { outcome: leg.outcome, message: leg.leg ?? message } : looked;
}

/** Returns when the queue must deliver a message again that another worker has claimed. */
function heldByAnother(message: Message, now: Date): Dispatched {
  const ends = Date.parse(message.handover_until ?? now.toISOString());
  const seconds = Math.max(1, Math.ceil((ends - now.getTime()) / 1000));
  const last = message.attempts?.at(-1);
  const waitsForReport = last !== undefined && last.outcome === undefined;
  // Another queue message, or the `due_at` of the row, continues the message after the wait.
  if (seconds > heldSecondsMax && (waitsForReport || waitsUntil(message) !== undefined))
    return { outcome: 'held', message };
  return { outcome: 'held', message, retryAfterSeconds: Math.min(heldSecondsMax, seconds) };
}

/** Decides on the next step of the message, and takes it. */
async function decide(
  ctx: DispatchContext,
  message: Message,
  carriers: readonly ChosenCarrier[],
): Promise<Dispatched> {
  const rules = { onUnknown: ctx.env.ON_UNKNOWN, deadlineSeconds: ctx.env.UNKNOWN_DEADLINE_SECONDS };
  const next = nextHandOverStep(message, carriers, rules, ctx.clock());
  switch (next.step) {
    case 'hand_over':
      return makeAttempt(ctx, message, carriers, next.carrier, next.attempts);
    case 'repeat':
      return makeAttempt(ctx, message, carriers, next.carrier);
    case 'wait':
      return releaseUntil(ctx, message, next.until);
    case 'channel_off':
      return withClaim(ctx, message, {}, (claimed) =>
        recordRefused(ctx, claimed, messageError('channel_off'), { isNewAttempt: false }),
      );
  }
}

/**
 * Makes an attempt: checks the message, waits for the pace of its sender, claims it with the attempt, and calls the carrier.
 *
 * A repeat of a recorded attempt has no `planned` attempts. The carrier may not have the attempt yet, so the repeat passes
 * the same checks and reserves its own place. If the message may no longer be handed over, the attempt is not repeated. Its
 * outcome then comes from a report, or from a look-up when the message ends.
 *
 * @param row - the message as it was read
 * @param planned - the attempts to store; the last one is about to be made
 */
async function makeAttempt(
  ctx: DispatchContext,
  row: Message,
  carriers: readonly ChosenCarrier[],
  carrier: ChosenCarrier,
  planned?: readonly StoredAttempt[],
): Promise<Dispatched> {
  const message = atCarrier(row, carrier.name, carriers);
  const isRepeat = planned === undefined;

  // The checks come before the wait for the place, because after the wait they could take so long that the place is missed.
  const mayHaveArrived = isRepeat || possiblyDoubled(planned);
  if (mayHaveArrived && (await isOtpOver(ctx, message)))
    return isRepeat ? releaseForReport(ctx, row) : releaseUntil(ctx, row, new Date(message.expires_at));
  const refusal = await refusalOf(ctx, message);
  if (refusal !== undefined) return isRepeat ? releaseForReport(ctx, row) : failUnsent(ctx, message, refusal);

  const turn = await waitForTurn(ctx, message, carrier, isRepeat);
  if ('dispatched' in turn) return turn.dispatched;
  const { prepared, placeMs } = turn;
  if (prepared === 'suppressed')
    return isRepeat ? releaseForReport(ctx, row) : failUnsent(ctx, message, suppressedRefusal);

  const from = senderOf(message) ?? prepared.defaultSender;
  const callAt = laterOf(ctx.clock(), new Date(placeMs ?? 0));
  const recorded = isRepeat ? {} : recordOf(begunAt(callAt, row, planned, from));
  return withClaim(ctx, message, recorded, async (claimed) => {
    if (await waitForPlace(ctx, placeMs))
      return callCarrier(ctx, claimed, carriers, carrier, prepared, isRepeat);
    return isRepeat ? releaseUntil(ctx, claimed, ctx.clock()) : takeBackAttempt(ctx, claimed, row);
  });
}

/** Returns the fields that record the attempts; the last one is about to be made. */
function recordOf(attempts: StoredAttempt[]): Partial<Message> {
  const attempt = { attempt: attempts.at(-1)?.number };
  // A message that was released after a restore already has this field.
  return { attempts, ...attempt, ...(possiblyDoubled(attempts) ? { possible_duplicate: true } : {}) };
}

/**
 * True if the recipient has verified the code, or the code is no longer valid. The message then only waits for the report
 * of its attempt.
 */
async function isOtpOver({ otpLegs }: DispatchContext, { otp }: Message): Promise<boolean> {
  return otp !== undefined && !(await otpLegs.isPending(otp.otp_id));
}

interface UnsentReason {
  readonly outcome: Dispatched['outcome'];
  readonly error: MessageErrorCode;
  readonly suppressed?: true;
}

const suppressedRefusal: UnsentReason = {
  outcome: 'suppressed',
  error: 'recipient_opted_out',
  suppressed: true,
};

/** Returns why the message may no longer be handed over; undefined if it may. */
async function refusalOf(ctx: DispatchContext, message: Message): Promise<UnsentReason | undefined> {
  if (await ctx.isDisabled(message.client_id))
    return { outcome: 'client_disabled', error: 'client_disabled' };
  if (message.refusal !== undefined) return { outcome: 'leg_refused', error: message.refusal };
  return (await isReplaced(ctx, message)) ? { outcome: 'not_needed', error: 'not_needed' } : undefined;
}

/** Ends a message that was not handed over. The claim proves that no other worker is handing it over. */
function failUnsent(
  ctx: DispatchContext,
  message: Message,
  { outcome, error, suppressed }: UnsentReason,
): Promise<Dispatched> {
  return withClaim(ctx, message, {}, async () => {
    const unsent = { to: 'failed', at: ctx.clock(), notSent: true, suppressed } as const;
    await transitionMessage(ctx, message.message_id, { ...unsent, ...messageError(error) });
    return { outcome, message };
  });
}

interface Prepared {
  readonly toSend: Message;
  readonly body: HandOverBody;
  /** The carrier's default sender, from `Carrier.defaultSender`. */
  readonly defaultSender: string | undefined;
  /** The row of its contact (contacts.dynamo.ts). */
  readonly contact: Row | undefined;
}

/**
 * Reserves a place if the message's sender has a pace, and prepares the call shortly before it. If no place is near, queues
 * the message again. If the queued time is after the end of the message, the message tries once more shortly before its
 * end, and then expires.
 *
 * @returns `placeMs`, the time of the call; undefined if the sender has no pace
 */
async function waitForTurn(
  ctx: DispatchContext,
  message: Message,
  carrier: ChosenCarrier,
  isRepeat: boolean,
): Promise<
  | { readonly dispatched: Dispatched }
  | { readonly prepared: 'suppressed' | Prepared; readonly placeMs: number | undefined }
> {
  const { message_id: messageId, due_at } = message;
  const paced = await pacedNow(ctx, message);
  // A repeat is as urgent as a one-time password, because its deadline is fixed.
  const turn = paced && (await reservePlace(ctx, { ...paced, ...(isRepeat ? { kind: 'otp' } : {}) }));
  const end = new Date(message.expires_at);
  const lastTry = addSeconds(end, -lastTrySeconds);
  const isTooLate = turn !== undefined && turn.atMs >= end.getTime();
  if (isTooLate && lastTry <= ctx.clock())
    return { dispatched: { ...(await releaseUntil(ctx, message, end)), outcome: 'waits_for_pace' } };
  if (turn?.outcome !== 'later') {
    const placeMs = turn?.atMs;
    await waitToPrepare(ctx, placeMs);
    return { prepared: await prepareCall(ctx, message, carrier), placeMs };
  }
  const until = isTooLate ? lastTry : new Date(turn.atMs);
  const entry = waitingEntryOf(outboundEntryOf(message), until, ctx.clock());
  // The queue message is sent first: if this fails, the received message is delivered again.
  const dispatched = await requeue(ctx, 'waits_for_pace', message, entry);
  await releaseMessage(ctx, message, addSeconds(until, -earlySecondsMax), {
    handover_claim: undefined,
    ...movedAfter(messageId, until, due_at, end),
  });
  return { dispatched };
}

/**
 * Reads suppressions shortly before the call, because the recipient may opt out while the message waits. Also reads the
 * carrier's secret, which during the call could take so long that the place is missed.
 */
async function prepareCall(
  ctx: DispatchContext,
  message: Message,
  carrier: ChosenCarrier,
): Promise<'suppressed' | Prepared> {
  // A missing secret is ignored here, because the hand-over reports it.
  const defaultSender = await carrier.defaultSender?.().catch(() => undefined);
  const { isSuppressed, contact } = await readBeforeCall(ctx, message, senderOf(message) ?? defaultSender);
  if (isSuppressed) return 'suppressed';
  const toSend = await withFallbackTemplate(ctx, message);
  return { toSend, body: await ctx.bodyOf(toSend), defaultSender, contact };
}

/** Returns the sender of the next attempt; undefined if the carrier's default sender is used. */
function senderOf({ attempts: _earlier, ...message }: Message): string | undefined {
  return fromOf(message);
}

/** Claims the message and continues with it. If another worker claimed it first, the queue delivers it again. */
async function withClaim(
  ctx: DispatchContext,
  message: Message,
  fields: Partial<Message>,
  goOn: (claimed: Message) => Promise<Dispatched>,
): Promise<Dispatched> {
  const claim = { claimId: ctx.newId(), at: ctx.clock() };
  const claimed = await claimMessage(ctx, message, claim, fields);
  return claimed === undefined ? { outcome: 'held', message, retryAfterSeconds: 1 } : goOn(claimed);
}

/**
 * Removes a recorded attempt that missed its place, so that the message reserves another place.
 *
 * @param row - the message before the attempt was recorded
 */
async function takeBackAttempt(ctx: DispatchContext, claimed: Message, row: Message): Promise<Dispatched> {
  const { message_id: messageId, attempts, attempt, possible_duplicate, due_at, expires_at } = row;
  const before = { attempts, attempt, possible_duplicate };
  const now = ctx.clock();
  const due = movedAfter(messageId, now, due_at, new Date(expires_at));
  if (!(await releaseMessage(ctx, claimed, now, { ...before, ...due })))
    await noteLateOutcome(ctx, claimed, before);
  return requeue(ctx, 'waits_for_pace', row, outboundEntryOf(row));
}

/** Calls the carrier with the recorded attempt, and stores the outcome. */
async function callCarrier(
  ctx: DispatchContext,
  message: Message,
  carriers: readonly ChosenCarrier[],
  carrier: ChosenCarrier,
  { toSend, body, contact }: Prepared,
  isRepeat: boolean,
): Promise<Dispatched> {
  const { message_id: messageId, attempts = [] } = message;
  const attempt = attempts.at(-1);
  if (attempt === undefined) throw new Error('a call without an attempt');
  let response: HandOver;
  try {
    const asked = attemptFor(message, attempt);
    response = await carrier.handOver({ message: { ...toSend, attempts }, body, attempt: asked });
  } catch (error) {
    ctx.warn('it is not known whether the carrier has the message', error);
    return releaseUntil(ctx, message, settledAt(message, carrier.settledBy, ctx.clock()));
  }
  if (response.outcome === 'accepted') return recordSent(ctx, message, response, contact);
  const step = stepAfterResponse(attempts, carriers, response, isRepeat);
  if (step === 'failed' && response.outcome === 'refused')
    return recordRefused(ctx, message, response, { isNewAttempt: !isRepeat });
  const isForRecipient = response.outcome === 'throttled' && response.forRecipient === true;
  const slowsSender = response.outcome === 'throttled' && !isForRecipient;
  if (step === 'unknown') {
    if (slowsSender) await slowDownSender(ctx, message);
    return releaseUntil(ctx, message, settledAt(message, carrier.settledBy, ctx.clock()));
  }
  const now = ctx.clock();
  const backoffSeconds = step === 'next_carrier' ? 0 : handOverBackoffSeconds(attempt.number);
  const seconds = isForRecipient ? Math.max(recipientWaitSeconds, backoffSeconds) : backoffSeconds;
  const more = isForRecipient ? { for_recipient: true as const } : {};
  const outcome = { attempts: withOutcome(attempts, response.outcome, more) };
  const due = movedAfter(messageId, addSeconds(now, seconds), message.due_at, new Date(message.expires_at));
  if (!(await releaseMessage(ctx, message, now, { ...outcome, ...due })))
    await noteLateOutcome(ctx, message, outcome);
  if (slowsSender) await slowDownSender(ctx, message);
  return requeue(
    ctx,
    step === 'next_carrier' ? step : 'try_again',
    message,
    outboundEntryOf(message, seconds),
  );
}

/** Waits for the report of the last attempt until its deadline, and after that until the end of the message. */
function releaseForReport(ctx: DispatchContext, message: Message): Promise<Dispatched> {
  const { attempts, expires_at } = message;
  const deadline = new Date(attempts?.at(-1)?.deadline ?? expires_at);
  return releaseUntil(ctx, message, deadline <= ctx.clock() ? new Date(expires_at) : deadline);
}

/**
 * Releases the message until `latest`, or until its end if that comes first. The due index queues the message if its queue
 * message is lost or cannot wait so long, and also when its validity ends. By then the claim has ended, and a worker asks
 * the carrier.
 */
async function releaseUntil(ctx: DispatchContext, message: Message, latest: Date): Promise<Dispatched> {
  const { message_id: messageId, expires_at, due_at } = message;
  const end = new Date(expires_at);
  const until = earlierOf(latest, end);
  const now = ctx.clock();
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000));
  const isQueued = until < end && isNear(until, now);
  // The queue message is sent first: if this fails, the claim has ended when the received message is delivered again.
  const waiting: Dispatched = isQueued
    ? await requeue(ctx, 'unknown_outcome', message, outboundEntryOf(message, seconds))
    : { outcome: 'unknown_outcome', message };
  const due = isQueued ? movedAfter(messageId, until, due_at, end) : dueFields(messageId, until);
  await releaseMessage(ctx, message, until, due);
  return waiting;
}
