/** Records the outcome of a call: the last step of a hand-over. */
import { type MessageErrorCode, messageError } from '../../contract/message-error-codes.ts';
import type { Row } from '../../platform/aws/read-rows.dynamo.ts';
import { retry } from '../../platform/retry.ts';
import { mayBeTaken, noneMayArrive } from '../attempt.ts';
import type { Message } from '../message.ts';
import { noteContactOfHandOver } from '../store/contacts.dynamo.ts';
import {
  addAttemptCost,
  noteHandOver,
  noteOutcome,
  transitionMessage,
} from '../store/message-changes.dynamo.ts';
import { suppressAfterRefusal } from '../suppression/suppressions.dynamo.ts';
import type { HandOver } from './carrier.ts';
import type { DispatchContext, Dispatched } from './dispatch-context.ts';
import { withOutcome } from './next-step.ts';

/** Retries the write of an outcome, because a lost outcome would let the next hand-over send the message again. */
function insistently<Result>({ sleep }: DispatchContext, write: () => Promise<Result>): Promise<Result> {
  return retry({ delaysMs: [100, 400, 1600], sleep }, write);
}

/**
 * Stores that the carrier has the message.
 *
 * @param contact - the row of the message's contact, as read before the call
 */
export async function recordSent(
  ctx: DispatchContext,
  message: Message,
  { carrierMessageId, cost, currency }: Extract<HandOver, { outcome: 'accepted' }>,
  contact: Row | undefined,
): Promise<Dispatched> {
  const { message_id: messageId } = message;
  const attempts = withOutcome(message.attempts ?? [], 'accepted');
  const last = attempts.at(-1);
  // The time before the call is used, because a receipt can arrive before the carrier's response.
  const at = new Date(last?.at ?? message.created_at);
  // If a carrier may also have an earlier attempt, each attempt has its own cost.
  const hasOwnCost = attempts.filter(mayBeTaken).length > 1;
  const noted = {
    at,
    carrierMessageId,
    attempts,
    ...(hasOwnCost ? {} : { cost, currency }),
  };
  // The message becomes `sent` even if the contact cannot be written. Then only the row shows which client a reply belongs
  // to.
  await noteContactOfHandOver(ctx, message, at, contact).catch((error: unknown) =>
    ctx.warn('contact not noted', error),
  );
  const sent = await insistently(ctx, () => transitionMessage(ctx, messageId, { to: 'sent', ...noted }));
  // A receipt changed the state before this write.
  if (sent === undefined) await noteHandOver(ctx, messageId, noted);
  if (hasOwnCost && last !== undefined && cost !== undefined && currency !== undefined) {
    const added = { attempt: last.number, cost, currency, reported: false };
    await insistently(ctx, () => addAttemptCost(ctx, messageId, added));
  }
  return { outcome: 'sent', message: sent ?? message };
}

/**
 * Stores that the message failed, because its carrier refused it or the channel is off.
 *
 * @param isNewAttempt - true if the refused attempt was recorded under this claim
 */
export async function recordRefused(
  ctx: DispatchContext,
  message: Message,
  { errorCode, errorMessage }: { readonly errorCode: MessageErrorCode; readonly errorMessage: string },
  { isNewAttempt }: { readonly isNewAttempt: boolean },
): Promise<Dispatched> {
  const { message_id: messageId } = message;
  // The opt-out is stored before the state, because the state ends the work on this message.
  const isOptOut = errorCode === 'recipient_opted_out';
  const hasOptedIn = isOptOut && !(await suppressAfterRefusal(ctx, message, ctx.clock()));
  const attempts = message.attempts && withOutcome(message.attempts, 'refused');
  const more = { ...(hasOptedIn ? { suppressed: false } : {}), attempts };
  const refused = { to: 'failed', at: ctx.clock(), notSent: true, errorCode, errorMessage, ...more } as const;
  const failed = await insistently(ctx, () => transitionMessage(ctx, messageId, refused));
  // A receipt of an earlier attempt may have made the message `sent` during the call.
  if (failed === undefined && isNewAttempt && attempts !== undefined)
    await noteLateOutcome(ctx, message, { attempts });
  return { outcome: 'refused', message, errorCode };
}

/**
 * Stores the outcome even if a report of an earlier attempt made the message `sent` during the call, or before the attempt
 * was removed. Otherwise this carrier would seem to have the message. If all earlier attempts have failed meanwhile, the
 * message fails too.
 */
export async function noteLateOutcome(
  ctx: DispatchContext,
  claimed: Message,
  noted: Parameters<typeof noteOutcome>[2],
): Promise<void> {
  const row = await insistently(ctx, () => noteOutcome(ctx, claimed, noted));
  if (row?.status !== 'sent' || !noneMayArrive(row)) return;
  await transitionMessage(ctx, row.message_id, { to: 'failed', at: ctx.clock(), ...messageError('unknown') });
}
