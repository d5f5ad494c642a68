/**
 * Records the receipts of carriers. Each is one conditional write: the condition of a repeated, late or out-of-order
 * receipt does not hold, so it changes nothing and sends nothing.
 */
import type { Price } from '../../contract/prices.ts';
import type { Context } from '../../platform/context.ts';
import { chunksOf } from '../../platform/long-lists.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { mayBeTaken, noneMayArrive } from '../attempt.ts';
import { type Message, type Status, transitions } from '../message.ts';
import { isNamed, noteContact } from '../store/contacts.dynamo.ts';
import {
  addAttemptCost,
  fillInSent,
  noteFailedAttempt,
  transitionMessage,
} from '../store/message-changes.dynamo.ts';
import type { Transition } from '../store/message-row.ts';
import { findMessageByCarrierId, readMessage } from '../store/messages.dynamo.ts';

/** A carrier's report about a message after the hand-over, in the same form for all carriers. */
export interface Receipt {
  /** The gateway's id of the message; at least one of the two ids is set. */
  readonly messageId?: string;
  /** Which attempt to hand the message over it is about, if the carrier says so. */
  readonly attempt?: number;
  readonly carrierMessageId?: string;
  /** The carriers whose callback or topic it came by; absent where the carrier was asked. */
  readonly reportedBy?: readonly string[];
  /** The number of ours, or its id, from which the carrier says that it sent the message. */
  readonly from?: string;
  /** Meta's id of the recipient, if the carrier names it. */
  readonly whatsAppUser?: string;
  readonly transition: Transition;
}

interface ReceiptDependencies
  extends Context<'MESSAGES_TABLE' | 'RETENTION_DAYS' | 'WHATSAPP_WINDOWS_TABLE'> {
  /** Suppresses the recipient, as at a hand-over (call-carrier.ts). */
  readonly recordOptOut: (message: Message, at: Date) => Promise<boolean>;
  /** What a message costs by the stage's prices; undefined where they have none for it. */
  readonly priceOf: (message: Message) => Price | undefined;
}

interface Recorded {
  readonly outcome: 'recorded' | 'ignored' | 'unknown_message';
  readonly messageId: string | undefined;
  readonly message: Message | undefined;
}

interface RecordedReceipt extends Omit<Recorded, 'outcome'> {
  readonly receipt: Receipt;
  /** `given_up`: its message is still unknown, and it is not retried any more. */
  readonly outcome: Recorded['outcome'] | 'given_up';
}

/** An eventually consistent read is enough here: at worst it shows an earlier state. */
const eventually = { consistent: false };

/**
 * A receipt can arrive before the carrier's id is written, and before the index has it. While its message is not found,
 * it is retried after these delays, four minutes in total. After that it belongs to another sender of the same number.
 */
const unknownDelaysSeconds = [2, 4, 8, 16, 32, 64, 128];
/** How often a failure is written while the attempts change: a message has one worker, which makes one at a time. */
const recordTriesMax = 3;
/** How many messages of one queue message are handled at once: a thousand receipts fit the function's time limit. */
const messagesAtOnce = 25;

/**
 * Records the receipts of one queue message, and says whether the queue must deliver it again: then those that were
 * recorded are recorded again, which changes nothing. So one that fails holds none of another message back.
 *
 * @param receives - how often the queue has delivered this message, including this time
 */
