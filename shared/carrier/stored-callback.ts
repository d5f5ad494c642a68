/** A verified callback, as it is stored in the receipts queue: a long one is compressed, because SQS bounds a message. */
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { UnreadableNotification } from './carrier-notification.ts';

/** Meta sends up to 1,000 updates together, in up to 3 MB. */
export const callbackBytesMax = 3 * 1024 * 1024;

export const storedCallback = z.object({
  carrier: z.string(),
  path: z.string(),
  query: z.record(z.string(), z.string()),
  /** A text, or the base64 of its bytes compressed. */
  body: z.string(),
  encoding: z.optional(z.literal('gzip')),
  received_at: z.iso.datetime(),
});

export type StoredCallback = z.output<typeof storedCallback>;

/** Above it a callback is compressed. Below it, the queue message has room for what the queue needs written as escapes. */
const plainBytesMax = 64 * 1024;
/** Accepted by SQS in every region. */
const queueMessageBytesMax = 256 * 1024;

/** Returns undefined where the callback does not fit a queue message, even compressed. */
export function toStore(callback: Omit<StoredCallback, 'body'>, body: Buffer): StoredCallback | undefined {
  const plain = { ...callback, body: body.toString('utf8') };
  if (bytesOf(plain) <= plainBytesMax) return plain;
  const packed = { ...callback, encoding: 'gzip' as const, body: gzipSync(body).toString('base64') };
  return bytesOf(packed) <= queueMessageBytesMax ? packed : undefined;
}

function bytesOf(callback: StoredCallback): number {
  return Buffer.byteLength(JSON.stringify(callback));
}

/** @throws UnreadableNotification */
export function bodyIn({ encoding, body }: StoredCallback): string {
  if (encoding === undefined) return body;
  try {
    const bytes = gunzipSync(Buffer.from(body, 'base64'), { maxOutputLength: callbackBytesMax });
    return bytes.toString('utf8');
  } catch (cause) {
    throw new UnreadableNotification('the compressed body cannot be read', { cause });
  }
}
