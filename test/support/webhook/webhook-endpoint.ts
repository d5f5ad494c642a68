/** A webhook endpoint for tests that records each POST byte for byte. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../gateway/gateway.ts';

export interface ReceivedPost {
  readonly at: Date;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** The parts of a webhook's body that tests use. */
interface WebhookBody {
  readonly event: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly message_id: string };
}

export interface WebhookEndpoint {
  readonly url: string;
  readonly posts: readonly ReceivedPost[];
  /** The posts about a message, in the order of arrival. */
  postsOf(messageId: string): ReceivedPost[];
  /** The events of a message, including repetitions, sorted by name. */
  eventsOf(messageId: string): string[];
  /** Waits until a message has `count` events. */
  eventsOnce(messageId: string, count: number): Promise<string[]>;
  close(): Promise<void>;
}

/** @param statusFor - the status for the n-th post */
export async function startWebhookEndpoint(
  statusFor: (postNumber: number) => number = () => 200,
): Promise<WebhookEndpoint> {
  const posts: ReceivedPost[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      posts.push({ at: new Date(), headers: request.headers, bytes: Buffer.concat(chunks) });
      response.writeHead(statusFor(posts.length)).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const postsOf = (messageId: string): ReceivedPost[] =>
    posts.filter((post) => bodyOf(post).data.message_id === messageId);
  const eventsOf = (messageId: string): string[] =>
    postsOf(messageId)
      .map((post) => bodyOf(post).event)
      .toSorted();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    posts,
    postsOf,
    eventsOf,
    eventsOnce: (messageId, count) =>
      eventually(async () => {
        const events = eventsOf(messageId);
        return events.length >= count ? events : undefined;
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function bodyOf(post: ReceivedPost): WebhookBody {
  return JSON.parse(post.bytes.toString('utf8')) as WebhookBody;
}

/**
 * The body, once both signatures hold: the specification's over the raw bytes, and that of Standard Webhooks as an
 * independent library sees it.
 */
export function verifiedBody(post: ReceivedPost, webhookSecret: string): WebhookBody {
  const expected = createHmac('sha256', webhookSecret).update(post.bytes).digest('hex');
  if (post.headers['x-webhook-signature'] !== expected) throw new Error('X-Webhook-Signature does not hold');
  const headers = Object.fromEntries(
    Object.entries(post.headers).map(([name, value]) => [name, String(value)] as const),
  );
  return new Webhook(webhookSecret).verify(post.bytes.toString('utf8'), headers) as WebhookBody;
}