export async function recordReceipts(
  dependencies: ReceiptDependencies,
  receipts: readonly Receipt[],
  receives: number,
): Promise<{
  readonly recorded: readonly RecordedReceipt[];
  readonly failures: readonly unknown[];
  readonly retryAfterSeconds: number | undefined;
}> {
  const unknownRetryAfterSeconds = unknownDelaysSeconds[receives - 1];
  const recorded: RecordedReceipt[] = [];
  const failures: unknown[] = [];
  // The receipts of one message are recorded in their order; a carrier may report on a thousand messages together.
  const ofMessages = Map.groupBy(
    receipts,
    ({ messageId, carrierMessageId }) => messageId ?? carrierMessageId,
  );
  for (const some of chunksOf([...ofMessages.values()], messagesAtOnce))
    await Promise.all(some.map((ofOne) => recordAll(ofOne).catch((error: unknown) => failures.push(error))));
  const isRetried = recorded.some(({ outcome }) => outcome === 'unknown_message');
  return { recorded, failures, retryAfterSeconds: isRetried ? unknownRetryAfterSeconds : undefined };

  async function recordAll(ofOne: readonly Receipt[]): Promise<void> {
    for (const receipt of ofOne) {
      const { outcome, messageId, message } = await recordReceipt(dependencies, receipt);
      // The contact is noted even if the state was recorded before: a crash may have come in between.
      if (message !== undefined) await noteTaken(dependencies, message, receipt);
      const isGivenUp = outcome === 'unknown_message' && unknownRetryAfterSeconds === undefined;
      recorded.push({ receipt, messageId, message, outcome: isGivenUp ? 'given_up' : outcome });
    }
  }
}

/** Notes the contact if the receipt names a number of a pool or a WhatsApp user, or came before the hand-over was stored. */
async function noteTaken(context: ReceiptDependencies, message: Message, receipt: Receipt): Promise<void> {
  const { sent_at } = message;
  if (sent_at === undefined) return;
  const isFirst = sent_at === receipt.transition.at.toISOString();
  if (isFirst || isNamed(message, receipt) || receipt.whatsAppUser !== undefined)
    await noteContact(context, message, new Date(sent_at), receipt);
}

/** Records one receipt; one of an unknown message changes nothing. */
async function recordReceipt(
  dependencies: ReceiptDependencies,
  receipt: Receipt,
  tries = recordTriesMax,
): Promise<Recorded> {
  const { recordOptOut } = dependencies;
  const { carrierMessageId } = receipt;
  const messageId =
    receipt.messageId ??
    (carrierMessageId === undefined
      ? undefined
      : await findMessageByCarrierId(dependencies, carrierMessageId));
  if (messageId === undefined) return { outcome: 'unknown_message', messageId, message: undefined };
  // An older read may lack the attempt that it is about.
  const seen = await readMessage(dependencies, messageId, eventually);
  const isCurrent = seen !== undefined && concerns(receipt, seen) && !mayHaveChanged(receipt, seen);
  const row = isCurrent ? seen : await readMessage(dependencies, messageId);
  if (row === undefined) return { outcome: 'unknown_message', messageId, message: undefined };
  // The result has no message, so that nothing is noted for it.
  if (!concerns(receipt, row)) return { outcome: 'ignored', messageId, message: undefined };
  await noteEstimate(dependencies, receipt, row);
  const { cost, currency, ...withoutCost } = receipt.transition;
  const isOneOfSeveral = receipt.attempt !== undefined && mayBeWithSeveral(row);
  const transition = isOneOfSeveral ? withoutCost : receipt.transition;
  if (isOneOfSeveral && cost !== undefined && currency !== undefined)
    await addAttemptCost(dependencies, messageId, {
      attempt: receipt.attempt,
      cost,
      currency,
      reported: true,
    });
  // Usually the hand-over has written `sent` already: then this read was cheaper than a refused write.
  const isOfFailed = receipt.attempt !== undefined && receipt.attempt === row.failed_attempt;
  if (transition.to === 'sent' && (isOfFailed || isPast(row.status))) {
    await noteLateCost(dependencies, receipt, row, isOneOfSeveral);
    return proveSent(dependencies, receipt, row);
  }
  let suppressed = {};
  if (transition.errorCode === 'recipient_opted_out') {
    // The opt-out is recorded before the state, which ends the work on this message.
    const refused = await readMessage(dependencies, messageId);
    const isSuppressed = refused !== undefined && (await recordOptOut(refused, transition.at));
    suppressed = isSuppressed ? {} : { suppressed: false };
  }
  // A failure of an earlier attempt says nothing of the one after it, nor one of an attempt that the carrier has not taken.
  const isOfEarlier = isFailure(transition) && mayArriveLater(receipt, row);
  if (isOfEarlier && isKnownNotTaken(receipt, row))
    return ignoreFailure(dependencies, receipt, row, isOneOfSeveral);
  const ofAttempt =
    isOfEarlier && receipt.attempt !== undefined
      ? { ofAttempt: { number: receipt.attempt, ...(tries > 1 && row.attempts && { seen: row.attempts }) } }
      : {};
  const notFailed = transition.to === 'sent' ? withoutUndefined({ notFailed: receipt.attempt }) : {};
  const reported = withoutUndefined({ reportedAttempt: reportedAttemptOf(receipt, row) });
  const message = await transitionMessage(dependencies, messageId, {
    ...transition,
    ...suppressed,
    ...ofAttempt,
    ...notFailed,
    ...reported,
    reported: true,
  });
  if (message !== undefined) return { outcome: 'recorded', messageId, message };
  const known = await readMessage(dependencies, messageId);
  if (known === undefined) return { outcome: 'unknown_message', messageId, message: undefined };
  // Its attempts have changed since they were read: an outcome is known, or another one is made.
  if (isOfEarlier && !transitions[known.status].final && mayCount(receipt, known) && tries > 1)
    return recordReceipt(dependencies, receipt, tries - 1);
  if (isOfEarlier) return ignoreFailure(dependencies, receipt, known, isOneOfSeveral);
  await noteLateCost(dependencies, receipt, known, isOneOfSeveral);
  return proveSent(dependencies, receipt, known);
}

