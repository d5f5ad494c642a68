import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ApiError, ArgumentError, ConnectionError, RateLimitError, TimeoutError } from '../src/errors.ts';
import { MessagingGateway } from '../src/gateway.ts';
import type { GatewayOptions } from '../src/options.ts';
import { type Reply, refusal, type SeenRequest } from './support/fault-server.ts';
import { type StartedClient, startClient } from './support/start-client.ts';

const sms = { to: '+447700900123', message: 'Hello' };
const verification = { otp_id: 'otp_1', code: '1234' };

let started: StartedClient | undefined;
afterEach(() => started?.server.close());

async function start(...how: Parameters<typeof startClient>): Promise<StartedClient> {
  started = await startClient(...how);
  return started;
}

const keysOf = (requests: readonly SeenRequest[]) =>
  requests.map(({ headers }) => headers['idempotency-key']);

describe('a failed send', () => {
  it.each<[string, Reply, number]>([
    ['429', refusal(429, 'rate_limit_exceeded', { retry_after: 7 }), 7250],
    [
      '429 of a proxy with a header',
      { status: 429, text: 'slow down', headers: { 'Retry-After': '3' } },
      3250,
    ],
    ['500', refusal(500, 'internal_error'), 500],
    ['502 of a proxy', { status: 502, text: '<html>Bad gateway</html>' }, 500],
    ['503', refusal(503, 'service_unavailable'), 500],
    ['a dropped connection', 'drop', 500],
    ['half a response', 'half', 500],
    ['no response in time', 'hang', 500],
    ['409 of requests at the same moment', refusal(409, 'concurrent_change'), 500],
    ['409 while the first attempt is still at work', refusal(409, 'idempotency_in_progress'), 500],
  ])('is repeated after %s with the same key, after a wait', async (_what, reply, waitMs) => {
    const { gateway, server, waits } = await start([reply]);
    await expect(gateway.sms.send(sms)).resolves.toMatchObject({ status: 'queued' });
    expect(waits[0]).toBe(waitMs);
    const [first, ...repeats] = server.requests;
    expect(first?.headers['idempotency-key']).toMatch(/^[A-Za-z0-9._:-]{1,255}$/);
    expect([repeats.length, waits.length]).toEqual([1, 1]);
    for (const repeat of repeats) {
      expect(repeat).toMatchObject({ path: '/api/v1/sms/send', body: first?.body });
      expect(repeat.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    }
  });

  it('is repeated three times, each wait longer, and then throws what the last attempt got', async () => {
    const { gateway, server, waits } = await start(
      Array.from({ length: 9 }, () => refusal(503, 'service_unavailable')),
    );
    await expect(gateway.sms.send(sms)).rejects.toMatchObject({ name: 'ServerError', request_id: 'req_1' });
    expect(waits).toEqual([500, 1000, 2000]);
    expect(server.requests).toHaveLength(4);
  });

  it('is not repeated where retries are off, for one call or for all', async () => {
    const { gateway, server } = await start(['drop', 'drop']);
    await expect(gateway.sms.send(sms, { maxRetries: 0 })).rejects.toBeInstanceOf(ConnectionError);
    expect(server.requests).toHaveLength(1);
  });

  it('throws at once where the limit resets in hours, and says when', async () => {
    const { gateway, waits } = await start([refusal(429, 'spend_limit_reached', { retry_after: 5400 })]);
    const error = await gateway.sms.send(sms).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ error: 'spend_limit_reached', retry_after: 5400 });
    expect(waits).toEqual([]);
  });

  it('throws a TimeoutError where no attempt is answered in time', async () => {
    const { gateway } = await start(['hang', 'hang'], { timeoutMs: 100, maxRetries: 1 });
    await expect(gateway.sms.send(sms)).rejects.toBeInstanceOf(TimeoutError);
  });

  it('has the key that the caller chose', async () => {
    const { gateway, server } = await start(['drop']);
    await gateway.sms.send(sms, { idempotencyKey: 'order-42' });
    expect(keysOf(server.requests)).toEqual(['order-42', 'order-42']);
  });

  it.each(['sms', 'bulk', 'otp', 'whatsapp'] as const)(
    'of each kind has a key of its own: %s',
    async (kind) => {
      const { gateway, server } = await start();
      const send = {
        sms: () => gateway.sms.send(sms),
        bulk: () => gateway.sms.sendBulk({ message: 'Hello', recipients: ['+447700900123'] }),
        otp: () => gateway.otp.send({ to: sms.to }),
        whatsapp: () => gateway.whatsapp.send(sms),
      }[kind];
      await send();
      await send();
      const keys = keysOf(server.requests);
      expect([new Set(keys).size, keys.every(Boolean)]).toEqual([2, true]);
    },
  );
});

