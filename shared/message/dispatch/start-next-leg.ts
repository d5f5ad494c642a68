/**
 * Starts the next leg of a send, once. The start is one write: the row of the leg, whose id follows from the send, on the
 * condition that no earlier leg is delivered. A leg has started if its row exists, and then goes the way of any message.
 *
 *   read, checks ─ crash → nothing happened; the queue delivers the message again
 *   amount taken from a cap ─ crash → it is lost until the window resets, and taken again by the next attempt
 *   one-time password counted for its recipient, by the id of the leg ─ crash → the next attempt counts it as the same
 *   row of the leg ─ crash → the stream hands the leg to its queue; the next attempt finds it
 *
 * Of two workers at once, one stores the row, and the other gives back what it took, as does one that has surely not stored it. The
 * count of the recipient is given back only where no worker stores the row any more.
 * If the queue message is lost, the review finds the message (relay/expire-messages.ts).
 */

import { refusalAmong } from '../../contract/errors.ts';
import type { Allowance, AllowanceOf } from '../../limit/take-from-caps.ts';
import type { Clock, Sleep } from '../../platform/clock.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { retry } from '../../platform/retry.ts';
import { type LegRefusal, type Message, undeliveredStatuses } from '../message.ts';
import { LegNotStored, type MessageStore } from '../store/message-store.ts';
import { earlierLegIds, laterLegIds, nextLegDueAt, nextLegOf, nextLegWaitsUntil } from './fallback.ts';

/** The differences of one-time passwords. */
export interface OtpLegs {
  /** Whether it can still be verified. */
  isPending(otpId: string): Promise<boolean>;
  /** Why the leg may not be sent, if so; counts nothing. */
  refusalOf(leg: Message, now: Date): Promise<LegRefusal | undefined>;
  /** Counts the leg for its recipient; why it may not be sent, if so. Repeating it for the same leg is safe. */
  count(leg: Message, now: Date): Promise<LegRefusal | undefined>;
  /** Takes the count of a leg back that is never stored. Repeating it is safe. */
  giveBack(leg: Message, now: Date): Promise<void>;
  /** Counts an SMS with the password, once it is stored. */
  noteStarted(leg: Message): Promise<void>;
  textOf(template: string, expiresAt: Date, now: Date): string;
}

type StartedLeg = {
  /** The leg before it. */
  readonly previous: Message | undefined;
} & (
  | { readonly outcome: 'leg_not_due'; readonly previous: Message; readonly dueAt: Date }
  | {
      readonly outcome:
        | 'leg_started'
        /** Its row is stored, but it is not handed over. */
        | 'leg_refused'
        | 'leg_exists'
        /** An earlier leg is delivered, the password is verified or expired, no leg follows, or it comes too late. */
        | 'no_leg_needed'
        | 'unknown_message';
      readonly leg?: Message;
    }
);

/** A receipt that is written at the same moment cancels the transaction. */
const conflictRetryDelaysMs = [50, 200, 800];

