/** Ids are a prefix and a ULID (contract, first page); a derived id has the same form and no time in it. */
import { createHash, randomBytes } from 'node:crypto';
import { encodeTime } from 'ulid';

export type IdPrefix = 'msg' | 'bat' | 'otp' | 'whd' | 'act';

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A fresh id; ids made later sort after, to the millisecond. */
export function newId(prefix: IdPrefix, at: Date): string {
  return `${prefix}_${timeText(at)}${randomText()}`;
}

/** The same id for the same parts, everywhere and always: what makes a repeated write the same write. */
export function derivedId(prefix: IdPrefix, ...parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  let bits = BigInt(`0x${digest.subarray(0, 16).toString('hex')}`);
  let text = '';
  for (let i = 0; i < 26; i += 1) {
    text = crockford.charAt(Number(bits & 31n)) + text;
    bits >>= 5n;
  }
  return `${prefix}_${text}`;
}

/** An id that sorts by its time like a fresh one, and is the same for the same parts. */
export function derivedIdAt(prefix: IdPrefix, at: Date, ...parts: readonly string[]): string {
  return `${prefix}_${timeText(at)}${derivedId(prefix, ...parts).slice(-16)}`;
}

/** Whether `text` has the form of an id with this prefix. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text.slice(prefix.length + 1));
}

/** The first 10 characters of a ULID: milliseconds. */
function timeText(at: Date): string {
  return encodeTime(at.getTime(), 10);
}

/** The last 16: five bits of a byte each, all bytes drawn at once, because each draw costs as much as a whole id. */
function randomText(): string {
  return Array.from(randomBytes(16), (byte) => crockford.charAt(byte & 31)).join('');
}

/** The bounds between which every id of that time lies that `newId` or `derivedIdAt` made. */
export function idRange(
  prefix: IdPrefix,
  since: Date,
  until: Date,
): { readonly low: string; readonly high: string } {
  return {
    low: `${prefix}_${timeText(since)}${'0'.repeat(16)}`,
    high: `${prefix}_${timeText(until)}${'Z'.repeat(16)}`,
  };
}