describe('a request that must not be done twice', () => {
  it.each<[string, Reply]>([
    ['a dropped connection', 'drop'],
    ['503', refusal(503, 'service_unavailable')],
    ['no response in time', 'hang'],
  ])('is not repeated after %s', async (_what, reply) => {
    const { gateway, server } = await start([reply]);
    await expect(gateway.otp.verify(verification)).rejects.toThrow();
    await expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers['idempotency-key']).toBeUndefined();
  });

  it('is repeated after 429, which refused it', async () => {
    const { gateway, server } = await start([refusal(429, 'rate_limit_exceeded', { retry_after: 1 })]);
    await gateway.otp.verify(verification);
    expect(server.requests).toHaveLength(2);
  });

  it('is repeated where it was never sent', async () => {
    const { gateway, server, waits } = await start([], {
      apiKey: 'sk-1',
      clientId: undefined,
      clientSecret: undefined,
    });
    await server.close();
    await expect(gateway.otp.verify(verification)).rejects.toBeInstanceOf(ConnectionError);
    expect(waits).toHaveLength(3);
  });
});

describe('an error', () => {
  it('has what the gateway says', async () => {
    const details = [{ field: 'to', message: 'must be a phone number' }];
    const { gateway } = await start([refusal(400, 'invalid_request', { details })]);
    const error = await gateway.sms.send(sms).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      status: 400,
      error: 'invalid_request',
      message: 'It is invalid_request.',
      request_id: 'req_1',
      details,
    });
  });

  it.each<[string, Reply, string]>([
    [
      'JSON of a proxy with the same names',
      { status: 418, body: { error: {}, message: 1, details: 'x', retry_after: '5' } },
      'ApiError',
    ],
    ['a page of a proxy', { status: 200, text: '<html>Sign in</html>' }, 'ApiError'],
    [
      'a redirect, which credentials do not follow',
      { status: 307, text: '', headers: { Location: '/elsewhere' } },
      'ApiError',
    ],
    ['404', refusal(404, 'not_found'), 'NotFoundError'],
    ['410', refusal(410, 'otp_expired'), 'ConflictError'],
    ['403', refusal(403, 'forbidden'), 'ForbiddenError'],
  ])('tells of %s', async (_what, reply, name) => {
    const { gateway, server } = await start([reply]);
    await expect(gateway.account.get()).rejects.toMatchObject({ name });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a call', () => {
  it('ends when its signal is aborted, while others go on', async () => {
    const controller = new AbortController();
    const { gateway } = await start(['hang'], {
      onHang: () => controller.abort(new Error('shut down')),
    });
    const hanging = gateway.sms.send(sms, { signal: controller.signal });
    await expect(hanging).rejects.toThrow('shut down');
    await expect(gateway.sms.send(sms)).resolves.toBeDefined();
  });

  it('iterates over every item of every page, and is a promise of the first page', async () => {
    const page = (cursor: string | undefined, ...ids: string[]): Reply => ({
      status: 200,
      body: {
        messages: ids.map((message_id) => ({ message_id })),
        ...(cursor === undefined ? {} : { next_cursor: cursor }),
      },
    });
    const { gateway, server } = await start([
      page('c1', 'a', 'b'),
      page('c2'),
      page(undefined, 'c'),
      page('c1', 'a'),
    ]);
    const ids: string[] = [];
    for await (const { message_id } of gateway.messages.list({ status: 'failed', limit: 2 }))
      ids.push(message_id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/api/v1/messages?status=failed&limit=2',
      '/api/v1/messages?status=failed&limit=2&cursor=c1',
      '/api/v1/messages?status=failed&limit=2&cursor=c2',
    ]);
    expect((await gateway.messages.list()).next_cursor).toBe('c1');
  });

  it('puts an id into the path as text, and refuses what is none', async () => {
    const { gateway, server } = await start();
    await gateway.messages.get('a/b?c');
    expect(server.requests[0]?.path).toBe('/api/v1/sms/status/a%2Fb%3Fc');
    expect(() => gateway.messages.cancel('..')).toThrow(ArgumentError);
    expect(() => gateway.messages.cancel('')).toThrow(ArgumentError);
  });
});

describe('a client', () => {
  it.each<[string, Partial<GatewayOptions>]>([
    ['no credentials', {}],
    ['half of the credentials', { clientId: 'client_1' }],
    ['an empty secret', { clientId: 'client_1', clientSecret: '' }],
    ['both kinds', { clientId: 'client_1', clientSecret: 'x', apiKey: 'sk-1' }],
    ['a URL that is missing', { baseUrl: undefined as unknown as string, apiKey: 'sk-1' }],
    ['no URL', { baseUrl: 'gateway', apiKey: 'sk-1' }],
  ])('is refused with %s', (_what, options) => {
    expect(() => new MessagingGateway({ baseUrl: 'https://gateway.test', ...options })).toThrow(
      ArgumentError,
    );
  });

  it('does not show its secret when it is logged', async () => {
    const { gateway } = await start();
    await gateway.sms.send(sms);
    const shown = inspect(gateway, { depth: 9, showHidden: true }) + JSON.stringify(gateway);
    expect(shown).not.toMatch(/hidden-secret|token-1/);
  });
});
