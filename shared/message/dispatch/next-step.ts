/**
 * Decides what a claimed message needs next, from its row, the stage's carriers and the time alone: so every worker, also
 * one that finds the row of a worker that died, decides the same.
 *
 * Each attempt is recorded before its call. Without an outcome it is unknown whether the carrier has the message, which
 * then stays with that carrier: the attempt is repeated, or its receipt is waited for. At the
 * attempt's deadline the rule of the stage for its kind decides. Another carrier is asked only after proof that the one before has not taken it.
 */
import { modeOf } from '../../contract/mode.ts';
import type { OnUnknownRules, UnknownDeadlines } from '../../contract/variables.ts';
import { addSeconds } from '../../platform/clock.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { anySender, fromOf, type StoredAttempt } from '../attempt.ts';
import type { Message } from '../message.ts';
import { type Attempt, attemptIdOf, type ChosenCarrier } from './carrier.ts';

export interface AttemptRules {
  readonly onUnknown: OnUnknownRules;
  readonly deadlineSeconds: UnknownDeadlines;
}

export type NextStep =
  /** The attempts to store, of which the last is to be made. */
  | { readonly step: 'hand_over'; readonly carrier: ChosenCarrier; readonly attempts: StoredAttempt[] }
  | { readonly step: 'repeat'; readonly carrier: ChosenCarrier }
  | { readonly step: 'wait'; readonly until: Date }
  | { readonly step: 'channel_off' };

/**
 * A carrier that throttles a message for so long is left for the next one, and so is one that cannot be reached where the next
 * may have the message already.
 */
const repeatedSecondsMax = 30;
/** With a single carrier, a message is sent again once. */
const unknownAttemptsMin = 2;

export function nextStep(
  message: Message,
  carriers: readonly ChosenCarrier[],
  rules: AttemptRules,
  now: Date,
): NextStep {
  const [first] = carriers;
  const { attempts = [] } = message;
  const last = attempts.at(-1);
  if (last !== undefined && last.outcome === undefined) return settle(message, last, carriers, rules, now);
  if (first === undefined) return { step: 'channel_off' };
  if (last === undefined) return handOver(message, first, rules, now);
  const { since = last.at } = last;
  const next = after(message, carriers, last.carrier) ?? first;
  const nextMayHave = attempts.some(({ carrier, outcome }) => carrier === next.name && outcome === 'unknown');
  const isRepeated = last.outcome === 'throttled' || (last.outcome === 'not_taken' && nextMayHave);
  const stays = isRepeated && now < addSeconds(new Date(since), repeatedSecondsMax);
  const carrier = stays ? carriers.find(({ name }) => name === last.carrier) : undefined;
  if (carrier !== undefined) return handOver(message, carrier, rules, now, since);
  return handOver(message, next, rules, now);
}

/** The message as one of its carriers sends it: from the sender that is selected for that carrier. */
export function atCarrier(
  { sender, senders, ...message }: Message,
  name: string,
  [first]: readonly ChosenCarrier[],
): Message {
  // The simulator plays every sender of test data.
  const isOfFirst = sender?.carrier === undefined || modeOf(message.client_id) === 'test';
  const own = name === (isOfFirst ? first?.name : sender.carrier) ? sender : senders?.[name];
  return { ...message, ...withoutUndefined({ sender: own, senders }) };
}

/**
 * Returns the attempts to store before the call of the last of them: with its time, which is after the wait for the pace of its
 * sender, and with what it is sent from, if the message does not say it.
 */
export function begunAt(
  now: Date,
  message: Message,
  attempts: readonly StoredAttempt[],
  from: string | undefined,
): StoredAttempt[] {
  const { attempts: _none, ...asSent } = message;
  const sentFrom = from === fromOf(asSent) ? {} : { from: from ?? anySender };
  return attempts.map((attempt, index) => {
    if (index < attempts.length - 1) return attempt;
    const waitedMs = now.getTime() - Date.parse(attempt.at);
    const deadline = new Date(Date.parse(attempt.deadline) + waitedMs).toISOString();
    return { ...attempt, at: now.toISOString(), deadline, ...sentFrom };
  });
}