/** An older report of the attempt, which comes after its failure, counts no more. */
async function ignoreFailure(
  dependencies: ReceiptDependencies,
  receipt: Receipt,
  known: Message,
  isCostNoted: boolean,
): Promise<Recorded> {
  const isNew =
    receipt.attempt !== undefined && !transitions[known.status].final && !isKnownNotTaken(receipt, known);
  const noted = isNew ? await noteFailedAttempt(dependencies, known.message_id, receipt.attempt) : undefined;
  await noteLateCost(dependencies, receipt, known, isCostNoted);
  const { cost: _cost, currency: _currency, ...failure } = receipt.transition;
  const { message_id: messageId } = known;
  const message =
    noted?.status === 'sent' && noneMayArrive(noted)
      ? await transitionMessage(dependencies, messageId, { ...failure, reported: true })
      : undefined;
  return message === undefined
    ? proveSent(dependencies, receipt, known)
    : { outcome: 'recorded', messageId, message };
}

/** Whether the failure counts now that the attempts have changed. */
function mayCount(receipt: Receipt, known: Message): boolean {
  if (isKnownNotTaken(receipt, known)) return false;
  if (known.status === 'sent') return !mayArriveLater(receipt, known);
  return (known.attempts?.at(-1)?.number ?? 0) <= (receipt.attempt ?? 0);
}

function isKnownNotTaken({ attempt }: Receipt, { attempts = [] }: Message): boolean {
  const named = attempts.find(({ number }) => number === attempt);
  return named !== undefined && !mayBeTaken(named);
}

/**
 * Whether the receipt can be about the message: its carrier has had the attempt, and gave it this id. One carrier's callback,
 * validly signed, must not change what another one was given.
 */
function concerns(
  { attempt, reportedBy, carrierMessageId, transition }: Receipt,
  { channel, attempts = [], carrier_message_id: storedId }: Message,
): boolean {
  if (channel === 'sms' && transition.to === 'read') return false;
  if (reportedBy === undefined) return true;
  const possible = attempts.filter(mayBeTaken);
  const only = attempt === undefined && possible.length === 1 ? possible[0] : undefined;
  const named = attempts.find(({ number }) => number === attempt) ?? only;
  if ((attempt ?? 0) > (attempts.at(-1)?.number ?? 0)) return false;
  // The row keeps only the newest attempt of a carrier that throttled the message.
  const candidates = named === undefined ? attempts : [named];
  if (!candidates.some(({ carrier }) => reportedBy.includes(carrier))) return false;
  // If a carrier may have several attempts, the stored id may belong to any of them.
  const isOfThisOne = named !== undefined && possible.length === 1 && possible[0] === named;
  return !isOfThisOne || (storedId ?? carrierMessageId) === (carrierMessageId ?? storedId);
}

