/**
 * A one-time password without its code, and the text of its message. The text states the remaining validity, so it is
 * rendered at the hand-over.
 *
 * The code is never stored (contract 5.9). It is an HMAC of the `otp_id` with a secret, computed at the hand-over and again
 * at the verification. After a rotation, codes of the previous secret (`AWSPREVIOUS`) are also accepted.
 */
import * as z from 'zod/mini';
import { channels } from '../contract/channels.ts';
import { modeOf } from '../contract/mode.ts';
import type { Message } from '../message/message.ts';
import { render } from '../message/message-text.ts';
import type { SendOtpRequest } from './otp-request.ts';

/** A row of the table. All times are ISO 8601 in UTC. */
export const otpSchema = z.object({
  otp_id: z.string(),
  client_id: z.string(),
  /** E.164. */
  recipient: z.string(),
  /** The country as ISO 3166-1 alpha-2, or `ZZ` if it is unknown. */
  country: z.string(),
  /** The first message with this password. */
  message_id: z.string(),
  channel: z.enum(channels),
  /** The number of SMS that were sent with the password. */
  sms_sends: z.int(),
  /** The purpose, such as a login. At most one password is pending for each client, recipient and purpose. */
  purpose: z.string(),
  code_length: z.int(),
  max_attempts: z.int(),
  /** The number of attempts. Each one is counted before its code is compared. */
  attempts: z.int(),
  status: z.enum(['pending', 'verified']),
  /**
   * The work ids of the attempts. If the SDK retries a write after a lost response, the retry finds its own id and counts
   * nothing.
   */
  attempted_by: z.exactOptional(z.array(z.string())),
  /** The work id of the attempt that was given back; a password has at most one. */
  given_back: z.exactOptional(z.string()),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});

export type OneTimePassword = Readonly<z.output<typeof otpSchema>>;

/** True if the password can still be verified. The table's TTL is not enough, because it deletes rows hours late. */
export function isPending(otp: OneTimePassword, now: Date): boolean {
  return otp.status === 'pending' && otp.expires_at > now.toISOString() && otp.attempts < otp.max_attempts;
}

export function attemptsRemaining(otp: OneTimePassword): number {
  return Math.max(0, otp.max_attempts - otp.attempts);
}

/**
 * Returns the milliseconds from the request to the hand-over; undefined unless the message is a one-time password of a live
 * key. Later legs of a fallback are left out, because they are delayed on purpose.
 */
export function otpHandOverMs(message: Message, now: Date): number | undefined {
  if (message.otp === undefined || message.leg !== undefined || modeOf(message.client_id) === 'test')
    return undefined;
  // The clock of the function that stored the message may be ahead, and CloudWatch computes no percentiles of negative
  // values.
  return Math.max(0, now.getTime() - Date.parse(message.created_at));
}

/**
 * Returns the text with the placeholders `{{code}}` and `{{ttl_minutes}}`. `{{minutes}}` stands for the unit; a request
 * cannot use it.
 */
export function otpTemplate({ template, brand = '' }: SendOtpRequest): string {
  const what = brand === '' ? 'verification code' : '{{brand}} verification code';
  const given = template ?? `{{code}} is your ${what}. It expires in {{ttl_minutes}} {{minutes}}.`;
  return filled(given, { ...kept, brand });
}

export function otpText(template: string, expiresAt: Date, now: Date): string {
  // The minutes are rounded down, so that the code does not expire earlier than the text says.
  const minutes = Math.max(1, Math.floor((expiresAt.getTime() - now.getTime()) / 60_000));
  return filled(template, {
    ...kept,
    ttl_minutes: String(minutes),
    minutes: minutes === 1 ? 'minute' : 'minutes',
  });
}

/** The hand-over fills in these placeholders. */
const kept = { code: '{{code}}', ttl_minutes: '{{ttl_minutes}}', minutes: '{{minutes}}' };

function filled(text: string, values: Readonly<Record<string, string>>): string {
  const rendered = render(text, values);
  return rendered.ok ? rendered.text : text;
}
