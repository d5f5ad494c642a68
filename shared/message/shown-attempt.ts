/** Which attempt of a message is shown, and what it is sent from. */
import { anySender, type StoredAttempt } from './attempt.ts';
import type { Message } from './message.ts';

/** The attempt that a receipt proves, else the last one: its carrier and its sender are shown. */
export function shownAttempt({
  attempts = [],
  reported_attempt,
}: Pick<Message, 'attempts' | 'reported_attempt'>): StoredAttempt | undefined {
  return attempts.find(({ number }) => number === reported_attempt) ?? attempts.at(-1);
}

/**
 * What an attempt is sent from, by default the one that is shown: the sender of the request, the one that was selected, or
 * the carrier's own. Undefined where the carrier chose.
 */
export function fromOf(
  message: Pick<Message, 'sender' | 'from' | 'attempts' | 'reported_attempt'>,
  number = shownAttempt(message)?.number,
): string | undefined {
  const { sender, from, attempts = [] } = message;
  const attempt = attempts.find((one) => one.number === number);
  const used = attempt?.from ?? sender?.identity ?? from;
  return used === anySender ? undefined : used;
}