/**
 * The attempt that the receipt proves, where the row may not tell: with several, the last one is shown otherwise, whose carrier
 * may have refused the message. Of an attempt that is not kept, the newest of its carrier.
 */
function reportedAttemptOf(
  { attempt, reportedBy = [] }: Receipt,
  { attempts = [] }: Message,
): number | undefined {
  const isAccepted = attempts.length === 1 && attempts[0]?.outcome === 'accepted';
  if (attempt === undefined || isAccepted) return undefined;
  const isKept = attempts.some(({ number }) => number === attempt);
  return isKept ? attempt : attempts.findLast(({ carrier }) => reportedBy.includes(carrier))?.number;
}

/** Whether carriers may have several attempts of the message: then each has its cost. */
function mayBeWithSeveral({ attempts = [] }: Message): boolean {
  return attempts.filter(mayBeTaken).length > 1;
}

function isFailure({ to }: Transition): boolean {
  return to === 'failed' || to === 'expired';
}

/** Whether a later attempt than the one that failed may reach the person: once the message is sent, no more are made. */
function mayArriveLater({ attempt = 0 }: Receipt, { status, attempts = [] }: Message): boolean {
  return status !== 'sent' || attempts.some((one) => one.number > attempt && mayBeTaken(one));
}

/**
 * Whether what counts may have changed since the row was read: an attempt that followed makes the cost one of several, and
 * the failure of an earlier one counts once the message is sent.
 */
function mayHaveChanged({ attempt, transition }: Receipt, { attempts }: Message): boolean {
  const last = attempts?.at(-1);
  if (last === undefined) return false;
  const isNewCost = transition.cost !== undefined && last.outcome === undefined;
  return isNewCost || (isFailure(transition) && attempt !== last.number);
}

/**
 * The receipt proves that the carrier has the message. Where the response was lost, or the worker died before it noted the
 * price of one of several attempts, and the receipt names no price, the price is estimated as it is at an acceptance.
 */
async function noteEstimate(
  dependencies: ReceiptDependencies,
  { attempt, transition }: Receipt,
  row: Message,
): Promise<void> {
  const named = row.attempts?.find(({ number }) => number === attempt);
  if (named === undefined || !mayBeTaken(named) || transition.cost !== undefined) return;
  const known = mayBeWithSeveral(row) ? row.costs?.[named.number] : row.cost;
  const price = known === undefined ? dependencies.priceOf(row) : undefined;
  if (price !== undefined)
    await addAttemptCost(dependencies, row.message_id, { attempt: named.number, ...price, reported: false });
}

/** The carrier's figure replaces the estimate also where it comes after the state that it reports. */
async function noteLateCost(
  dependencies: ReceiptDependencies,
  { attempt, transition: { cost, currency } }: Receipt,
  known: Message,
  isCostNoted: boolean,
): Promise<void> {
  if (attempt === undefined || cost === undefined || currency === undefined) return;
  // The final receipt of a sent message has the cost too, so an estimate that is right needs no write.
  const isFinal = known.cost_reported === true || known.status === 'sent';
  const isKnown = isFinal && !mayBeWithSeveral(known) && known.cost === cost && known.currency === currency;
  if (isKnown || isCostNoted) return;
  await addAttemptCost(dependencies, known.message_id, { attempt, cost, currency, reported: true });
}

/** The state no longer changes; but this receipt proves that a final message without `sent` was handed over. */
async function proveSent(
  dependencies: ReceiptDependencies,
  { transition }: Receipt,
  known: Message,
): Promise<Recorded> {
  const { message_id: messageId, status } = known;
  const ended = status === 'failed' || status === 'expired';
  const filled =
    ended && known.sent_at === undefined
      ? await fillInSent(dependencies, messageId, transition.at)
      : undefined;
  return filled === undefined
    ? { outcome: 'ignored', messageId, message: known }
    : { outcome: 'recorded', messageId, message: filled };
}

/** Whether `sent` can no longer be entered. */
function isPast(status: Status): boolean {
  return status === 'sent' || transitions[status].final;
}
