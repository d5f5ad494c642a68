/**
 * The code of a one-time password: derived from its id under a secret whenever it is needed, so it stands in no
 * table, log or queue. Whoever lacks the secret learns nothing of it from the id (RFC 4226's construction with
 * SHA-256 and a wider value).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Decimal digits, leading zeros included. */
export function deriveCode(secret: string, otpId: string, length: number): string {
  const mac = createHmac('sha256', secret).update(otpId).digest();
  // 128 bits modulo 10^10 at most: no digit is likelier than another by more than one in 10^28.
  const value = BigInt(`0x${mac.subarray(0, 16).toString('hex')}`);
  return (value % 10n ** BigInt(length)).toString().padStart(length, '0');
}

/** Whether `code` is right under any of the secrets; compares in constant time, with each of them. */
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
