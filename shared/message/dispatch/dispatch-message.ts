/**
 * Hands a queued message over to its carrier, once. The claim is a conditional write, so a second delivery of the queue
 * message finds the row claimed. When a process dies, the claim expires and the queue delivers the message again.
 *
 *   claim ─ crash → the queue delivers the message again after the claim has expired: claimed again, handed over
 *   carrier.handOver ─ crash, or no response → the same; only here may the carrier get a message twice, unless a
 *                      receipt arrives before the claim expires
 *   transition to sent | failed ─ crash → a receipt changes the row, or the next delivery of the queue message does;
 *                      a failed write is retried until the claim expires, because a lost one could send twice
 *
 * A message that must wait is sent to the queue again with a delay, and the received one is deleted: SQS holds any
 * number of delayed messages, but at most 120,000 that were received and not deleted.
 *   new queue message ─ crash → both are delivered; the second finds the message claimed, waiting or sent
 *
 * A message of a sender with a pace is handed over in its slot (../pace). It waits for it in the queue, and the last
 * seconds in the worker.
 *   slot reserved ─ crash → the slot is unused; the next delivery of the queue message reserves another
 */
import { claimSeconds } from '../../contract/hand-over-times.ts';
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import type { Clock, Sleep } from '../../platform/clock.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { retry } from '../../platform/retry.ts';
import type { Message } from '../message.ts';
import { type Contacts, noteContact } from '../store/contacts.dynamo.ts';
import { expiry, type MessageStore } from '../store/message-store.ts';
import { type WhatsAppWindows, windowEnd } from '../store/whatsapp-window.dynamo.ts';
import { applies } from '../suppression/suppression.ts';
import type { SuppressionReader } from '../suppression/suppression-store.dynamo.ts';
import { attemptIdOf, type ChosenCarrier, type HandOver, type HandOverBody } from './carrier.ts';
import {
  nextLegEntryOf,
  type OutboundEntry,
  type OutboundQueue,
  outboundEntryOf,
  type QueuedMessage,
  untilSlot,
} from './outbound-queue.sqs.ts';
import { pacedMessageOf, type SenderPace, workerWaitMs } from './sender-pace.ts';
import { isReplaced, type StartLegDependencies, startNextLeg } from './start-next-leg.ts';

export interface DispatchDependencies extends Pick<StartLegDependencies, 'allowanceOf' | 'otpLegs'> {
  readonly messages: MessageStore;
  /** The preferred carrier first; none where the channel was turned off. */
  readonly carriersFor: (message: Message) => readonly ChosenCarrier[];
  /** Makes the body to hand over; for a one-time password, the text with its code. */
  readonly bodyOf: (message: Message) => Promise<HandOverBody>;
  /** Whether an administrator disabled the client; at most 60 s old. */
  readonly isDisabled: (clientId: string) => Promise<boolean>;
  readonly pace: Pick<SenderPace, 'waitForSlot' | 'slowDown'>;
  /** Read at each hand-over, so that an opt-out counts for what is queued and scheduled. */
  readonly suppressions: SuppressionReader;
  /**
   * Suppresses the recipient, because the carrier says that the person opted out, unless the person opted in since.
   * Returns whether the recipient is suppressed now; repeating it is safe.
   */
  readonly recordOptOut: (message: Message, at: Date) => Promise<boolean>;
  /** Records whose messages the carriers took, for replies. */
  readonly contacts: Pick<Contacts, 'note'>;
  readonly warn: (message: string, error: unknown) => void;
  /** Read where a message has a fallback template. */
  readonly windows: Pick<WhatsAppWindows, 'openedAt'>;
  readonly outbound: OutboundQueue;
  readonly clock: Clock;
  readonly newClaimId: () => string;
  readonly sleep: Sleep;
}

/** The longest wait for a claim: a wrong clock or an edited row may have set its end far ahead. */
const heldSecondsMax = 2 * claimSeconds;

const optedOut = 'recipient_opted_out' satisfies MessageErrorCode;

/** Between the tries to write the outcome. */
const outcomeRetryDelaysMs = [100, 400, 1600];

type DispatchOutcome =
  | 'sent'
  | 'refused'
  | 'client_disabled'
  | 'suppressed'
  | 'expired'
  | 'queued'
  | 'try_again'
  | 'held'
  | 'not_yet_due'
  | 'waits_for_slot'
  | 'nothing_to_do'
  | 'not_needed'
  | Awaited<ReturnType<typeof startNextLeg>>['outcome'];

