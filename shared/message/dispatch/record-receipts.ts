/**
 * Stores the receipts of carriers, each with one conditional write. For a repeated, late or out-of-order receipt, the
 * condition is false, so the receipt changes nothing and sends nothing. `receipt-decisions.ts` decides what a receipt
 * means.
 *
 *   contact, cost, opt-out, state ─ crash → the queue delivers the receipt again, and each of these writes may be repeated
 */

import { isWhatsAppUserId } from '../../contract/recipient-forms.ts';
import { chunksOf } from '../../platform/aws/read-rows.dynamo.ts';
import type { Context } from '../../platform/context.ts';
import { anySender, fromOf, mayBeTaken, noneMayArrive } from '../attempt.ts';
import type { Message } from '../message.ts';
import { isNamed, noteContact } from '../store/contacts.dynamo.ts';
import {
  addAttemptCost,
  fillInSent,
  noteFailedAttempt,
  transitionMessage,
} from '../store/message-changes.dynamo.ts';
import { findMessageByCarrierId, readMessage } from '../store/messages.dynamo.ts';
import { noteUser } from '../store/whatsapp-users.dynamo.ts';
import { suppressAfterRefusal } from '../suppression/suppressions.dynamo.ts';
import {
  concernsMessage,
  failsEarlierAttempt,
  failureMayCount,
  hasSeveralCosts,
  isNotTaken,
  mayStillFail,
  type Receipt,
  reportedTransition,
  reportsSentAgain,
} from './receipt-decisions.ts';

export interface ReceiptContext
  extends Context<'MESSAGES_TABLE' | 'RETENTION_DAYS' | 'SUPPRESSIONS_TABLE' | 'WHATSAPP_WINDOWS_TABLE'> {
  /** Returns the cost of a message by the stage's prices; undefined if the stage has no price for it. */
  readonly priceOf: (message: Message) => { readonly cost: number; readonly currency: string } | undefined;
}

interface Recorded {
  /** `given_up`: the receipt's message is still unknown, and the receipt is no longer retried. */
  readonly outcome: 'recorded' | 'ignored' | 'unknown_message' | 'given_up';
  readonly messageId: string | undefined;
  /** Absent if the receipt cannot be about the message. Then no contact is stored. */
  readonly message?: Message;
}

/**
 * A receipt can arrive before the index contains the carrier's id. Until its message is found, it is retried after these
 * delays, four minutes in total. After that, it is assumed to belong to somebody else who sends from the same number.
 */
const unknownDelaysSeconds = [2, 4, 8, 16, 32, 64, 128];
/**
 * How often to try to write a failure while the attempts change. Only one worker at a time makes attempts for a message.
 */
const recordTriesMax = 3;
/**
 * How many messages of one queue message are handled in parallel, so that a thousand receipts fit the function's time
 * limit.
 */
const messagesAtOnce = 25;

/**
 * Records the receipts of one queue message, and returns if the queue must deliver it again. A repeated delivery records
 * all receipts again, which changes nothing. A receipt that fails does not delay the receipts of other messages.
 *
 * @param receives - how often the queue has delivered this message, including this time
 */
export async function recordReceipts(ctx: ReceiptContext, receipts: readonly Receipt[], receives: number) {
  const unknownRetryAfterSeconds = unknownDelaysSeconds[receives - 1];
  const recorded: (Recorded & { readonly receipt: Receipt })[] = [];
  const failures: unknown[] = [];
  // A carrier may report about a thousand messages at once. The receipts of one message are recorded in their order.
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
      const result = await recordReceipt(ctx, receipt);
      const isGivenUp = result.outcome === 'unknown_message' && unknownRetryAfterSeconds === undefined;
      recorded.push({ ...result, receipt, outcome: isGivenUp ? 'given_up' : result.outcome });
    }
  }
}

/** Records one receipt: finds its message, stores the cost, the opt-out and the state. */
async function recordReceipt(
  ctx: ReceiptContext,
  receipt: Receipt,
  triesLeft = recordTriesMax,
): Promise<Recorded> {
  const { carrierMessageId, transition } = receipt;
  const messageId =
    receipt.messageId ?? (carrierMessageId && (await findMessageByCarrierId(ctx, carrierMessageId)));
  const row = messageId === undefined ? undefined : await readMessage(ctx, messageId);
  if (messageId === undefined || row === undefined) return { outcome: 'unknown_message', messageId };
  if (!concernsMessage(receipt, row)) return { outcome: 'ignored', messageId };

  await noteReportedContact(ctx, receipt, row);
  const isCostStored = await storeCost(ctx, receipt, row);
  // Usually the hand-over has already written `sent`. Then a read is cheaper than a refused write.
  if (reportsSentAgain(receipt, row)) return recordLate(ctx, receipt, row, isCostStored);

  // The opt-out is stored before the state, because the state ends the work on this message.
  const isOptOut = transition.errorCode === 'recipient_opted_out';
  const hasOptedIn = isOptOut && !(await suppressRecipientOf(ctx, messageId, transition.at));

  const isEarlierFailure = failsEarlierAttempt(receipt, row);
  if (isEarlierFailure && isNotTaken(receipt, row))
    return recordEarlierFailure(ctx, receipt, row, isCostStored);
  const message = await transitionMessage(ctx, messageId, {
    ...reportedTransition(receipt, row, triesLeft === 1),
    ...(hasOptedIn ? { suppressed: false } : {}),
  });
  if (message !== undefined) return { outcome: 'recorded', messageId, message };

  const known = await readMessage(ctx, messageId);
  if (known === undefined) return { outcome: 'unknown_message', messageId };
  if (!isEarlierFailure) return recordLate(ctx, receipt, known, isCostStored);
  // The attempts have changed since they were read: an outcome became known, or another attempt began.
  if (failureMayCount(receipt, known) && triesLeft > 1) return recordReceipt(ctx, receipt, triesLeft - 1);
  return recordEarlierFailure(ctx, receipt, known, isCostStored);
}

