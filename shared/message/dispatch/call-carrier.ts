/** Makes the recorded attempt of a claimed message, or asks about it, and writes what came of it. */
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import { dueFields, movedAfter } from '../../due/due-index.ts';
import { addSeconds, earlierOf } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { retry } from '../../platform/retry.ts';
import type { CurrentPaceOf } from '../../sender/current-pace.ts';
import { mayBeTaken, noneMayArrive, shownAttempt } from '../attempt.ts';
import type { Message } from '../message.ts';
import { isNear } from '../next-look.ts';
import { noteContact } from '../store/contacts.dynamo.ts';
import {
  addAttemptCost,
  noteHandOver,
  noteOutcome,
  releaseMessage,
  transitionMessage,
} from '../store/message-changes.dynamo.ts';
import type { SuppressionStore } from '../suppression/suppression-store.dynamo.ts';
import type { ChosenCarrier, HandOver, HandOverBody } from './carrier.ts';
import { type AttemptRules, asked, hasNext, type NextStep, withOutcome } from './next-step.ts';
import { type OutboundEntry, type OutboundQueue, outboundEntryOf } from './outbound-queue.sqs.ts';
import { slowDownSender } from './paced-message.ts';
import { recordReceipts } from './record-receipts.ts';
import type { SenderPaces } from './sender-pace.dynamo.ts';
import type { OtpLegs, startNextLeg } from './start-next-leg.ts';

export interface DispatchDependencies
  extends Context<'MESSAGES_TABLE' | 'RETENTION_DAYS' | 'WHATSAPP_WINDOWS_TABLE'> {
  /** The preferred carrier first; none where the channel was turned off. */
  readonly carriersFor: (message: Message) => readonly ChosenCarrier[];
  /** What happens where it is not known whether a carrier has a message. */
  readonly attemptRules: AttemptRules;
  /** Makes the body to hand over; for a one-time password, the text with its code. */
  readonly bodyOf: (message: Message) => Promise<HandOverBody>;
  /** Whether an administrator disabled the client; at most 60 s old. */
  readonly isDisabled: (clientId: string) => Promise<boolean>;
  readonly pace: SenderPaces;
  readonly currentPaceOf: CurrentPaceOf;
  /** The suppressions are read at each hand-over, so that an opt-out counts for what is queued and scheduled. */
  readonly suppressions: Pick<SuppressionStore, 'isSuppressed'>;
  /**
   * Suppresses the recipient, because the carrier says that the person opted out, unless the person opted in since.
   * Returns whether the recipient is suppressed now; repeating it is safe.
   */
  readonly recordOptOut: (message: Message, at: Date) => Promise<boolean>;
  readonly outbound: OutboundQueue;
  /** The caps that a leg takes from when it starts. */
  /** Takes messages from the caps of a client. @throws GatewayError if a cap has no room for them */
  readonly takeFromCaps: (clientId: string, messages: readonly Message[], now: Date) => Promise<void>;
  readonly otpLegs: OtpLegs;
}

export type DispatchOutcome =
  | 'sent'
  | 'refused'
  | 'client_disabled'
  | 'suppressed'
  | 'expired'
  | 'queued'
  | 'try_again'
  | 'next_carrier'
  | 'unknown_outcome'
  | 'looked_up'
  | 'held'
  | 'not_yet_due'
  | 'waits_for_pace'
  | 'nothing_to_do'
  | 'not_needed'
  | 'unknown_message'
  | 'leg_not_due'
  | Awaited<ReturnType<typeof startNextLeg>>['outcome'];

export interface Dispatched {
  readonly outcome: DispatchOutcome;
  readonly message: Message | undefined;
  /** The queue must deliver this message again after so many seconds. */
  readonly retryAfterSeconds?: number;
  /** The message was sent to the queue again with this delay. */
  readonly requeuedForSeconds?: number;
  readonly errorCode?: MessageErrorCode;
}

export interface Claimed {
  readonly message: Message;
  readonly claimId: string;
  readonly carriers: readonly ChosenCarrier[];
}

export interface Prepared {
  readonly toSend: Message;
  readonly body: HandOverBody;
  /** The carrier's, as `Carrier.defaultSender` says. */
  readonly defaultSender: string | undefined;
}

export const optedOut = 'recipient_opted_out' satisfies MessageErrorCode;

const outcomeRetryDelaysMs = [100, 400, 1600];

export type Step<Name extends NextStep['step']> = Extract<NextStep, { step: Name }>;

/**
 * @param claimed - its message is as the carrier sends it
 * @param isRepeat - whether the attempt was recorded before, so that the carrier may have it from an earlier call
 */