interface Dispatched {
  readonly outcome: DispatchOutcome;
  readonly message: Message | undefined;
  /** Set where the queue must deliver this message again after so many seconds. */
  readonly retryAfterSeconds?: number;
  /** Set where the message was sent to the queue again with this delay. */
  readonly requeuedForSeconds?: number;
  readonly errorCode?: MessageErrorCode;
}

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
    return { outcome: 'held', message, retryAfterSeconds: Math.min(heldSecondsMax, seconds) };
  }
  if (claim.outcome === 'not_sendable') return handleNotSendable(dependencies, message);
  // Before the wait for the slot: a call after it could take so long that the slot is missed.
  const refusal = await refusalOf(dependencies, message);
  if (refusal !== undefined) {
    await messages.transition(messageId, { to: 'failed', at: clock(), ...messageError(refusal.error) });
    return { outcome: refusal.outcome, message };
  }
  const paced = pacedMessageOf(message);
  const prepare = () => prepareHandOver(dependencies, message);
  const waited =
    paced === undefined
      ? ({ outcome: 'now', prepared: await prepare() } as const)
      : await dependencies.pace.waitForSlot(paced, message.slot, prepare);
  if (waited.outcome === 'later') {
    await messages.release(messageId, claimId, clock(), waited.slot);
    // Otherwise the due-item index ends it when it expires.
    if (waited.slot.at >= message.expires_at) return { outcome: 'waits_for_slot', message };
    const entry = untilSlot(outboundEntryOf(message), waited.slot.at, clock());
    return requeue(dependencies, 'waits_for_slot', message, entry);
  }
  if (waited.prepared === 'suppressed') {
    const notHandedOver = { to: 'failed', at: clock(), suppressed: true } as const;
    await messages.transition(messageId, { ...notHandedOver, ...messageError(optedOut) });
    return { outcome: 'suppressed', message };
  }
  const { toSend, body } = waited.prepared;
  const attempt = message.handover_attempts ?? 1;
  // Before the call: a receipt can arrive before the carrier's response.
  const handedOverAt = clock();
  const [carrier] = dependencies.carriersFor(message);
  if (carrier === undefined) return recordRefused(dependencies, message, messageError('channel_off'));
  const response = await carrier.handOver({
    message: toSend,
    body,
    attempt: { id: attemptIdOf(messageId, attempt), number: attempt, at: handedOverAt },
  });
  if (response.outcome === 'accepted')
    return recordSent(dependencies, message, carrier, response, handedOverAt);
  if (response.outcome === 'refused') return recordRefused(dependencies, message, response);
  await messages.release(messageId, claimId, clock());
  if (paced !== undefined) await dependencies.pace.slowDown(paced.identity);
  return requeue(dependencies, 'try_again', message, outboundEntryOf(message, backoffSeconds(attempt)));
}

/** Why a claimed message is not handed over. */
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

/** The carrier has the message: if this write were lost, the next hand-over would send it again, so it is retried. */
async function recordSent(
  { messages, contacts, warn, sleep }: DispatchDependencies,
  message: Message,
  { findableByCarrierId }: ChosenCarrier,
  { carrierMessageId, cost, currency }: Extract<HandOver, { outcome: 'accepted' }>,
  at: Date,
): Promise<Dispatched> {
  const { message_id: messageId } = message;
  const noted = { at, carrierMessageId, findableByCarrierId, ...withoutUndefined({ cost, currency }) };
  // Before the state: if this worker dies in between, the receipt enters `sent` and notes it (../receipts). A fault does
  // not keep the message from being `sent`: then its row alone says to whom a reply belongs.
  await noteContact(contacts, message, at).catch((error: unknown) => warn('contact not noted', error));
  const sent = await retry({ delaysMs: outcomeRetryDelaysMs, sleep }, () =>
    messages.transition(messageId, { to: 'sent', ...noted }),
  );
  // A receipt arrived before this write.
  if (sent === undefined) await messages.noteHandOver(messageId, noted);
  return { outcome: 'sent', message: sent ?? message };
}

async function recordRefused(
  { messages, recordOptOut, clock, sleep }: DispatchDependencies,
  message: Message,
  { errorCode, errorMessage }: Pick<Extract<HandOver, { outcome: 'refused' }>, 'errorCode' | 'errorMessage'>,
): Promise<Dispatched> {
  // Before the state, which ends the work on this message.
  const hasOptedIn = errorCode === optedOut && !(await recordOptOut(message, clock()));
  const suppressed = hasOptedIn ? { suppressed: false } : {};
  const refused = { to: 'failed', at: clock(), errorCode, errorMessage, ...suppressed } as const;
  await retry({ delaysMs: outcomeRetryDelaysMs, sleep }, () =>
    messages.transition(message.message_id, refused),
  );
  return { outcome: 'refused', message, errorCode };
}

/** Read when the slot has come: while the message waits, the person may opt out. */
async function prepareHandOver(
  dependencies: DispatchDependencies,
  message: Message,
): Promise<'suppressed' | { readonly toSend: Message; readonly body: HandOverBody }> {
  const suppression = await dependencies.suppressions.get(message.client_id, message.recipient);
  if (suppression !== undefined && applies(suppression, message.otp !== undefined)) return 'suppressed';
  const toSend = await withTemplate(dependencies, message);
  return { toSend, body: await dependencies.bodyOf(toSend) };
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
  const now = dependencies.clock();
  if (message.status === 'scheduled') {
    if ((message.scheduled_at ?? '') > now.toISOString()) {
      const entry = outboundEntryOf(message, secondsUntil(message.scheduled_at, now));
      return requeue(dependencies, 'not_yet_due', message, entry);
    }
    await dependencies.messages.transition(message.message_id, { to: 'queued', at: now });
    return { outcome: 'queued', message };
  }
  const open = message.status === 'queued' || message.status === 'sending';
  if (!open || message.expires_at > now.toISOString()) return { outcome: 'nothing_to_do', message };
  await dependencies.messages.transition(message.message_id, expiry(now));
  return { outcome: 'expired', message };
}

async function requeue(
  { outbound }: DispatchDependencies,
  outcome: 'try_again' | 'not_yet_due' | 'waits_for_slot' | 'leg_not_due',
  message: Message | undefined,
  entry: OutboundEntry,
): Promise<Dispatched> {
  await outbound.enqueue([entry]);
  return { outcome, message, requeuedForSeconds: entry.delaySeconds };
}

/** Whole seconds, at least 1. */
function secondsUntil(time: string | undefined, now: Date): number {
  const seconds = time === undefined ? 1 : Math.ceil((Date.parse(time) - now.getTime()) / 1000);
  return Math.max(1, seconds);
}

/** Whole seconds until the next attempt: 2, 4, 8 … 300. */
function backoffSeconds(attempt: number): number {
  return Math.min(300, 2 ** Math.min(attempt, 9));
}
