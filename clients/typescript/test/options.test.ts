/** What a caller of the client in TypeScript can set and learn: limits, headers, hooks, pages, raw requests. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { ArgumentError } from '../src/errors.ts';
import { MessagingGateway } from '../src/gateway.ts';
import type {
  GatewayOptions,
  RequestReport,
  ResponseReport,
  SendOptions,
  TokenStore,
} from '../src/options.ts';
import { responseOf } from '../src/response.ts';
import { acceptedSms, type Reply, refusal } from './support/fault-server.ts';
import { type StartedClient, startClient } from './support/start-client.ts';

const sms = { to: '+447700900123', message: 'Hello' };

let started: StartedClient | undefined;
afterEach(() => started?.server.close());

async function start(...how: Parameters<typeof startClient>): Promise<StartedClient> {
  started = await startClient(...how);
  return started;
}

describe('what cannot be sent is an ArgumentError before anything is sent', () => {
  it.each<[string, SendOptions]>([
    ['an empty idempotency key', { idempotencyKey: '' }],
    ['an idempotency key of other characters', { idempotencyKey: '€' }],
    ['an idempotency key with a line break', { idempotencyKey: 'a\nb' }],
    ['an endless time limit', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['no time limit', { timeoutMs: Number.NaN }],
    ['a time limit that timers do not take', { timeoutMs: 2 ** 31 }],
    ['a deadline of nothing', { deadlineMs: 0 }],
    ['a negative number of retries', { maxRetries: -1 }],
    ['half a retry', { maxRetries: 1.5 }],
    ['no options', null as unknown as SendOptions],
    ['a header that no request can have', { headers: { 'X-Tenant': '€' } }],
    ['a name of a header that none can have', { headers: { 'X Tenant': 'a' } }],
  ])('%s', async (_what, options) => {
    const { gateway, server } = await start();
    await expect(gateway.sms.send(sms, options)).rejects.toMatchObject({ name: 'ArgumentError' });
    expect([server.requests.length, server.tokenRequests.length]).toEqual([0, 0]);
  });

  it.each<[string, Partial<GatewayOptions>]>([
    ['an endless time limit', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['an API key with a line break', { apiKey: 'sk\n1', clientId: undefined, clientSecret: undefined }],
    ['an API key beyond ASCII', { apiKey: 'sk-é', clientId: undefined, clientSecret: undefined }],
    [
      'an API key that ends with a line break',
      { apiKey: 'sk-1\n', clientId: undefined, clientSecret: undefined },
    ],
    ['a URL of another kind', { baseUrl: 'file:///etc/hosts' }],
    ['a URL with credentials', { baseUrl: 'https://user:password@gateway.test' }],
    ['a URL with a query', { baseUrl: 'https://gateway.test/?a=1' }],
    ['a URL that is no text', { baseUrl: new URL('https://gateway.test') as unknown as string }],
    ['half a retry', { maxRetries: 1.5 }],
    ['a fetch that is none', { fetch: 5 as unknown as typeof fetch }],
    ['a hook that is none', { onRequest: 5 as unknown as () => void }],
    ['a token store that is none', { tokenStore: {} as unknown as TokenStore }],
  ])('of all calls: %s', async (_what, options) => {
    await expect(startClient([], options).then(({ gateway }) => gateway)).rejects.toMatchObject({
      name: 'ArgumentError',
    });
  });

  it('of all calls: nothing at all', () => {
    for (const options of [undefined, null, 5])
      expect(() => new MessagingGateway(options as unknown as GatewayOptions)).toThrow(ArgumentError);
  });

  it('credentials in a URL are not shown', async () => {
    const baseUrl = 'https://user:password@gateway.test';
    await expect(startClient([], { baseUrl })).rejects.not.toThrow('password');
  });

  it.each([Number.NaN, -1, 1.5, 'x'])('a list of %s items', async (maxItems) => {
    const { gateway, server } = await start();
    const options = { maxItems: maxItems as number };
    expect(() => gateway.messages.list({}, options)).toThrow(ArgumentError);
    expect(server.requests).toHaveLength(0);
  });

  it('a body that is no JSON', async () => {
    const { gateway } = await start();
    const endless: { self?: object } = {};
    endless.self = endless;
    await expect(gateway.request('POST', '/api/v1/new', { body: endless })).rejects.toMatchObject({
      name: 'ArgumentError',
    });
  });
});

describe('every error is one of the client', () => {
  it('an aborted call: AbortError with the reason of the caller', async () => {
    const controller = new AbortController();
    const reason = new Error('shut down');
    const { gateway } = await start(['hang'], { onHang: () => controller.abort(reason) });
    const error = await gateway.sms
      .send(sms, { signal: controller.signal })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'AbortError', cause: reason });
  });

  it('a signal that was aborted before: nothing is sent', async () => {
    const { gateway, server } = await start();
    const signal = AbortSignal.abort();
    await expect(gateway.sms.send(sms, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.tokenRequests).toHaveLength(0);
  });

  it.each<[string, Reply]>([
    ['an empty success', { status: 200, text: '' }],
    ['a success that is no object', { status: 200, text: 'null' }],
    ['a success that is a list', { status: 200, text: '[]' }],
  ])('%s', async (_what, reply) => {
    const { gateway } = await start([reply]);
    await expect(gateway.account.get()).rejects.toMatchObject({
      name: 'ApiError',
      error: 'unexpected_response',
    });
  });
});

it('a page without a list of items is a typed error', async () => {
  const { gateway } = await start([{ status: 200, body: { foo: 1 } }]);
  await expect(gateway.messages.list().toArray()).rejects.toMatchObject({ error: 'unexpected_response' });
});

describe('an answer', () => {
  it('has the status, the headers, the request id and the replay flag of its response', async () => {
    const headers = { 'X-Request-Id': 'req_7', 'Idempotent-Replayed': 'true', 'X-RateLimit-Remaining': '9' };
    const { gateway } = await start([{ status: 202, body: acceptedSms, headers }]);
    const [replayed, fresh] = [await gateway.sms.send(sms), await gateway.sms.send(sms)];
    const info = responseOf(replayed);
    expect([info.status, info.requestId, info.isReplay]).toEqual([202, 'req_7', true]);
    expect(info.headers.get('x-ratelimit-remaining')).toBe('9');
    expect(responseOf(fresh).isReplay).toBe(false);
    expect(Object.keys(replayed)).toEqual(Object.keys(acceptedSms));
    expect(() => responseOf({ ...replayed })).toThrow('responseOf');
  });
});

describe('the hooks', () => {
  it('see each attempt and its outcome, tokens included, without secrets or phone numbers', async () => {
    const requests: RequestReport[] = [];
    const responses: ResponseReport[] = [];
    const { gateway } = await start([refusal(503, 'service_unavailable'), 'drop'], {
      onRequest: (report) => requests.push(report),
      onResponse: (report) => responses.push(report),
    });
    await gateway.sms.send(sms);
    expect(requests.map(({ path, attempt }) => [path, attempt])).toEqual([
      ['/api/v1/auth/token', 1],
      ['/api/v1/sms/send', 1],
      ['/api/v1/sms/send', 2],
      ['/api/v1/sms/send', 3],
    ]);
    expect(responses.map(({ status, error }) => [status, error?.name])).toEqual([
      [200, undefined],
      [503, undefined],
      [undefined, 'ConnectionError'],
      [202, undefined],
    ]);
    expect(JSON.stringify([requests, responses])).not.toMatch(/hidden-secret|token-1|447700900123/);
  });

  it.each<[string, () => unknown]>([
    [
      'at once',
      () => {
        throw new Error('the log is full');
      },
    ],
    [
      'later',
      async () => {
        throw new Error('the log is full');
      },
    ],
  ])(
    'cannot make a sent message look as if it was not, nor end the process: a failure %s',
    async (_when, hook) => {
      const { gateway, server } = await start([], { onRequest: hook, onResponse: hook });
      await expect(gateway.sms.send(sms)).resolves.toMatchObject({ status: 'queued' });
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe('further headers', () => {
  it('are sent, of the client and of the call, and replace none of its own', async () => {
    const { gateway, server } = await start([], { headers: { 'X-Tenant': 'a', 'X-Trace': '1' } });
    await gateway.sms.send(sms, {
      headers: { 'X-Trace': '2', authorization: 'mine', 'idempotency-key': 'mine' },
    });
    const { headers } = server.requests[0] ?? {};
    expect([headers?.['x-tenant'], headers?.['x-trace']]).toEqual(['a', '2']);
    expect(headers?.authorization).toBe('Bearer token-1');
    expect(headers?.['idempotency-key']).not.toBe('mine');
  });
});

describe('a raw request', () => {
  it('goes the way of every other, and is repeated only where that is safe', async () => {
    const { gateway, server } = await start([
      refusal(503, 'service_unavailable'),
      { status: 200, body: { new: true } },
      refusal(503, 'service_unavailable'),
    ]);
    const answer = await gateway.request<{ new: boolean }>('GET', '/api/v1/new', { query: { limit: 2 } });
    expect([answer.new, server.requests[1]?.path]).toEqual([true, '/api/v1/new?limit=2']);
    await expect(gateway.request('POST', '/api/v1/new', { body: { a: 1 } })).rejects.toThrow();
    expect(server.requests).toHaveLength(3);
    await gateway.request('POST', '/api/v1/new', { body: { a: 1 }, idempotencyKey: 'order-42' });
    expect(server.requests[3]?.headers['idempotency-key']).toBe('order-42');
    expect(() => gateway.request('GET', 'api/v1/new')).toThrow('slash');
  });
});

describe('a list', () => {
  const page = (cursor: string | undefined, ...ids: string[]): Reply => ({
    status: 200,
    body: {
      messages: ids.map((message_id) => ({ message_id })),
      ...(cursor === undefined ? {} : { next_cursor: cursor }),
    },
  });

  it.each([
    [0, [], 0],
    [2, ['a', 'b'], 1],
    [3, ['a', 'b', 'c'], 2],
    [undefined, ['a', 'b', 'c', 'd'], 2],
  ])('ends after at most %s items, and fetches no page in vain', async (maxItems, expected, requests) => {
    const { gateway, server } = await start([page('c1', 'a', 'b'), page(undefined, 'c', 'd')]);
    const found = await gateway.messages.list({}, { maxItems }).toArray();
    expect(found.map(({ message_id }) => message_id)).toEqual(expected);
    expect(server.requests).toHaveLength(requests);
  });

  it('has pages that fetch the next one, until there is none', async () => {
    const { gateway, server } = await start([page('c1', 'a'), page(undefined, 'b')]);
    const first = await gateway.messages.list({ status: 'failed' });
    const second = await first.nextPage();
    expect(second?.messages.map(({ message_id }) => message_id)).toEqual(['b']);
    expect(await second?.nextPage()).toBeUndefined();
    expect(server.requests[1]?.path).toBe('/api/v1/messages?status=failed&cursor=c1');
    expect(JSON.parse(JSON.stringify(first))).toEqual({ messages: [{ message_id: 'a' }], next_cursor: 'c1' });
  });
});
