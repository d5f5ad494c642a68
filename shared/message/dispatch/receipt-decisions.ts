/**
 * Decides what a receipt means for a message, from only the receipt and the row: if it can be about the message, if its
 * failure counts, and which transition follows.
 */
import { mayBeTaken } from '../attempt.ts';
import { type Message, transitions } from '../message.ts';
import type { Transition } from '../store/message-row.ts';

/** A carrier's report about a message after the hand-over, in the same form for all carriers. */
export interface Receipt {
  /** The gateway's id of the message; at least one of the two ids is set. */
  readonly messageId?: string;
  /** The attempt that the receipt is about, if the carrier names it. */
  readonly attempt?: number;
  readonly carrierMessageId?: string;
  /** The carriers that use this callback or topic for their receipts; absent if a look-up returned this receipt. */
  readonly reportedBy?: readonly string[];
  /** Our number, or its id, that the carrier reports as the message's sender. */
  readonly from?: string;
  /** Meta's id of the recipient, if the carrier reports it. */
  readonly whatsAppUser?: string;
  /** The recipient's number, if the carrier names it beside the id. */
  readonly number?: string;
  readonly transition: Transition;
}

/**
 * True if the receipt can be about the message: its carrier had the attempt, and gave it this id. A carrier's callback must
 * not change a message that another carrier has, even if its signature is valid.
 */
export function concernsMessage(
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
  // If a carrier may have several attempts, the stored carrier id may belong to any of them.
  const isOfThisOne = named !== undefined && possible.length === 1 && possible[0] === named;
  return !isOfThisOne || (storedId ?? carrierMessageId) === (carrierMessageId ?? storedId);
}

/** True if several attempts may have reached carriers, so that each has its own cost. */
export function hasSeveralCosts({ attempts = [] }: Message): boolean {
  return attempts.filter(mayBeTaken).length > 1;
}

/** True if the receipt proves only a hand-over that the row already shows, or an attempt that has already failed. */
export function reportsSentAgain({ attempt, transition }: Receipt, row: Message): boolean {
  if (transition.to !== 'sent') return false;
  const isOfFailedAttempt = attempt !== undefined && attempt === row.failed_attempt;
  return isOfFailedAttempt || row.status === 'sent' || transitions[row.status].final;
}

function isFailure({ to }: Transition): boolean {
  return to === 'failed' || to === 'expired';
}

/**
 * True if the receipt reports a failure, but a later attempt may still reach the recipient. After a message is sent, no
 * more attempts are made.
 */
export function failsEarlierAttempt({ attempt = 0, transition }: Receipt, row: Message): boolean {
  const { status, attempts = [] } = row;
  const mayArriveLater = status !== 'sent' || attempts.some((one) => one.number > attempt && mayBeTaken(one));
  return isFailure(transition) && mayArriveLater;
}

/** True if the carrier certainly did not accept the attempt. */
export function isNotTaken({ attempt }: Receipt, { attempts = [] }: Message): boolean {
  const named = attempts.find(({ number }) => number === attempt);
  return named !== undefined && !mayBeTaken(named);
}

/** True if the message has not ended, and its carrier may have the attempt. */
export function mayStillFail(receipt: Receipt, row: Message): boolean {
  return !transitions[row.status].final && !isNotTaken(receipt, row);
}

/** True if the failure may end the message, although its attempts have changed since the receipt was checked. */
export function failureMayCount(receipt: Receipt, row: Message): boolean {
  if (!mayStillFail(receipt, row)) return false;
  if (row.status === 'sent') return !failsEarlierAttempt(receipt, row);
  return (row.attempts?.at(-1)?.number ?? 0) <= (receipt.attempt ?? 0);
}

/**
 * Returns the transition that follows from the receipt, with its conditions.
 *
 * @param isLastTry - true to accept that the attempts have changed meanwhile
 */
export function reportedTransition(receipt: Receipt, row: Message, isLastTry: boolean): Transition {
  const { attempt, transition } = receipt;
  const { cost: _cost, currency: _currency, ...withoutCost } = transition;
  const hasOwnCost = attempt !== undefined && hasSeveralCosts(row);
  const seen = isLastTry ? {} : { seen: row.attempts };
  const isOfLast = failsEarlierAttempt(receipt, row) && attempt !== undefined;
  return {
    ...(hasOwnCost ? withoutCost : transition),
    ...(isOfLast ? { ofAttempt: { number: attempt, ...seen } } : {}),
    notFailed: transition.to === 'sent' ? attempt : undefined,
    reportedAttempt: provenAttempt(receipt, row),
    reported: true,
  };
}

/**
 * Returns the number of the attempt that the receipt proves, if responses may show another: by default they show the last
 * one, whose carrier may have refused the message. If the row no longer contains the attempt, returns the newest attempt of
 * its carrier.
 */
function provenAttempt(
  { attempt, reportedBy = [] }: Receipt,
  { attempts = [] }: Message,
): number | undefined {
  const isAccepted = attempts.length === 1 && attempts[0]?.outcome === 'accepted';
  if (attempt === undefined || isAccepted) return undefined;
  const isKept = attempts.some(({ number }) => number === attempt);
  return isKept ? attempt : attempts.findLast(({ carrier }) => reportedBy.includes(carrier))?.number;
}
