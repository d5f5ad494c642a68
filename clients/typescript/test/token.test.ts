/** The client in TypeScript requests one token for many calls, and another when that one ends. */
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Reply, refusal, type SeenRequest } from './support/fault-server.ts';
import { type StartedClient, startClient } from './support/start-client.ts';

const sms = { to: '+447700900123', message: 'Hello' };

let started: StartedClient | undefined;
afterEach(() => started?.server.close());

async function start(...how: Parameters<typeof startClient>): Promise<StartedClient> {
  started = await startClient(...how);
  return started;
}

const tokensOf = (requests: readonly SeenRequest[]) => requests.map(({ headers }) => headers.authorization);

describe('the access token', () => {
  it('is requested once for all calls that need it at the same time', async () => {
    const { gateway, server } = await start();
    await Promise.all(Array.from({ length: 20 }, () => gateway.sms.send(sms)));
    expect(server.tokenRequests).toHaveLength(1);
    expect(JSON.parse(server.tokenRequests[0]?.body ?? '')).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client_1',
      client_secret: 'hidden-secret',
    });
    expect(new Set(tokensOf(server.requests))).toEqual(new Set(['Bearer token-1']));
  });

  it('is renewed a minute before it expires, and not earlier', async () => {
    const { gateway, server, clock } = await start();
    await gateway.sms.send(sms);
    clock.milliseconds = 3_539_000;
    await gateway.sms.send(sms);
    expect(server.tokenRequests).toHaveLength(1);
    clock.milliseconds = 3_540_000;
    await Promise.all([gateway.sms.send(sms), gateway.sms.send(sms)]);
    expect(server.tokenRequests).toHaveLength(2);
    expect(tokensOf(server.requests).slice(-2)).toEqual(['Bearer token-2', 'Bearer token-2']);
  });

  it('is renewed once, by one request, where concurrent calls get 401', async () => {
    const unlessNew = ({ headers }: SeenRequest): Reply =>
      headers.authorization === 'Bearer token-1' ? refusal(401, 'unauthorized') : { status: 202, body: {} };
    const { gateway, server } = await start(Array.from({ length: 20 }, () => unlessNew));
    await Promise.all(Array.from({ length: 10 }, () => gateway.sms.send(sms)));
    expect(server.tokenRequests).toHaveLength(2);
    expect(server.requests).toHaveLength(20);
    // The repeat is the same send.
    expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(10);
  });

  it('that is refused again ends in an AuthenticationError', async () => {
    const { gateway, server } = await start([refusal(401, 'unauthorized'), refusal(401, 'unauthorized')]);
    await expect(gateway.account.get()).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 });
    expect([server.requests.length, server.tokenRequests.length]).toEqual([2, 2]);
  });

  it('is requested again after a failure, and not repeated with wrong credentials', async () => {
    const { gateway, server } = await start([], {
      tokenReply: (count) =>
        count === 1
          ? refusal(401, 'invalid_client')
          : count === 2
            ? refusal(503, 'service_unavailable')
            : tokenOf(count),
    });
    await expect(gateway.sms.send(sms)).rejects.toMatchObject({ error: 'invalid_client' });
    expect(server.tokenRequests).toHaveLength(1);
    await gateway.sms.send(sms);
    expect(tokensOf(server.requests)).toEqual(['Bearer token-3']);
  });

  it('is not requested with an API key', async () => {
    const { gateway, server } = await start([], {
      clientId: undefined,
      clientSecret: undefined,
      apiKey: 'sk-1',
    });
    await gateway.sms.send(sms);
    expect([tokensOf(server.requests), server.tokenRequests.length]).toEqual([['Bearer sk-1'], 0]);
  });
});

describe('a call and its token', () => {
  const unavailable = { tokenReply: () => refusal(503, 'service_unavailable') };

  it('have one budget of retries: a token endpoint that is down gets four requests', async () => {
    const { gateway, server, waits } = await start([], unavailable);
    await expect(gateway.sms.send(sms)).rejects.toMatchObject({ name: 'ServerError' });
    expect([server.tokenRequests.length, waits]).toEqual([4, [500, 1000, 2000]]);
  });

  it('have the limits that the caller gave for the call', async () => {
    const { gateway, server, limitsMs } = await start([], unavailable);
    await expect(gateway.sms.send(sms, { timeoutMs: 200, maxRetries: 0 })).rejects.toThrow();
    expect([server.tokenRequests.length, Math.min(...limitsMs)]).toEqual([1, 200]);
  });

  it('are repeated where only the token request failed, also for what must not be done twice', async () => {
    const { gateway, server } = await start([], {
      tokenReply: (count) => (count === 1 ? refusal(503, 'service_unavailable') : tokenOf(count)),
    });
    await gateway.otp.verify({ otp_id: 'otp_1', code: '1234' });
    expect([server.tokenRequests.length, server.requests.length]).toEqual([2, 1]);
  });

  it('end at the deadline: no wait begins that would end after it', async () => {
    const { gateway, waits } = await start([], unavailable);
    await expect(gateway.sms.send(sms, { deadlineMs: 900 })).rejects.toMatchObject({ name: 'ServerError' });
    expect(waits).toEqual([500]);
  });

  it('do not wait for a shared request that never ends: another is begun after its time', async () => {
    let tell = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const { gateway, server, endTime } = await start([], {
      tokenReply: (count) => {
        tell();
        return count === 1 ? 'hang' : tokenOf(count);
      },
    });
    const first = gateway.sms.send(sms, { maxRetries: 0 }).catch((error: unknown) => error);
    await asked;
    endTime();
    expect(await first).toMatchObject({ name: 'TimeoutError' });
    await gateway.sms.send(sms);
    expect(tokensOf(server.requests)).toContain('Bearer token-2');
  });

  it.each<[string, object]>([
    ['no token', { token_type: 'bearer', expires_in: 3600 }],
    ['an empty token', { access_token: '', expires_in: 3600 }],
    ['no lifetime', { access_token: 'token-1' }],
    ['a token that no header can have', { access_token: 'a\nb', expires_in: 3600 }],
    ['a token beyond ASCII', { access_token: 'é', expires_in: 3600 }],
  ])('fail with a typed error where the answer has %s', async (_what, body) => {
    const { gateway, server } = await start([], { tokenReply: () => ({ status: 200, body }) });
    await expect(gateway.sms.send(sms)).rejects.toMatchObject({ error: 'unexpected_response' });
    expect(server.requests).toHaveLength(0);
  });
});

