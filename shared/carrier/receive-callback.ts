/**
 * Receives the callback of a carrier: verifies its raw bytes, stores it in the receipts queue, then responds. A callback
 * that cannot be verified changes nothing and counts against the caller's IP address. Verified callbacks are not counted.
 *
 *   verified ─ crash → the carrier has no response, and calls again
 *   stored in the queue ─ crash → the same; a repeated report changes nothing
 *
 * `readReport` reads the messages of that queue: callbacks, and notifications of the topic. Long callbacks are compressed,
 * because SQS limits the size of a message.
 */

import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { errorTexts, GatewayError } from '../contract/errors.ts';
import type { Identity } from '../http/authenticate.ts';
import type { IncomingRequest } from '../http/read-request.ts';
import { orUnavailable } from '../http/response.ts';
import type { Operation } from '../operation/operation.ts';
import { sendMessages } from '../platform/aws/queues.sqs.ts';
import type { Context } from '../platform/context.ts';
import { awsDescriptor } from './aws/aws-descriptor.ts';
import type { CallbackRequest, CarrierReports } from './carrier-module.ts';
import {
  type CarrierNotification,
  jsonOf,
  type Reported,
  read,
  UnreadableNotification,
} from './carrier-notification.ts';
import { type CredentialsOf, NoCredentials } from './carrier-secrets.secrets.ts';
import { simulatorDescriptor } from './simulator/simulator-descriptor.ts';

/** Meta sends up to 1,000 updates in one callback of up to 3 MB. */
export const callbackBytesMax = 3 * 1024 * 1024;

const storedCallback = z.object({
  carrier: z.string(),
  path: z.string(),
  query: z.record(z.string(), z.string()),
  /** The text, or its compressed bytes in base64. */
  body: z.string(),
  encoding: z.optional(z.literal('gzip')),
  received_at: z.iso.datetime(),
});

export type StoredCallback = z.output<typeof storedCallback>;

/** The parts of a request that identify its caller. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const path = /^\/carriers\/([a-z]+)\/(.+)$/;

export function callbackOperations(
  ctx: Context<'TOKEN_ISSUER' | 'RECEIPTS_QUEUE_URL'>,
  carriers: readonly CarrierReports[],
  credentialsOf: CredentialsOf,
) {
  /** Returns the carrier, and the response to a challenge; undefined if the call is not proven to come from a carrier. */
  async function verified(call: Call): Promise<{ carrier: string; challenge?: string } | undefined> {
    const [, name, rest = ''] = path.exec(call.path) ?? [];
    const found = carriers.find(({ descriptor }) => descriptor.name === name);
    if (found?.callbacks === undefined || name === undefined) return undefined;
    const { callbacks } = found;
    const request = requestOf(call, rest, ctx.env.TOKEN_ISSUER);
    const credentials = await credentialsOf(name, callbacks.credentials).catch((error) => {
      ctx.warn('the callback of a carrier cannot be verified', error);
      if (error instanceof NoCredentials) return undefined;
      // The secret cannot be read. A carrier repeats a callback after 503, but not after 403.
      throw error;
    });
    if (credentials === undefined) return undefined;
    try {
      if (call.method === 'POST')
        return callbacks.verify(request, credentials) ? { carrier: name } : undefined;
      const challenge = call.method === 'GET' ? callbacks.answerChallenge?.(request, credentials) : undefined;
      return challenge === undefined ? undefined : { carrier: name, challenge };
    } catch (error) {
      ctx.warn('the callback of a carrier cannot be verified', error);
      return undefined;
    }
  }

  const authenticate: (request: IncomingRequest) => Promise<Identity> = async (incoming) => {
    const subject = { kind: 'address', address: incoming.sourceIp } as const;
    if (incoming.rawBody.length > callbackBytesMax) {
      const message = errorTexts.payload_too_large(callbackBytesMax);
      return { subject, refusal: new GatewayError('payload_too_large', message) };
    }
    const call = await verified({ ...incoming, body: incoming.rawBody });
    return call === undefined ? { subject, refusal: notProven() } : { subject: undefined };
  };

  const receive: Operation = async (request) => {
    const call = await orUnavailable(verified({ ...request, body: request.rawBody }));
    if (call === undefined) throw notProven();
    const { carrier, challenge } = call;
    if (challenge === undefined) {
      const [, , rest = ''] = path.exec(request.path) ?? [];
      const { query, rawBody, now } = request;
      const callback = toStore({ carrier, path: rest, query, received_at: now.toISOString() }, rawBody);
      if (callback === undefined)
        throw new GatewayError(
          'payload_too_large',
          'The body is too large for the queue, even when compressed.',
        );
      // The carrier is the message group of the fair queue.
      const message = { json: JSON.stringify(callback), clientId: carrier };
      await sendMessages(ctx.sqs(), ctx.env.RECEIPTS_QUEUE_URL, [message]);
    }
    const headers = { 'Content-Type': 'text/plain' };
    // If there is no challenge, the body is empty, because Twilio would send a text in it to the recipient.
    return { status: 200, headers, body: challenge ?? '', log: { carrier } };
  };

  return { authenticate, receive };
}

function notProven(): GatewayError {
  return new GatewayError('forbidden', 'The call is not proven to come from a carrier.');
}

function requestOf(
  { method, path: whole, query, headers, body }: Call,
  rest: string,
  baseUrl: string,
): CallbackRequest {
  const search = new URLSearchParams(query).toString();
  return {
    method: method === 'GET' ? 'GET' : 'POST',
    url: `${baseUrl}${whole}${search === '' ? '' : `?${search}`}`,
    path: rest,
    query,
    headers,
    body,
  };
}

/** Longer callbacks are compressed. Shorter ones fit a queue message even if all their characters are escaped. */
const plainBytesMax = 64 * 1024;

/** SQS accepts this size in every region. */
const queueMessageBytesMax = 256 * 1024;

/** Returns undefined if the callback does not fit a queue message even when compressed. */
function toStore(
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
 * Reads a queue message. Callbacks contain the name of their carrier. Other reports come from the topic. Each receipt gets
 * the names of the carriers that report in the same way.
 *
 * @throws UnreadableNotification if no part of the report can be read.
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
  if (reports === undefined)
    throw new UnreadableNotification('the gateway does not know the carrier of the callback');
  const notification = reports.parse(reported);
  // Also names carriers that the stage no longer uses, because their receipts may still arrive.
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
