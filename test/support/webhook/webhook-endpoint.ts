/**
 * A webhook endpoint for tests that records each POST byte for byte: those to its own path alone, because its port may
 * have been that of another endpoint, whose webhooks still come.
 */
import { createHmac, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { acknowledgeWithinSeconds } from '../../../shared/contract/webhook-worker-times.ts';
import { eventually } from '../gateway/gateway.ts';
import { startServer } from '../http/local-server.ts';

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
  /** Excludes posts that were answered too late, which the gateway then repeats. */
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
  headers: Readonly<Record<string, string>> = {},
): Promise<WebhookEndpoint> {
  const all: ReceivedPost[] = [];
  /** On a busy machine this process may have no time to answer while the gateway waits. */
  const late = new Set<ReceivedPost>();
  const path = `/hook/${randomUUID()}`;
  const server = await startServer(async (request, response) => {
    if (request.url?.startsWith(path) !== true) {
      response.writeHead(404).end();
      return;
    }
    const bytes = await buffer(request);
    const post = { at: new Date(), headers: request.headers, bytes };
    const status = statusFor(all.push(post));
    if (status === 200 && isLate(post)) late.add(post);
    response.writeHead(status, headers).end();
  });
  const isRepeated = (post: ReceivedPost): boolean =>
    all.findLast(({ headers }) => headers['webhook-id'] === post.headers['webhook-id']) !== post;
  const posts = (): ReceivedPost[] => all.filter((post) => !(late.has(post) && isRepeated(post)));
  const postsOf = (messageId: string): ReceivedPost[] =>
    posts().filter((post) => bodyOf(post).data.message_id === messageId);
  const eventsOf = (messageId: string): string[] =>
    postsOf(messageId)
      .map((post) => bodyOf(post).event)
      .toSorted();
  return {
    url: `${server.url}${path}`,
    get posts() {
      return posts();
    },
    postsOf,
    eventsOf,
    eventsOnce: (messageId, count) =>
      eventually(async () => {
        const events = eventsOf(messageId);
        return events.length >= count ? events : undefined;
      }),
    close: server.close,
  };
}

export function bodyOf(post: ReceivedPost): WebhookBody {
  return JSON.parse(post.bytes.toString('utf8')) as WebhookBody;
}

/** Returns true if the gateway may have stopped waiting for the response to the post. */
function isLate({ at, headers }: ReceivedPost): boolean {
  return at.getTime() - Number(headers['webhook-timestamp']) * 1000 >= acknowledgeWithinSeconds * 1000;
}

/** The verifier of a library for Standard Webhooks, which refuses by an error. */
interface Verifier {
  verify(body: string, headers: Record<string, string>): unknown;
}

/**
 * Verifies the post with the library, at the time of its arrival. A signature holds for five minutes, and a test may look at it
 * later;
 * the libraries know no other clock than the system's.
 *
 * @throws whatever the library throws
 */
export function verifiedBy(library: Verifier, { at, headers, bytes }: ReceivedPost): unknown {
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const { now } = Date;
  Date.now = () => at.getTime();
  try {
    return library.verify(bytes.toString('utf8'), texts);
  } finally {
    Date.now = now;
  }
}

/**
 * The body, once both signatures hold: the specification's over the raw bytes, and that of Standard Webhooks as an
 * independent library sees it.
 */
export function verifiedBody(post: ReceivedPost, webhookSecret: string): WebhookBody {
  const expected = createHmac('sha256', webhookSecret).update(post.bytes).digest('hex');
  if (post.headers['x-webhook-signature'] !== expected) throw new Error('X-Webhook-Signature does not hold');
  return verifiedBy(new Webhook(webhookSecret), post) as WebhookBody;
}
