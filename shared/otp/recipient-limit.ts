/**
 * Limits the one-time passwords to one recipient, against SMS pumping, exactly: one row has the times of the latest sends,
 * and a conditional write replaces it only if it has not changed since it was read.
 */
import { GatewayError, isServiceUnavailable, rateLimitExceeded } from '../contract/errors.ts';
import { recipientSendsMax, recipientWindowSeconds } from '../contract/otp-abuse.ts';
import { epochSeconds } from '../platform/clock.ts';
import { retry } from '../platform/retry.ts';
import type { OtpRecipient, OtpStore, RecipientSend, RecipientSends } from './otp-store.dynamo.ts';

const conflicts = 19;

/** Calls again, after growing random delays, what returns undefined because another request for the recipient was faster. */
export function retryConflicts<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  // More than the requests that can be in flight for one recipient and still be accepted.
  const delaysMs = Array.from({ length: conflicts }, (_, index) => index * 8 * Math.random());
  return retry({ delaysMs, isRetryable: isServiceUnavailable }, async () => {
    const result = await attempt();
    if (result !== undefined) return result;
    throw new GatewayError(
      'service_unavailable',
      'Too many requests for this recipient at once. Try again soon.',
    );
  });
}

/**
 * The sends with one more. The same message counts once, however often its request is repeated: at the time of the latest,
 * which is when it is stored.
 *
 * @throws GatewayError `rate_limit_exceeded`, with the headers of this limit.
 */
export function withSend({ sends }: RecipientSends, messageId: string, now: Date): RecipientSend[] {
  const recent = sends.filter((send) => windowEndOf(send) > now.getTime());
  const others = recent.filter((send) => send.message_id !== messageId);
  if (others.length >= recipientSendsMax) throw tooManySends(others, now);
  return [...others, { message_id: messageId, at: now.toISOString() }];
}

/** @throws GatewayError `rate_limit_exceeded` */
export async function countRecipientSend(
  store: Pick<OtpStore, 'recipientSends' | 'replaceRecipientSends'>,
  recipient: OtpRecipient,
  messageId: string,
  now: Date,
): Promise<void> {
  await changeSends(store, recipient, now, (seen) => withSend(seen, messageId, now));
}

/** Takes back what was counted for this message. Repeating it is safe. */
export async function giveBackRecipientSend(
  store: Pick<OtpStore, 'recipientSends' | 'replaceRecipientSends'>,
  recipient: OtpRecipient,
  messageId: string,
  now: Date,
): Promise<void> {
  await changeSends(store, recipient, now, ({ sends }) =>
    sends.filter((send) => send.message_id !== messageId),
  );
}

async function changeSends(
  store: Pick<OtpStore, 'recipientSends' | 'replaceRecipientSends'>,
  recipient: OtpRecipient,
  now: Date,
  change: (seen: RecipientSends) => RecipientSend[],
): Promise<void> {
  await retryConflicts(async () => {
    const seen = await store.recipientSends(recipient);
    return (await store.replaceRecipientSends(recipient, seen, change(seen), now)) || undefined;
  });
}

/**
 * Whether this message would be accepted now; counts nothing.
 *
 * @throws GatewayError `rate_limit_exceeded`
 */
export async function checkRecipientSends(
  store: Pick<OtpStore, 'recipientSends'>,
  recipient: OtpRecipient,
  messageId: string,
  now: Date,
): Promise<void> {
  withSend(await store.recipientSends(recipient), messageId, now);
}

/**
 * The next send is allowed when the oldest of these leaves the window. Other requests may have begun after this one and been
 * stored before it read them, so the oldest may be later than `now`: the wait is still never longer than the window.
 */
function tooManySends(recent: readonly RecipientSend[], now: Date): GatewayError {
  const endsAt = Math.min(...recent.map(windowEndOf));
  const seconds = Math.min(recipientWindowSeconds, Math.max(1, Math.ceil((endsAt - now.getTime()) / 1000)));
  return rateLimitExceeded(
    `At most ${recipientSendsMax} one-time passwords go to one recipient in ${recipientWindowSeconds / 60} minutes.`,
    seconds,
    {
      'X-RateLimit-Limit': String(recipientSendsMax),
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(epochSeconds(new Date(endsAt + 999))),
      'X-RateLimit-Policy': `${recipientSendsMax};w=${recipientWindowSeconds};comment=otp_recipient`,
    },
  );
}

function windowEndOf(send: RecipientSend): number {
  return Date.parse(send.at) + recipientWindowSeconds * 1000;
}
