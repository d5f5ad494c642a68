/**
 * Limits the one-time passwords of a client to one recipient, against SMS pumping (contract 5.8): at most five in a window of
 * ten minutes. One row for each window contains the ids of its messages; a conditional write adds one.
 */
import { type GatewayError, rateLimitExceeded } from '../contract/errors.ts';
import { recipientSendsMax, recipientWindowSeconds } from '../contract/otp-abuse.ts';
import { epochSeconds } from '../platform/clock.ts';
import { type OtpRecipient, type OtpStore, recipientWindowAt } from './otp-store.dynamo.ts';

/** True if the message is counted in the window at this time, or could be. Counts nothing. */
export async function hasRoom(
  store: Pick<OtpStore, 'sentTo'>,
  recipient: OtpRecipient,
  messageId: string,
  now: Date,
): Promise<boolean> {
  const sent = await store.sentTo(recipient, now);
  return sent.length < recipientSendsMax || sent.includes(messageId);
}

/** Returns the error `rate_limit_exceeded` with the headers of this limit. */
export function tooManySends(now: Date): GatewayError {
  const { end } = recipientWindowAt(now);
  return rateLimitExceeded(
    `At most ${recipientSendsMax} one-time passwords go to one recipient in a window of ${recipientWindowSeconds / 60} minutes.`,
    Math.ceil((end.getTime() - now.getTime()) / 1000),
    {
      'X-RateLimit-Limit': String(recipientSendsMax),
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(epochSeconds(end)),
      'X-RateLimit-Policy': `${recipientSendsMax};w=${recipientWindowSeconds};comment=otp_recipient`,
    },
  );
}
