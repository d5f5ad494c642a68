/**
 * Starts the next leg of a send, once. The start is one write of the leg's row, whose id follows from the send. The
 * condition of the write is that no earlier leg is delivered. A leg has started if its row exists. It is then processed like
 * any message.
 *
 *   read, checks ─ crash → nothing happened; the queue delivers the message again
 *   amount taken from a cap ─ crash → it stays taken until its window ends, and the next attempt takes it again
 *   one-time password counted for its recipient, by the id of the leg ─ crash → the next attempt counts it as the same
 *   row of the leg ─ crash → the stream hands the leg to its queue; the next attempt finds it
 *
 * If two workers do this at the same time, one stores the row, and both may have taken from a cap. If the queue message is
 * lost, the due index queues it again (due/due-index.ts).
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
  /** Returns why the leg may not be sent; undefined if it may. Counts nothing. */
  refusalOf(leg: Message, now: Date): Promise<LegRefusal | undefined>;
  /** Counts the leg for its recipient. Returns why it may not be sent. Repeating this call for the same leg is safe. */
  count(leg: Message, now: Date): Promise<LegRefusal | undefined>;
  /** Counts an SMS with the password, once it is stored. */
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

/** A receipt that is written at the same moment cancels the transaction. */
const conflictRetryDelaysMs = [50, 200, 800];

/**
 * Starts the leg that is due after this message.
 *
 * @throws when it may not have started: the queue must deliver the message again.
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
  // Most repeats end here, before anything is taken from a cap or counted for the recipient.
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

/** The condition of `createLeg`. A missing row ends the sequence too. */
function isUndelivered(message: Message | undefined): boolean {
  return undeliveredStatuses.some((each) => each === message?.status);
}

/** Returns why the leg is refused. Order: checks that change nothing, then the caps, then the recipient's window. */
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
 * True if a message of a send with `fallback` need not be handed over any more. A leg may wait so long for its carrier that
 * the next leg has started, or that a late receipt has shown the previous leg as delivered. Then the recipient would get the
 * message twice. Reads nothing for a message without `fallback`, or for a first leg within its time.
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

/** A leg that failed, or that will fail because it was refused when it started, reaches nobody. */
function replaces({ status, refusal }: Message): boolean {
  return status !== 'failed' && refusal === undefined;
}
