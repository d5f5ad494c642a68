/**
 * Decides on the next step of a message that may be claimed. The decision depends only on its row, the stage's carriers and
 * the time, so every worker reaches the same one, even after another worker died.
 *
 * Each attempt is recorded before its call. While an attempt has no outcome, its carrier may have the message. The message
 * then stays with that carrier: the attempt is repeated, or waits for its receipt. At the attempt's deadline, the stage's
 * setting `onUnknown` for this kind of message decides. Another carrier is used only if the previous one has certainly not
 * accepted the message, or if the setting is `send_again`.
 */
import type * as z from 'zod/mini';
import { modeOf } from '../../contract/mode.ts';
import type { OnUnknownRules, unknownDeadlines } from '../../contract/variables.ts';
import { addSeconds, earlierOf } from '../../platform/clock.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { anySender, fromOf, type StoredAttempt } from '../attempt.ts';
import type { Message } from '../message.ts';
import { type Attempt, attemptIdOf, type ChosenCarrier, type HandOver, type SettledBy } from './carrier.ts';

export interface AttemptRules {
  readonly onUnknown: OnUnknownRules;
  readonly deadlineSeconds: Readonly<z.output<ReturnType<typeof unknownDeadlines>>>;
}

type NextStep =
  /** The attempts to store; the last one is about to be made. */
  | { readonly step: 'hand_over'; readonly carrier: ChosenCarrier; readonly attempts: StoredAttempt[] }
  | { readonly step: 'repeat'; readonly carrier: ChosenCarrier }
  | { readonly step: 'wait'; readonly until: Date }
  | { readonly step: 'channel_off' };

/**
 * The next carrier is used after a carrier has throttled a message for this long. The same applies if a carrier cannot be
 * reached and the next one may already have the message.
 */
const repeatedSecondsMax = 30;
/** With a single carrier, an unknown message is sent again only once. */
const unknownAttemptsMin = 2;

/** True if a worker may hand the message over now: no claim or wait is active. */
export function mayBeClaimed({ status, held, expires_at, handover_until }: Message, now: Date): boolean {
  const isFree =
    status === 'queued' ||
    (status === 'sending' && handover_until !== undefined && new Date(handover_until) <= now);
  return isFree && held === undefined && new Date(expires_at) > now;
}

/** True if another worker has claimed the message, or the message waits until a known time. */
export function isClaimed({ status, handover_until }: Message, now: Date): boolean {
  return status === 'sending' && handover_until !== undefined && new Date(handover_until) > now;
}

/** Returns the next step of a message that may be claimed. */
export function nextHandOverStep(
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
  const next = carrierAfter(message, carriers, last.carrier) ?? first;
  const nextMayHave = attempts.some(({ carrier, outcome }) => carrier === next.name && outcome === 'unknown');
  const isForRecipient = last.for_recipient === true;
  const isRepeated = last.outcome === 'throttled' || (last.outcome === 'not_taken' && nextMayHave);
  const isEarly = now < addSeconds(new Date(since), repeatedSecondsMax);
  const stays = isForRecipient || (isRepeated && isEarly);
  const carrier = stays ? carriers.find(({ name }) => name === last.carrier) : undefined;
  if (carrier !== undefined)
    return handOver(message, carrier, rules, now, isForRecipient ? undefined : since);
  return handOver(message, next, rules, now);
}

/** Returns the message with the sender that is selected for this carrier. */
export function atCarrier(
  { sender, senders, ...message }: Message,
  name: string,
  [first]: readonly ChosenCarrier[],
): Message {
  // For test data, the simulator accepts every sender.
  const isOfFirst = sender?.carrier === undefined || modeOf(message.client_id) === 'test';
  const own = name === (isOfFirst ? first?.name : sender.carrier) ? sender : senders?.[name];
  return { ...message, ...withoutUndefined({ sender: own, senders }) };
}

/**
 * Returns the attempts to store before the last one is made. Sets its time, which is after the wait for the sender's pace,
 * and its sender, if the message names none.
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
 * True if another carrier can be used immediately. After a refusal, this may be an earlier carrier that has not refused the
 * message.
 */
function hasNextCarrier(attempts: readonly StoredAttempt[], carriers: readonly ChosenCarrier[]): boolean {
  const isRefused = attempts.at(-1)?.outcome === 'refused';
  return carriers.some(({ name }) =>
    attempts.every(({ carrier, outcome }) => carrier !== name || (isRefused && outcome !== 'refused')),
  );
}

/** Returns the attempt in the form in which its carrier receives it. */
export function attemptFor({ message_id }: Message, { number, at }: StoredAttempt): Attempt {
  return { id: attemptIdOf(message_id, number), number, at: new Date(at) };
}

/** Returns the attempts after the last one got its outcome. @param more - further fields of the last attempt */
export function withOutcome(
  attempts: readonly StoredAttempt[],
  outcome: NonNullable<StoredAttempt['outcome']>,
  more: Partial<StoredAttempt> = {},
): StoredAttempt[] {
  return attempts.map((attempt, index) =>
    index === attempts.length - 1 ? { ...attempt, outcome, ...more } : attempt,
  );
}

/** True if an attempt before the last one may also have reached the recipient. */
export function possiblyDoubled(attempts: readonly StoredAttempt[]): boolean {
  return attempts.slice(0, -1).some(({ outcome }) => outcome === 'unknown');
}

/**
 * Returns the next step after a carrier's response.
 *
 * @param isRepeat - true if the attempt was recorded earlier, so that the carrier may already have it
 */
export function stepAfterResponse(
  attempts: readonly StoredAttempt[],
  carriers: readonly ChosenCarrier[],
  response: HandOver,
  isRepeat: boolean,
): 'sent' | 'failed' | 'unknown' | 'next_carrier' | 'try_again' {
  const { outcome } = response;
  if (outcome === 'accepted') return 'sent';
  if (outcome === 'refused' && response.elsewhere !== true) return 'failed';
  // If the carrier refuses a repeat, this proves nothing about the earlier call.
  if (isRepeat) return 'unknown';
  if (outcome === 'throttled') return 'try_again';
  if (hasNextCarrier(withOutcome(attempts, outcome), carriers)) return 'next_carrier';
  return outcome === 'refused' ? 'failed' : 'try_again';
}

/** Returns when an attempt without an outcome may be repeated, or when the wait for its receipt ends. */
export function settledAt({ attempts, handover_attempts }: Message, settledBy: SettledBy, now: Date): Date {
  const deadline = new Date(attempts?.at(-1)?.deadline ?? now);
  const again = addSeconds(now, handOverBackoffSeconds(handover_attempts ?? 1));
  if (deadline <= now) return again;
  return settledBy === 'receipt' ? deadline : earlierOf(deadline, again);
}

/** Returns whole seconds until the next attempt: 2, 4, 8 … 300. */
export function handOverBackoffSeconds(attempt: number): number {
  return Math.min(300, 2 ** Math.min(attempt, 9));
}

/** Returns the next step of a message whose last attempt has no outcome. */
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
    const carrier = carrierAfter(message, carriers, last.carrier) ?? carriers[0];
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
 * Keeps only the newest attempt of each carrier, and attempts that may have reached the recipient, because a carrier may
 * throttle a message hundreds of times.
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
 * Returns the next carrier, in a circle, that has not refused the message. Undefined if the stage no longer has the current
 * carrier.
 */
function carrierAfter(
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
