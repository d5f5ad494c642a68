/** Converts an ECDSA signature from DER, as KMS returns it, to the r‖s form of a JWT (RFC 7518, section 3.4). */

const coordinateBytes = 32;
const derSequence = 0x30;
const derInteger = 0x02;

/** @throws Error if the bytes are not a P-256 signature in DER. */
export function concatenatedSignature(der: Uint8Array): Buffer {
  if (der[0] !== derSequence || der[1] !== der.length - 2) throw malformed();
  const r = readInteger(der, 2);
  const s = readInteger(der, r.end);
  if (s.end !== der.length) throw malformed();
  return Buffer.concat([r.value, s.value]);
}

/** A P-256 signature is at most 72 bytes long, so every length is one byte. */
function readInteger(der: Uint8Array, start: number): { value: Buffer; end: number } {
  const length = der[start + 1];
  if (der[start] !== derInteger || length === undefined || length === 0) throw malformed();
  const end = start + 2 + length;
  if (end > der.length) throw malformed();
  // DER omits leading zeros, except for one before a set high bit.
  const digits = Buffer.from(der.subarray(start + 2, end));
  const significant = digits[0] === 0 ? digits.subarray(1) : digits;
  if (significant.length > coordinateBytes) throw malformed();
  return { value: Buffer.concat([Buffer.alloc(coordinateBytes - significant.length), significant]), end };
}

function malformed(): Error {
  return new Error('the signature is not an ECDSA P-256 signature in DER');
}