export async function callCarrier(
  dependencies: DispatchDependencies,
  claimed: Claimed,
  carrier: ChosenCarrier,
  { toSend, body }: Prepared,
  isRepeat = false,
): Promise<Dispatched> {
  const { message, claimId, carriers } = claimed;
  const { attempts = [] } = message;
  const attempt = attempts.at(-1);
  if (attempt === undefined) throw new Error('a call without an attempt');
  let response: HandOver;
  try {
    response = await carrier.handOver({
      message: { ...toSend, attempts },
      body,
      attempt: asked(message, attempt),
    });
  } catch (error) {
    dependencies.warn('it is not known whether the carrier has the message', error);
    return waitForOutcome(dependencies, claimed, carrier);
  }
  if (response.outcome === 'accepted') return recordSent(dependencies, message, response);
  const isFinal = response.outcome === 'refused' && response.elsewhere !== true;
  // A refused repeat proves nothing about the call before it.
  if (isRepeat && !isFinal) {
    if (response.outcome === 'throttled') await slowDownSender(dependencies, message);
    return waitForOutcome(dependencies, claimed, carrier);
  }
  const outcome = withOutcome(attempts, response.outcome);
  const asksNext = response.outcome !== 'throttled' && hasNext(outcome, carriers);
  if (response.outcome === 'refused' && (isFinal || !asksNext))
    return recordRefused(dependencies, message, response, isRepeat ? undefined : claimId);
  const now = dependencies.clock();
  const seconds = asksNext ? 0 : backoffSeconds(attempt.number);
  const isReleased = await releaseMessage(dependencies, message.message_id, claimId, now, {
    attempts: outcome,
    ...movedAfter(message.message_id, addSeconds(now, seconds), message.due_at, new Date(message.expires_at)),
  });
  if (!isReleased) await noteLateOutcome(dependencies, message, claimId, { attempts: outcome });
  if (asksNext) return requeue(dependencies, 'next_carrier', message, outboundEntryOf(message));
  if (response.outcome === 'throttled') await slowDownSender(dependencies, message);
  return requeue(dependencies, 'try_again', message, outboundEntryOf(message, seconds));
}

/**
 * Asks for receipts that may be lost, before the message expires: each carrier that has or may have an attempt, and can be asked.
 *
 * @returns also whether a carrier could not be asked now, or its answer not be written, so that it may know more than the row says
 */
export async function lookUp(
  dependencies: DispatchDependencies,
  message: Message,
  carriers: readonly ChosenCarrier[],
): Promise<Dispatched & { readonly hasFailed: boolean }> {
  const shown = shownAttempt(message);
  let hasFailed = false;
  const found = (message.attempts ?? []).filter(mayBeTaken).map(async (attempt) => {
    // The id of the message is that of its carrier.
    const carrierMessageId = attempt === shown ? message.carrier_message_id : undefined;
    const answer = await carriers
      .find(({ name }) => name === attempt.carrier)
      ?.lookup?.({ message, attempt: asked(message, attempt), carrierMessageId })
      .catch((error: unknown) => {
        hasFailed = true;
        dependencies.warn('the carrier cannot be asked', error);
      });
    return answer?.receipt === undefined
      ? []
      : [{ ...answer.receipt, messageId: message.message_id, attempt: attempt.number }];
  });
  const receipts = (await Promise.all(found)).flat();
  if (receipts.length === 0) return { outcome: 'nothing_to_do', message, hasFailed };
  // What made the message `sent` has noted its price.
  const noted = { ...dependencies, priceOf: () => undefined };
  const { recorded, failures } = await recordReceipts(noted, receipts, 1);
  for (const failure of failures) {
    hasFailed = true;
    dependencies.warn('the answer of the carrier cannot be written', failure);
  }
  return {
    outcome: 'looked_up',
    message: recorded.findLast((one) => one.message)?.message ?? message,
    hasFailed,
  };
}

/** Waits until the attempt can be repeated, or until its deadline. */
function waitForOutcome(
  dependencies: DispatchDependencies,
  claimed: Claimed,
  { settledBy }: ChosenCarrier,
): Promise<Dispatched> {
  const { message } = claimed;
  const now = dependencies.clock();
  const deadline = new Date(message.attempts?.at(-1)?.deadline ?? now);
  const again = addSeconds(now, backoffSeconds(message.handover_attempts ?? 1));
  const isLate = deadline <= now;
  if (settledBy === 'receipt') return waitUntil(dependencies, claimed, isLate ? again : deadline);
  return waitUntil(dependencies, claimed, !isLate && deadline < again ? deadline : again);
}

/** The message is not claimed until then. If its queue message is lost, or cannot wait so long, the due index queues it. */
export async function waitUntil(
  dependencies: DispatchDependencies,
  { message, claimId }: Claimed,
  latest: Date,
): Promise<Dispatched> {
  // At its end the carrier is asked, which needs a claim that is over.
  const until = earlierOf(latest, new Date(message.expires_at));
  const now = dependencies.clock();
  const { message_id: messageId, expires_at } = message;
  // The due index ends it.
  const isQueued = until.toISOString() < expires_at && isNear(until, now);
  const entry = outboundEntryOf(message, secondsUntil(until.toISOString(), now));
  // The queue comes first: if it fails, the claim is over when the received message comes again.
  const waiting: Dispatched = isQueued
    ? await requeue(dependencies, 'unknown_outcome', message, entry)
    : { outcome: 'unknown_outcome', message };
  const due = isQueued
    ? movedAfter(messageId, until, message.due_at, new Date(expires_at))
    : dueFields(messageId, until);
  await releaseMessage(dependencies, messageId, claimId, until, due);
  return waiting;
}

