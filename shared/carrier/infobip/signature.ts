/**
 * Verifies that a callback comes from Infobip: its subscription signs the raw body with HMAC-SHA256 and a secret key of
 * ours (`HMAC_SHA_256` of the security settings, https://www.infobip.com/docs/api/platform/subscriptions-api). Which header
 * has the signature is not documented, so each may: only who knows the key can have made a value that fits.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export function isSignedByInfobip(
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  secret: string,
): boolean {
  const expected = createHmac('sha256', secret).update(body).digest();
  return Object.values(headers).some((value) => {
    const given = signatureIn(value);
    return given !== undefined && timingSafeEqual(given, expected);
  });
}

/** The 32 bytes in hexadecimal or base64, with or without `sha256=`; undefined where the text is neither. */
function signatureIn(value: string): Buffer | undefined {
  const text = value.replace(/^sha256=/i, '');
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[A-Za-z0-9+/]{43}=$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