/** @throws when it may not have started: the queue must deliver the message again. */
export async function startNextLeg(
  dependencies: {
    readonly messages: Pick<MessageStore, 'get' | 'createLeg'>;
    readonly allowanceOf: AllowanceOf;
    readonly otpLegs: OtpLegs;
    readonly clock: Clock;
    readonly newWorkId: () => string;
    readonly sleep: Sleep;
  },
  previousId: string,
): Promise<StartedLeg> {
  const { messages, otpLegs, clock, sleep } = dependencies;
  const previous = await messages.get(previousId);
  if (previous === undefined) return { outcome: 'unknown_message', previous };
  const now = clock();
  const dueAt = nextLegDueAt(previous);
  const leg = nextLegOf(previous, now, otpLegs.textOf);
  if (dueAt === undefined || leg === undefined) return { outcome: 'no_leg_needed', previous };
  if (dueAt > now) return { outcome: 'leg_not_due', previous, dueAt };
  if (now > nextLegWaitsUntil(previous, dueAt)) return { outcome: 'no_leg_needed', previous };
  // Most repeats end here, before anything is taken from a cap or counted for the recipient.
  if ((await messages.get(leg.message_id)) !== undefined) return { outcome: 'leg_exists', previous };
  const earlierIds = earlierLegIds(leg);
  const others = earlierIds.filter((id) => id !== previousId).map((id) => messages.get(id));
  if (!(await Promise.all(others)).every(isUndelivered)) return { outcome: 'no_leg_needed', previous };
  if (leg.otp !== undefined && !(await otpLegs.isPending(leg.otp.otp_id)))
    return { outcome: 'no_leg_needed', previous };
  const workId = dependencies.newWorkId();
  const allowance = await dependencies.allowanceOf(leg.client_id, { now });
  const refusal = await refusalOf(leg, otpLegs, allowance, now);
  const row = { ...leg, ...withoutUndefined({ refusal }), stored_by: workId };
  let mayBeStored = false;
  const createLeg = () =>
    messages.createLeg(row, earlierIds).catch((error: unknown) => {
      mayBeStored ||= !(error instanceof LegNotStored);
      throw error;
    });
  const stored = await retry({ delaysMs: conflictRetryDelaysMs, sleep }, createLeg).catch(async (error) => {
    if (!mayBeStored) await allowance?.giveBack();
    throw error;
  });
  if (stored === 'created') {
    if (refusal !== undefined) return { outcome: 'leg_refused', previous, leg: row };
    if (leg.otp !== undefined) await otpLegs.noteStarted(leg);
    return { outcome: 'leg_started', previous, leg: row };
  }
  await allowance?.giveBack();
  if (stored === 'exists') return { outcome: 'leg_exists', previous };
  if (leg.otp !== undefined) await otpLegs.giveBack(leg, now);
  return { outcome: 'no_leg_needed', previous };
}

/** The condition of `createLeg`, for which a row that is gone ends the sequence too. */
function isUndelivered(message: Message | undefined): boolean {
  return undeliveredStatuses.some((each) => each === message?.status);
}

/** Checks that do not count come first. */
async function refusalOf(
  leg: Message,
  otpLegs: OtpLegs,
  allowance: Allowance | undefined,
  now: Date,
): Promise<LegRefusal | undefined> {
  const known =
    (leg.otp === undefined ? undefined : await otpLegs.refusalOf(leg, now)) ??
    (await refusalAmong(capRefusals, allowance?.take([leg])));
  if (known !== undefined || leg.otp === undefined) return known;
  let isCounted = false;
  try {
    const overLimit = await otpLegs.count(leg, now);
    isCounted = overLimit === undefined;
    return overLimit;
  } finally {
    if (!isCounted) await allowance?.giveBack();
  }
}

const capRefusals = ['message_limit_reached', 'spend_limit_reached'] as const satisfies LegRefusal[];

/**
 * Whether a message of a send with `fallback` need not be handed over any more. A leg may wait for its carrier so long that
 * the next one has started, or that a late receipt delivered the one before; the person would get the message twice. Reads
 * nothing for a message without `fallback`, nor for a first leg within its time.
 */
export async function isReplaced(
  {
    messages,
    otpLegs,
    clock,
  }: {
    readonly messages: Pick<MessageStore, 'getMany'>;
    readonly otpLegs: Pick<OtpLegs, 'isPending'>;
    readonly clock: Clock;
  },
  message: Message,
): Promise<boolean> {
  const earlier = earlierLegIds(message);
  const dueAt = nextLegDueAt(message);
  const later = dueAt !== undefined && dueAt <= clock() ? laterLegIds(message) : [];
  if (earlier.length + later.length === 0) return false;
  const legs = await messages.getMany([...earlier, ...later]);
  if (legs.some(({ status }) => status === 'delivered' || status === 'read')) return true;
  if (legs.some((leg) => later.includes(leg.message_id) && replaces(leg))) return true;
  return earlier.length > 0 && message.otp !== undefined && !(await otpLegs.isPending(message.otp.otp_id));
}

/** A leg that failed, or that will because it was refused when it started, reaches nobody. */
function replaces({ status, refusal }: Message): boolean {
  return status !== 'failed' && refusal === undefined;
}
