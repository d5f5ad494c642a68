/**
 * The code of a one-time password: derived from its id and a secret each time it is needed, so that no table, log or
 * queue has it. Without the secret, the id reveals nothing about the code (HOTP of RFC 4226, with SHA-256 and a wider
 * value).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Decimal digits, leading zeros included. */
export function deriveCode(secret: string, otpId: string, length: number): string {
  const mac = createHmac('sha256', secret).update(otpId).digest();
  // 128 bits modulo at most 10^10: the bias is below one in 10^28.
  const value = BigInt(`0x${mac.subarray(0, 16).toString('hex')}`);
  return (value % 10n ** BigInt(length)).toString().padStart(length, '0');
}

/** Whether `code` is right for any of the secrets; compares with each of them, in constant time. */
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
