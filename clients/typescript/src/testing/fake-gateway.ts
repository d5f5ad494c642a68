/** A gateway in memory, for unit tests of an application: nothing is sent, and no server is needed. */
import { ArgumentError } from '../errors.ts';
import { MessagingGateway } from '../gateway.ts';
import type { GatewayOptions } from '../options.ts';
import { systemRuntime } from '../runtime.ts';
import { FakeApi, type FakeRequest, type SentMessage } from './fake-api.ts';
import type { FakeReply } from './fake-reply.ts';
import { eventOf, type ReportedStatus, withStatus } from './fake-states.ts';
import { type SignedWebhook, signedWebhook } from './signed-webhook.ts';

export interface FakeGateway {
  /** Give it to the application in place of its own. Unless `maxRetries` is given, it repeats nothing. */
  readonly gateway: MessagingGateway;
  /** What the application sent, in its order: also one-time passwords and the messages of bulks. */
  readonly sent: readonly SentMessage[];
  /** All requests but those for tokens. */
  readonly requests: readonly FakeRequest[];
  /** With which the webhooks of `setStatus` are signed. */
  readonly webhookSecret: string;
  /** The next request gets this reply, and has no other effect. Several calls: the next requests, in their order. */
  replyOnce(reply: FakeReply): void;
  /**
   * Changes a message as the carrier would, and returns the webhook that tells of it.
   *
   * @throws ArgumentError for a state that the message cannot enter: none goes back, and an SMS is never `read`
   */
  setStatus(messageId: string, status: ReportedStatus, errorCode?: string): SignedWebhook;
  /** The code of a one-time password. */
  codeOf(otpId: string): string;
}

const webhookSecret = 'whsec_ZmFrZS13ZWJob29rLXNlY3JldC1vZi0zMi1ieXRlcyE=';

export function fakeGateway(options: Partial<GatewayOptions> = {}): FakeGateway {
  const api = new FakeApi();
  const requests: FakeRequest[] = [];
  const replies: FakeReply[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname, searchParams } = new URL(String(input));
    const request: FakeRequest = {
      method: init?.method ?? 'GET',
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: new Headers(init?.headers),
      body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
    };
    const isToken = pathname === '/api/v1/auth/token';
    if (!isToken) requests.push(request);
    const { status, body, headers } = (isToken ? undefined : replies.shift()) ?? api.answer(request);
    return new Response(JSON.stringify(body), {
      status,
      headers: {
        'Content-Type': 'application/json',
        'X-Request-Id': `req_fake_${requests.length}`,
        ...headers,
      },
    });
  };
  const found = <Value>(value: Value | undefined, id: string): Value => {
    if (value === undefined) throw new ArgumentError(`The fake gateway has no ${id}.`);
    return value;
  };
  return {
    gateway: new MessagingGateway(
      {
        baseUrl: 'https://fake-gateway.invalid',
        clientId: 'client_fake',
        clientSecret: 'fake',
        maxRetries: 0,
        ...options,
        fetch,
      },
      { ...systemRuntime, wait: async () => undefined },
    ),
    sent: api.sent,
    requests,
    webhookSecret,
    replyOnce: (reply) => {
      replies.push(reply);
    },
    setStatus: (messageId, status, errorCode) => {
      const changed = withStatus(found(api.messages.get(messageId), messageId), status, errorCode);
      api.messages.set(messageId, changed);
      return signedWebhook(eventOf(changed), webhookSecret);
    },
    codeOf: (otpId) => found(api.passwords.codeOf(otpId), otpId),
  };
}
