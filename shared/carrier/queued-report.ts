/**
 * Reads and writes the reports in the receipts queue: verified callbacks, compressed if they are long because SQS limits a
 * message, and notifications of the topic.
 */

import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { awsDescriptor } from './aws/aws-descriptor.ts';
import type { CarrierReports } from './carrier-module.ts';
import {
  type CarrierNotification,
  jsonOf,
  type Reported,
  read,
  UnreadableNotification,
} from './carrier-notification.ts';
import { simulatorDescriptor } from './simulator/simulator-descriptor.ts';

/** Meta sends up to 1,000 updates together, in up to 3 MB. */
export const callbackBytesMax = 3 * 1024 * 1024;

const storedCallback = z.object({
  carrier: z.string(),
  path: z.string(),
  query: z.record(z.string(), z.string()),
  /** A text, or the base64 of its bytes compressed. */
  body: z.string(),
  encoding: z.optional(z.literal('gzip')),
  received_at: z.iso.datetime(),
});

export type StoredCallback = z.output<typeof storedCallback>;

/** A longer callback is compressed. A shorter one fits the queue message even if its characters are escaped. */
const plainBytesMax = 64 * 1024;
/** SQS accepts this size in every region. */
const queueMessageBytesMax = 256 * 1024;

/** Returns undefined if the callback does not fit a queue message, even when compressed. */
export function toStore(
  callback: {
    readonly carrier: string;
    readonly path: string;
    readonly query: Record<string, string>;
    readonly received_at: string;
  },
  body: Buffer,
): StoredCallback | undefined {
  const plain = { ...callback, body: body.toString('utf8') };
  if (bytesOf(plain) <= plainBytesMax) return plain;
  const packed = { ...callback, encoding: 'gzip' as const, body: gzipSync(body).toString('base64') };
  return bytesOf(packed) <= queueMessageBytesMax ? packed : undefined;
}

function bytesOf(callback: StoredCallback): number {
  return Buffer.byteLength(JSON.stringify(callback));
}

/** @throws UnreadableNotification */
function bodyIn({ encoding, body }: StoredCallback): string {
  if (encoding === undefined) return body;
  try {
    const bytes = gunzipSync(Buffer.from(body, 'base64'), { maxOutputLength: callbackBytesMax });
    return bytes.toString('utf8');
  } catch (cause) {
    throw new UnreadableNotification('the compressed body cannot be read', { cause });
  }
}

/**
 * Reads a queue message. A callback names its carrier; everything else comes from the topic. Each receipt gets the names of the
 * carriers that report this way.
 *
 * @throws UnreadableNotification if nothing in it can be read.
 */
export function readReport(carriers: readonly CarrierReports[], queueBody: string): CarrierNotification {
  const given = jsonOf(queueBody, 'the body');
  const isCallback = typeof given === 'object' && given !== null && 'carrier' in given;
  const { carrier, reported } = isCallback
    ? ofCallback(read(storedCallback, given, 'the callback'))
    : { carrier: undefined, reported: { body: queueBody, path: '', query: {}, receivedAt: new Date() } };
  const reports = carriers.find(({ descriptor }) =>
    carrier === undefined ? descriptor.reportsBy === 'topic' : descriptor.name === carrier,
  );
  if (reports === undefined) throw new UnreadableNotification('the gateway does not have the carrier of it');
  const notification = reports.parse(reported);
  // Includes carriers that the stage no longer uses, because their receipts may still come.
  const reportedBy = carrier === undefined ? [awsDescriptor.name, simulatorDescriptor.name] : [carrier];
  return {
    ...notification,
    receipts: notification.receipts.map((receipt) => ({ ...receipt, reportedBy })),
  };
}

function ofCallback(callback: StoredCallback): { carrier: string; reported: Reported } {
  const { carrier, path, query, received_at } = callback;
  return { carrier, reported: { path, query, body: bodyIn(callback), receivedAt: new Date(received_at) } };
}
