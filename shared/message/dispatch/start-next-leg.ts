/**
 * Starts the next leg of a send, once. One conditional write stores the leg's row, whose id is derived from the send. The
 * condition is that no earlier leg is delivered. If its row exists, a leg has started. From then on, it is processed like
 * any message.
 *
 *   read, checks ─ crash → nothing happened; the queue delivers the message again
 *   amount taken from a cap ─ crash → it stays taken until its window ends, and the next attempt takes it again
 *   one-time password counted for its recipient, by the id of the leg ─ crash → the next attempt counts it as the same
 *   row of the leg ─ crash → the stream hands the leg to its queue; the next attempt finds it
 *
 * If two workers start a leg at once, only one stores the row, but both may have taken from a cap. If the queue message
 * that starts the leg is lost, the due index queues it again (due/due-index.ts).
 */

import { refusalAmong } from '../../contract/errors.ts';
import type { Context } from '../../platform/context.ts';
import { retry } from '../../platform/retry.ts';
import { type LegRefusal, type Message, undeliveredStatuses } from '../message.ts';
import { createLeg, readMessage, readMessages } from '../store/messages.dynamo.ts';
import { earlierLegIds, laterLegIds, nextLegDueAt, nextLegOf, nextLegWaitsUntil } from './fallback.ts';

/** The checks and the text of legs that carry a one-time password. */
export interface OtpLegs {
  /** Returns true if the password can still be verified. */
  isPending(otpId: string): Promise<boolean>;
  /** Returns why the leg may not be sent; undefined if it may. Does not count the leg. */
  refusalOf(leg: Message, now: Date): Promise<LegRefusal | undefined>;
  /** Counts the leg for its recipient, once even if repeated. Returns why it may not be sent. */
  count(leg: Message, now: Date): Promise<LegRefusal | undefined>;
  /** After the leg is stored, counts an SMS with the password. */
  noteStarted(leg: Message): Promise<void>;
  textOf(template: string, expiresAt: Date, now: Date): string;
}

interface StartedLeg {
  readonly outcome:
    | 'leg_started'
    /** The leg's row is stored, but the leg is not handed over. */
    | 'leg_refused'
    | 'leg_exists'
    /** An earlier leg is delivered, the password is verified or expired, no leg follows, or the start comes too late. */
    | 'no_leg_needed';
  readonly leg?: Message;
}

/** A receipt that is written at the same time cancels the transaction. */
const conflictRetryDelaysMs = [50, 200, 800];

/**
 * Starts the leg that is due after this message.
 *
 * @throws if the leg may not have started; the queue then delivers the message again.
 */
export async function startNextLeg(
  ctx: Context<'MESSAGES_TABLE' | 'RETENTION_DAYS'> & {
    readonly takeFromCaps: (clientId: string, messages: readonly Message[], now: Date) => Promise<void>;
    readonly otpLegs: OtpLegs;
  },
  previous: Message,
): Promise<StartedLeg> {
  const { otpLegs, clock, sleep } = ctx;
  const now = clock();
  const dueAt = nextLegDueAt(previous);
  const leg = nextLegOf(previous, now, otpLegs.textOf);
  if (dueAt === undefined || leg === undefined || now > nextLegWaitsUntil(previous, dueAt))
    return { outcome: 'no_leg_needed' };
  // Most repeats end here, before a cap or the recipient's limit is counted.
  if ((await readMessage(ctx, leg.message_id)) !== undefined) return { outcome: 'leg_exists' };
  const earlierIds = earlierLegIds(leg);
  const others = earlierIds.filter((id) => id !== previous.message_id).map((id) => readMessage(ctx, id));
  if (!(await Promise.all(others)).every(isUndelivered)) return { outcome: 'no_leg_needed' };
  if (leg.otp !== undefined && !(await otpLegs.isPending(leg.otp.otp_id)))
    return { outcome: 'no_leg_needed' };
  const workId = ctx.newId();
  const refusal = await refusalOf(leg, otpLegs, ctx.takeFromCaps, now);
  const row = { ...leg, refusal, stored_by: workId };
  const stored = await retry({ delaysMs: conflictRetryDelaysMs, sleep }, () =>
    createLeg(ctx, row, earlierIds),
  );
  if (stored === 'exists') return { outcome: 'leg_exists' };
  if (stored === 'sequence_ended') return { outcome: 'no_leg_needed' };
  if (refusal !== undefined) return { outcome: 'leg_refused', leg: row };
  if (leg.otp !== undefined) await otpLegs.noteStarted(leg);
  return { outcome: 'leg_started', leg: row };
}

/** Must match the condition in `createLeg`. A missing row ends the sequence too. */
function isUndelivered(message: Message | undefined): boolean {
  return undeliveredStatuses.some((each) => each === message?.status);
}

/**
 * Returns why the leg is refused; undefined if it is not. Order: checks that change nothing, then the caps, then the limit
 * of the recipient.
 */
async function refusalOf(
  leg: Message,
  otpLegs: OtpLegs,
  takeFromCaps: (clientId: string, messages: readonly Message[], now: Date) => Promise<void>,
  now: Date,
): Promise<LegRefusal | undefined> {
  const isPassword = leg.otp !== undefined;
  return (
    (isPassword ? await otpLegs.refusalOf(leg, now) : undefined) ??
    (await refusalAmong(capRefusals, takeFromCaps(leg.client_id, [leg], now))) ??
    (isPassword ? otpLegs.count(leg, now) : undefined)
  );
}

const capRefusals = ['message_limit_reached', 'spend_limit_reached'] as const satisfies LegRefusal[];

/**
 * True if a message of a send with `fallback` no longer needs to be handed over, because the recipient would get it twice.
 * While the leg waited for its carrier, the next leg may have started, or a late receipt may have shown that the previous
 * leg was delivered. Reads nothing for a message without `fallback`, or for a first leg that is not late.
 */
export async function isReplaced(
  ctx: Context<'MESSAGES_TABLE'> & { readonly otpLegs: OtpLegs },
  message: Message,
): Promise<boolean> {
  const { otpLegs, clock } = ctx;
  const earlier = earlierLegIds(message);
  const dueAt = nextLegDueAt(message);
  const later = dueAt !== undefined && dueAt <= clock() ? laterLegIds(message) : [];
  if (earlier.length + later.length === 0) return false;
  const legs = await readMessages(ctx, [...earlier, ...later]);
  if (legs.some(({ status }) => status === 'delivered' || status === 'read')) return true;
  if (legs.some((leg) => later.includes(leg.message_id) && replaces(leg))) return true;
  return earlier.length > 0 && message.otp !== undefined && !(await otpLegs.isPending(message.otp.otp_id));
}

/** A leg that failed, or will fail because it was refused when it started, does not reach the recipient. */
function replaces({ status, refusal }: Message): boolean {
  return status !== 'failed' && refusal === undefined;
}
