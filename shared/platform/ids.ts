/** An id is a prefix and a ULID (contract, first page). A derived id has the same form, but contains no time. */
import { createHash, randomUUID } from 'node:crypto';
import { encodeTime } from 'ulid';

export type IdPrefix = 'msg' | 'bat' | 'otp' | 'whd' | 'whe' | 'whr' | 'act';

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Encodes bytes in Crockford's base32, as one number with five bits in each character. */
export function base32(bytes: Buffer): string {
  let bits = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let i = 0; i < Math.ceil((bytes.length * 8) / 5); i += 1) {
    text = crockford.charAt(Number(bits & 31n)) + text;
    bits >>= 5n;
  }
  return text;
}

/** Returns a new id. Ids sort by their creation time in milliseconds. */
export function newId(prefix: IdPrefix, at: Date): string {
  // The first and last groups of a UUID contain 80 random bits. Node creates UUIDs in advance, so they are cheaper than
  // other random bytes.
  const [first = '', , , , last = ''] = randomUUID().split('-');
  return `${prefix}_${timeText(at)}${base32(Buffer.from(first + last, 'hex'))}`;
}

/** Returns an id that is a hash of the parts, so that a repeated write has the same id. */
export function derivedId(prefix: IdPrefix, ...parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return `${prefix}_${base32(digest.subarray(0, 16))}`;
}

/** Returns a derived id that sorts by time. */
export function derivedIdAt(prefix: IdPrefix, at: Date, ...parts: readonly string[]): string {
  return `${prefix}_${timeText(at)}${derivedId(prefix, ...parts).slice(-16)}`;
}

export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text.slice(prefix.length + 1));
}

/** Returns the first 10 characters of a ULID, which are the time in milliseconds. Times before 1970 are refused. */
function timeText(at: Date): string {
  return encodeTime(Math.max(0, at.getTime()), 10);
}

/** Returns the lowest and the highest id that `newId` or `derivedIdAt` can return between two times. */
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

/** Returns a number from 0 to `shards` − 1, a hash of the id (FNV-1a), to spread rows over partitions. */
export function shardOf(id: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  return hash % shards;
}