/** The carrier has the message: if this write were lost, the next hand-over would send it again, so it is retried. */
async function recordSent(
  dependencies: DispatchDependencies,
  message: Message,
  { carrierMessageId, cost, currency }: Extract<HandOver, { outcome: 'accepted' }>,
): Promise<Dispatched> {
  const { warn, sleep } = dependencies;
  const { message_id: messageId } = message;
  const attempts = withOutcome(message.attempts ?? [], 'accepted');
  // The time before the call: a receipt can arrive before the carrier's response.
  const at = new Date(attempts.at(-1)?.at ?? message.created_at);
  // A carrier may have an earlier attempt too, which costs as much again.
  const isOneOfSeveral = attempts.filter(mayBeTaken).length > 1;
  const noted = {
    at,
    carrierMessageId,
    attempts,
    ...(isOneOfSeveral ? {} : withoutUndefined({ cost, currency })),
  };
  // The contact is noted before the state: if this worker dies in between, the receipt enters `sent` and notes it (record-receipts.ts). A fault does
  // not keep the message from being `sent`: then its row alone says to whom a reply belongs.
  await noteContact(dependencies, message, at).catch((error: unknown) => warn('contact not noted', error));
  const sent = await retry({ delaysMs: outcomeRetryDelaysMs, sleep }, () =>
    transitionMessage(dependencies, messageId, { to: 'sent', ...noted }),
  );
  // A receipt arrived before this write.
  if (sent === undefined) await noteHandOver(dependencies, messageId, noted);
  const attempt = attempts.at(-1)?.number;
  if (isOneOfSeveral && attempt !== undefined && cost !== undefined && currency !== undefined)
    await retry({ delaysMs: outcomeRetryDelaysMs, sleep }, () =>
      addAttemptCost(dependencies, messageId, { attempt, cost, currency, reported: false }),
    );
  return { outcome: 'sent', message: sent ?? message };
}

export async function recordRefused(
  dependencies: DispatchDependencies,
  message: Message,
  { errorCode, errorMessage }: Pick<Extract<HandOver, { outcome: 'refused' }>, 'errorCode' | 'errorMessage'>,
  claimId?: string,
): Promise<Dispatched> {
  const { recordOptOut, clock, sleep } = dependencies;
  // The opt-out is recorded before the state, which ends the work on this message.
  const hasOptedIn = errorCode === optedOut && !(await recordOptOut(message, clock()));
  const more = {
    ...(hasOptedIn ? { suppressed: false } : {}),
    ...(message.attempts === undefined ? {} : { attempts: withOutcome(message.attempts, 'refused') }),
  };
  const refused = { to: 'failed', at: clock(), notSent: true, errorCode, errorMessage, ...more } as const;
  const failed = await retry({ delaysMs: outcomeRetryDelaysMs, sleep }, () =>
    transitionMessage(dependencies, message.message_id, refused),
  );
  if (failed === undefined && claimId !== undefined && more.attempts !== undefined)
    await noteLateOutcome(dependencies, message, claimId, { attempts: more.attempts });
  return { outcome: 'refused', message, errorCode };
}

/**
 * A report of an earlier attempt made the message `sent` during the call, or before it was taken back. That is noted all the same:
 * otherwise the attempt would count as one that may have been taken. If the earlier ones have failed meanwhile, so has the message.
 */
export async function noteLateOutcome(
  dependencies: DispatchDependencies,
  { message_id: messageId }: Message,
  claimId: string,
  noted: Parameters<typeof noteOutcome>[3],
): Promise<void> {
  const { clock, sleep } = dependencies;
  const row = await retry({ delaysMs: outcomeRetryDelaysMs, sleep }, () =>
    noteOutcome(dependencies, messageId, claimId, noted),
  );
  if (row?.status !== 'sent' || !noneMayArrive(row)) return;
  await transitionMessage(dependencies, messageId, { to: 'failed', at: clock(), ...messageError('unknown') });
}

export async function requeue(
  { outbound }: DispatchDependencies,
  outcome: DispatchOutcome,
  message: Message | undefined,
  entry: OutboundEntry,
): Promise<Dispatched> {
  await outbound.enqueue([entry]);
  return { outcome, message, requeuedForSeconds: entry.delaySeconds };
}

/** Returns whole seconds, at least 1. */
export function secondsUntil(time: string | undefined, now: Date): number {
  const seconds = time === undefined ? 1 : Math.ceil((Date.parse(time) - now.getTime()) / 1000);
  return Math.max(1, seconds);
}

/** Returns whole seconds until the next attempt: 2, 4, 8 … 300. */
function backoffSeconds(attempt: number): number {
  return Math.min(300, 2 ** Math.min(attempt, 9));
}
