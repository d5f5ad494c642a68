/**
 * The code of a one-time password, and its text. No table, log or queue has the code: it is derived each time it is needed. The
 * text says how long the password is still valid, so it is rendered late.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HandOverBody } from '../message/dispatch/carrier.ts';
import type { Message } from '../message/message.ts';
import { render } from '../message/message-text.ts';
import type { SendOtpRequest } from './otp-request.ts';
import type { OtpSecrets } from './otp-secret.secrets.ts';

/**
 * Derives the code from the id: decimal digits, leading zeros included. The id reveals nothing about the code if the
 * secret is unknown (HOTP of RFC 4226, with SHA-256 and a wider value).
 */
export function deriveCode(secret: string, otpId: string, length: number): string {
  const mac = createHmac('sha256', secret).update(otpId).digest();
  // 128 bits modulo at most 10^10: the bias is below one in 10^28.
  const value = BigInt(`0x${mac.subarray(0, 16).toString('hex')}`);
  return (value % 10n ** BigInt(length)).toString().padStart(length, '0');
}

/** True if `code` is right for any of the secrets. Compares with each of them, in constant time. */
export function isRightCode(
  secrets: readonly string[],
  otpId: string,
  length: number,
  code: string,
): boolean {
  const given = Buffer.from(code);
  let right = false;
  for (const secret of secrets) {
    const expected = Buffer.from(deriveCode(secret, otpId, length));
    if (given.length === expected.length && timingSafeEqual(given, expected)) right = true;
  }
  return right;
}

/**
 * Returns the template with `{{code}}` and `{{ttl_minutes}}`; `{{minutes}}` is the unit, and not a placeholder that a
 * request can have.
 */
export function otpTemplate({ template, brand = '' }: SendOtpRequest): string {
  const what = brand === '' ? 'verification code' : '{{brand}} verification code';
  const given = template ?? `{{code}} is your ${what}. It expires in {{ttl_minutes}} {{minutes}}.`;
  return filled(given, { ...kept, brand });
}

export function otpText(template: string, expiresAt: Date, now: Date): string {
  // Rounded down: the code must not expire earlier than the text says.
  const minutes = Math.max(1, Math.floor((expiresAt.getTime() - now.getTime()) / 60_000));
  return filled(template, {
    ...kept,
    ttl_minutes: String(minutes),
    minutes: minutes === 1 ? 'minute' : 'minutes',
  });
}

/** Filled in later. */
const kept = { code: '{{code}}', ttl_minutes: '{{ttl_minutes}}', minutes: '{{minutes}}' };

function filled(text: string, values: Readonly<Record<string, string>>): string {
  const rendered = render(text, values);
  return rendered.ok ? rendered.text : text;
}

/** Creates the text for the carrier. The text of a one-time password contains its code, and is never stored. */
export function handOverBodies(secrets: OtpSecrets) {
  return async (message: Message): Promise<HandOverBody> => {
    const text = message.text ?? '';
    if (message.otp === undefined) return { text };
    const code = deriveCode(await secrets.current(), message.otp.otp_id, message.otp.code_length);
    const rendered = render(text, { code });
    return { text: rendered.ok ? rendered.text : text, code };
  };
}