/**
 * If several attempts have costs, stores the cost of the receipt's attempt: the receipt's own, or else an estimate. The
 * estimate is missing if the response was lost, or if the worker died before it stored the estimate.
 *
 * @returns true if the receipt's own cost is stored
 */
async function storeCost(
  ctx: ReceiptContext,
  { attempt, transition: { cost, currency } }: Receipt,
  row: Message,
): Promise<boolean> {
  const named = row.attempts?.find(({ number }) => number === attempt);
  if (named !== undefined && mayBeTaken(named) && cost === undefined) {
    const known = hasSeveralCosts(row) ? row.costs?.[named.number] : row.cost;
    const price = known === undefined ? ctx.priceOf(row) : undefined;
    if (price !== undefined)
      await addAttemptCost(ctx, row.message_id, { attempt: named.number, ...price, reported: false });
  }
  if (attempt === undefined || !hasSeveralCosts(row)) return false;
  if (cost !== undefined && currency !== undefined)
    await addAttemptCost(ctx, row.message_id, { attempt, cost, currency, reported: true });
  return true;
}

/** Suppresses the recipient of the message after an opt-out. Returns true if the recipient is suppressed now. */
async function suppressRecipientOf(ctx: ReceiptContext, messageId: string, at: Date): Promise<boolean> {
  const refused = await readMessage(ctx, messageId);
  return refused !== undefined && suppressAfterRefusal(ctx, refused, at);
}

/**
 * Stores the failure of an attempt that another attempt followed, so that an older report about it no longer counts. If all
 * attempts have failed, the message fails too.
 */
async function recordEarlierFailure(
  ctx: ReceiptContext,
  receipt: Receipt,
  row: Message,
  isCostStored: boolean,
): Promise<Recorded> {
  const { message_id: messageId } = row;
  const { attempt } = receipt;
  const noted =
    attempt !== undefined && mayStillFail(receipt, row)
      ? await noteFailedAttempt(ctx, messageId, attempt)
      : undefined;
  if (!isCostStored) await addReportedCost(ctx, receipt, row);
  const { cost: _cost, currency: _currency, ...failure } = receipt.transition;
  const message =
    noted?.status === 'sent' && noneMayArrive(noted)
      ? await transitionMessage(ctx, messageId, { ...failure, reported: true })
      : undefined;
  return message === undefined ? proveSent(ctx, receipt, row) : { outcome: 'recorded', messageId, message };
}

/** Stores a receipt for a state that the message already has or has left. */
async function recordLate(
  ctx: ReceiptContext,
  receipt: Receipt,
  row: Message,
  isCostStored: boolean,
): Promise<Recorded> {
  if (!isCostStored) await addReportedCost(ctx, receipt, row);
  return proveSent(ctx, receipt, row);
}

/** Replaces the estimate with the carrier's cost, even if the cost arrives after its state. */
async function addReportedCost(
  ctx: ReceiptContext,
  { attempt, transition: { cost, currency } }: Receipt,
  row: Message,
): Promise<void> {
  if (attempt === undefined || cost === undefined || currency === undefined) return;
  // The final receipt of a sent message contains the cost again, so an estimate that equals it is not replaced now.
  const isFinal = row.cost_reported === true || row.status === 'sent';
  const isKnown = isFinal && !hasSeveralCosts(row) && row.cost === cost && row.currency === currency;
  if (!isKnown) await addAttemptCost(ctx, row.message_id, { attempt, cost, currency, reported: true });
}

/** Fills in `sent` for an ended message: its state no longer changes, but the receipt proves that it was handed over. */
async function proveSent(ctx: ReceiptContext, { transition }: Receipt, row: Message): Promise<Recorded> {
  const { message_id: messageId, status, sent_at } = row;
  const hasEndedUnsent = (status === 'failed' || status === 'expired') && sent_at === undefined;
  const filled = hasEndedUnsent ? await fillInSent(ctx, messageId, transition.at) : undefined;
  return filled === undefined
    ? { outcome: 'ignored', messageId, message: row }
    : { outcome: 'recorded', messageId, message: filled };
}

/**
 * Stores the contact if the receipt names a number of a pool, and the number of a WhatsApp user. The hand-over has stored all
 * other contacts.
 */
async function noteReportedContact(ctx: ReceiptContext, receipt: Receipt, row: Message): Promise<void> {
  const at = new Date(row.sent_at ?? receipt.transition.at);
  if (isNamed(row, receipt)) await noteContact(ctx, row, at, receipt);
  const { attempt, whatsAppUser: user } = receipt;
  const number = isWhatsAppUserId(row.recipient) ? receipt.number : row.recipient;
  if (user === undefined || number === undefined) return;
  const sender = receipt.from ?? fromOf(row, attempt) ?? anySender;
  await noteUser(ctx, { user, number, sender, clientId: row.client_id, at });
}
