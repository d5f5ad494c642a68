/** The client in TypeScript requests one token for many calls, and another when that one ends. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Reply, refusal, type SeenRequest } from '../../support/clients/fault-server.ts';
import { type StartedClient, startClient } from '../../support/clients/typescript-client.ts';

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

function tokenOf(count: number): Reply {
  return { status: 200, body: { access_token: `token-${count}`, token_type: 'bearer', expires_in: 3600 } };
}