/**
 * Whether another carrier can be asked at once: after a refusal one that could not be reached before too, because it has not
 * refused the message, and one of which it is not known. It is left for another carrier only under `send_again`.
 */
export function hasNext(attempts: readonly StoredAttempt[], carriers: readonly ChosenCarrier[]): boolean {
  const isRefused = attempts.at(-1)?.outcome === 'refused';
  return carriers.some(({ name }) =>
    attempts.every(({ carrier, outcome }) => carrier !== name || (isRefused && outcome !== 'refused')),
  );
}

/** The attempt as a carrier is asked for it. */
export function asked({ message_id }: Message, { number, at }: StoredAttempt): Attempt {
  return { id: attemptIdOf(message_id, number), number, at: new Date(at) };
}

export function withOutcome(
  attempts: readonly StoredAttempt[],
  outcome: NonNullable<StoredAttempt['outcome']>,
): StoredAttempt[] {
  return attempts.map((attempt, index) =>
    index === attempts.length - 1 ? { ...attempt, outcome } : attempt,
  );
}

/** Whether an earlier attempt than the last may have reached the person too. */
export function possiblyDoubled(attempts: readonly StoredAttempt[]): boolean {
  return attempts.slice(0, -1).some(({ outcome }) => outcome === 'unknown');
}

function settle(
  message: Message,
  last: StoredAttempt,
  carriers: readonly ChosenCarrier[],
  rules: AttemptRules,
  now: Date,
): NextStep {
  const deadline = new Date(last.deadline);
  const isDue = deadline <= now;
  if (isDue && rules.onUnknown[kindOf(message)] === 'send_again') {
    const unknown = (message.attempts ?? []).filter(({ outcome }) => (outcome ?? 'unknown') === 'unknown');
    const carrier = after(message, carriers, last.carrier) ?? carriers[0];
    if (carrier !== undefined && unknown.length < Math.max(unknownAttemptsMin, carriers.length)) {
      const attempts = withOutcome(message.attempts ?? [], 'unknown');
      return handOver({ ...message, attempts }, carrier, rules, now);
    }
  }
  const carrier = carriers.find(({ name }) => name === last.carrier);
  if (carrier?.settledBy === 'repeat') return { step: 'repeat', carrier };
  return { step: 'wait', until: isDue ? new Date(message.expires_at) : deadline };
}

/**
 * Only the newest attempt of each carrier is kept, and those that may have reached the person: a carrier may throttle a
 * message hundreds of times.
 */
function handOver(
  message: Message,
  carrier: ChosenCarrier,
  { deadlineSeconds }: AttemptRules,
  now: Date,
  since?: string,
): NextStep {
  const { attempts = [], otp } = message;
  const kept = attempts.filter((one) => one.carrier !== carrier.name || one.outcome === 'unknown');
  const attempt: StoredAttempt = {
    number: (attempts.at(-1)?.number ?? 0) + 1,
    carrier: carrier.name,
    at: now.toISOString(),
    deadline: addSeconds(now, otp === undefined ? deadlineSeconds.other : deadlineSeconds.otp).toISOString(),
    ...(since === undefined ? {} : { since }),
  };
  return { step: 'hand_over', carrier, attempts: [...kept, attempt] };
}

function kindOf({ otp, type }: Message): keyof OnUnknownRules {
  if (otp !== undefined) return 'otp';
  return type === 'promotional' ? 'promotional' : 'other';
}

/**
 * The carrier after this one that has not refused the message; after the last, the first. Undefined where the stage does not
 * have this one any more.
 */
function after(
  { attempts = [] }: Message,
  carriers: readonly ChosenCarrier[],
  last: string,
): ChosenCarrier | undefined {
  const next = carriers.findIndex(({ name }) => name === last) + 1;
  if (next === 0) return undefined;
  const inOrder = [...carriers.slice(next), ...carriers.slice(0, next)];
  const hasRefused = (name: string) =>
    attempts.some(({ carrier, outcome }) => carrier === name && outcome === 'refused');
  return inOrder.find(({ name }) => !hasRefused(name)) ?? inOrder[0];
}
