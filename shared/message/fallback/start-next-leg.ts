/**
 * Starts the next leg of a send, once. The start is one write: the row of the leg, whose id follows from the send, on the
 * condition that no earlier leg is delivered. A leg has started if its row exists, and then goes the way of any message.
 *
 *   read, checks ─ crash → nothing happened; the queue delivers the message again
 *   amount taken from a cap ─ crash → it is lost until the window resets, and taken again by the next attempt
 *   row of the leg ─ crash → the stream hands the leg to its queue; the next attempt finds it
 *
 * Two workers at once: one stores the row, the other gives back what it took. What loses the queue message is found by the
 * due-item index (../expire).
 */
import type { AllowanceOf } from '../../cap/allowance.ts';
import { GatewayError } from '../../contract/errors.ts';
import type { Clock, Sleep } from '../../platform/clock.ts';
import { retry } from '../../platform/retry.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import type { LegRefusal, Message } from '../message.ts';
import type { MessageStore } from '../store/message-store.ts';
import { earlierLegIds, nextLegDueAt, nextLegOf } from './legs.ts';

/** What is different for one-time passwords. */
export interface OtpLegs {
  /** Whether it can still be verified. */
  isPending(otpId: string): Promise<boolean>;
  /** Counts the leg for its recipient; why it may not be sent, if so. Repeating it for the same leg is safe. */
  refusalOf(leg: Message, now: Date): Promise<LegRefusal | undefined>;
  textOf(template: string, expiresAt: Date, now: Date): string;
}

export interface StartLegDependencies {
  readonly messages: Pick<MessageStore, 'get' | 'createLeg'>;
  readonly allowanceOf: AllowanceOf;
  readonly otpLegs: OtpLegs;
  readonly clock: Clock;
  readonly newWorkId: () => string;
  readonly sleep: Sleep;
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
        /** An earlier leg is delivered, the password is verified or expired, or no leg follows. */
        | 'no_leg_needed'
        | 'unknown_message';
      readonly leg?: Message;
    }
);

/** A receipt that is written at the same moment cancels the transaction. */
const conflictRetryDelaysMs = [50, 200, 800];

/** @throws when it may not have started: the queue must deliver the message again. */
export async function startNextLeg(
  dependencies: StartLegDependencies,
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
  // Before anything is taken from a cap: most repeats end here.
  if ((await messages.get(leg.message_id)) !== undefined) return { outcome: 'leg_exists', previous };
  if (leg.otp !== undefined && !(await otpLegs.isPending(leg.otp.otp_id)))
    return { outcome: 'no_leg_needed', previous };
  const workId = dependencies.newWorkId();
  const allowance = await dependencies.allowanceOf(leg.client_id, { workId, now });
  const refusal =
    (leg.otp === undefined ? undefined : await otpLegs.refusalOf(leg, now)) ??
    (await refusalBy(() => allowance?.take([leg])));
  const row = { ...leg, ...withoutUndefined({ refusal }), stored_by: workId };
  const stored = await retry({ delaysMs: conflictRetryDelaysMs, sleep }, () =>
    messages.createLeg(row, earlierLegIds(leg)),
  );
  if (stored === 'created')
    return { outcome: refusal === undefined ? 'leg_started' : 'leg_refused', previous, leg: row };
  await allowance?.giveBack();
  return { outcome: stored === 'exists' ? 'leg_exists' : 'no_leg_needed', previous };
}

const capRefusals = ['message_limit_reached', 'spend_limit_reached'] as const satisfies LegRefusal[];

async function refusalBy(take: () => Promise<void> | undefined): Promise<LegRefusal | undefined> {
  try {
    await take();
    return undefined;
  } catch (error) {
    const code = capRefusals.find((each) => error instanceof GatewayError && error.code === each);
    if (code === undefined) throw error;
    return code;
  }
}