describe('a token store', () => {
  const storeOf = (kept: Map<string, string>) => ({
    get: async (key: string) => kept.get(key),
    set: async (key: string, value: string, seconds: number) =>
      kept.set(key, value).set('seconds', `${seconds}`),
  });

  it('gives one token to many processes, with the time for which it can be used', async () => {
    const kept = new Map<string, string>();
    const { gateway, server } = await start([], { tokenStore: storeOf(kept) });
    await gateway.sms.send(sms);
    const other = await startClient([], { tokenStore: storeOf(kept), baseUrl: server.baseUrl });
    await other.gateway.sms.send(sms);
    await other.server.close();
    expect([server.tokenRequests.length, kept.get('seconds')]).toEqual([1, '3540']);
    expect(tokensOf(server.requests)).toEqual(['Bearer token-1', 'Bearer token-1']);
  });

  it('is not asked for a token that the gateway refused, nor for one that has expired', async () => {
    const kept = new Map<string, string>();
    const { gateway, server, clock } = await start(
      [{ status: 202, body: {} }, refusal(401, 'unauthorized')],
      {
        tokenStore: storeOf(kept),
      },
    );
    await gateway.sms.send(sms);
    await gateway.sms.send(sms);
    expect(tokensOf(server.requests).at(-1)).toBe('Bearer token-2');
    clock.milliseconds = 3_540_000;
    await gateway.sms.send(sms);
    expect(tokensOf(server.requests).at(-1)).toBe('Bearer token-3');
  });

  it('gives no token to other credentials: a test secret or a wrong one has an entry of its own', async () => {
    const kept = new Map<string, string>();
    const { gateway, server } = await start([], { tokenStore: storeOf(kept) });
    await gateway.sms.send(sms);
    const shared = { tokenStore: storeOf(kept), baseUrl: `${server.baseUrl}/` };
    const tester = await startClient([], { ...shared, clientSecret: 'cs_test_1' });
    await tester.gateway.sms.send(sms);
    await tester.server.close();
    expect(tokensOf(server.requests)).toEqual(['Bearer token-1', 'Bearer token-2']);
    const same = await startClient([], shared);
    await same.gateway.sms.send(sms);
    await same.server.close();
    expect(server.tokenRequests).toHaveLength(2);
    // The client in Python has the same keys.
    expect([...kept.keys()]).toContain(
      `messaging-gateway-token:${server.baseUrl}:client_1:${sha256('hidden-secret').slice(0, 16)}`,
    );
    expect([...kept.keys()].join()).not.toMatch(/hidden-secret|cs_test_1/);
  });

  it('that hangs is not waited for longer than a second, or half of the time of the call', async () => {
    const never = () => new Promise<undefined>(() => undefined);
    for (const [timeoutMs, storeMs] of [
      [30_000, 1000],
      [200, 100],
    ]) {
      let endTime = (): void => undefined;
      const get = () => {
        queueMicrotask(() => endTime());
        return never();
      };
      const client = await startClient([], { tokenStore: { get, set: never }, timeoutMs, maxRetries: 0 });
      started = client;
      endTime = () => client.endTimeOf(storeMs ?? 0);
      await client.gateway.sms.send(sms);
      expect(tokensOf(client.server.requests)).toEqual(['Bearer token-1']);
      await client.server.close();
    }
  });

  it('that is out of order, or has something else, does not stop the sending', async () => {
    const failing = {
      get: () => Promise.reject(new Error('no store')),
      set: () => Promise.reject(new Error('no store')),
    };
    const unsendable = JSON.stringify({ token: 'a\nb', renewAtMs: Number.MAX_SAFE_INTEGER });
    for (const get of [failing.get, async () => '{"token":1}', async () => unsendable]) {
      const tokenStore = { ...failing, get };
      const { gateway, server } = await start([], { tokenStore });
      await gateway.sms.send(sms);
      expect(tokensOf(server.requests)).toEqual(['Bearer token-1']);
      await server.close();
    }
  });
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function tokenOf(count: number): Reply {
  return { status: 200, body: { access_token: `token-${count}`, token_type: 'bearer', expires_in: 3600 } };
}
