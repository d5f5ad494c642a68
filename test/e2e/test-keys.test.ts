/** Test keys: the operations of live ones, on data of its own, with the live client's settings (contract, section 17). */
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { createApiKey, setClientDisabled } from '../../shared/client/client-admin.ts';
import { freshNumber, outboxOf } from '../support/carrier/outbox.ts';
import { eventually, gateway } from '../support/gateway/gateway.ts';
import {
  adminToken,
  call,
  clientAdmin,
  newClient,
  requestToken,
  type TestClient,
  tokenOf,
  withTestKey,
} from '../support/http/client.ts';
import { expectRefusal } from '../support/http/expected-responses.ts';
import {
  bodyOf,
  startWebhookEndpoint,
  verifiedBody,
  type WebhookEndpoint,
} from '../support/webhook/webhook-endpoint.ts';

const outbox = '/api/v1/test/outbox';
/** It answers every message with STOP. */
const stopper = '+15005550008';
const servers: WebhookEndpoint[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function aServer(): Promise<WebhookEndpoint> {
  const server = await startWebhookEndpoint();
  servers.push(server);
  return server;
}

async function halves(
  wishes: Parameters<typeof newClient>[0] = {},
): Promise<{ live: TestClient; test: TestClient }> {
  const live = await newClient(wishes);
  return { live, test: await withTestKey(live) };
}

describe('a test key', () => {
  let live: TestClient;
  let test: TestClient;

  beforeAll(async () => {
    ({ live, test } = await halves());
  });

  it('sends to the simulated carrier, and says so in every answer about the message', async () => {
    const to = freshNumber();
    const messageId = await test.send({ to, reference: 'order-1' });
    const status = await test.statusOnce(messageId, 'delivered');
    expect(status).toMatchObject({ mode: 'test', client_id: `${live.clientId}-test` });
    const { body } = await test.call('GET', '/api/v1/messages?reference=order-1');
    expect(body.messages).toMatchObject([{ message_id: messageId, mode: 'test' }]);
    const bulk = await test.post('/api/v1/sms/bulk', { message: 'Hello', recipients: [to] });
    const batch = await test.call('GET', `/api/v1/sms/status/${String(bulk.body.batch_id)}`);
    expect(batch.body).toMatchObject({ mode: 'test', accepted: 1 });
    expect((await test.call('GET', '/api/v1/account')).body).toMatchObject({
      mode: 'test',
      name: 'Test (test)',
    });
    // It is in no outbox of live messages.
    expect(await outboxOf(to)).toEqual([]);
  });

  it('reads in the outbox what the simulated carrier was given, and verifies the code in it', async () => {
    const to = freshNumber();
    const sent = await test.post('/api/v1/otp/send', { to });
    const read = async () => (await test.call('GET', `${outbox}?to=${encodeURIComponent(to)}`)).body.messages;
    const [message] = await eventually(async () => {
      const messages = (await read()) as { message_id: string; body: string }[];
      return messages.length > 0 ? messages : undefined;
    });
    expect(message).toMatchObject({ message_id: sent.body.message_id, channel: 'sms', to, from: null });
    const code = /\d{6}/.exec(message?.body ?? '')?.[0];
    const { otp_id } = sent.body;
    expectRefusal(await live.post('/api/v1/otp/verify', { otp_id, code }), 404, 'not_found');
    const verified = await test.post('/api/v1/otp/verify', { otp_id, code });
    expect(verified.body).toMatchObject({ verified: true, status: 'verified' });
  });

  it('pages through the outbox, which a live key and another client cannot read', async () => {
    const [to, other] = [freshNumber(), await withTestKey(await newClient())];
    for (const message of ['one', 'two', 'three']) {
      const id = await test.send({ to, message });
      await test.statusOnce(id, 'delivered');
    }
    const query = `to=${encodeURIComponent(to)}&limit=2`;
    const first = await test.call('GET', `${outbox}?${query}`);
    const second = await test.call('GET', `${outbox}?${query}&cursor=${String(first.body.next_cursor)}`);
    const bodies = [first, second].map(({ body }) =>
      (body.messages as { body: string }[]).map((one) => one.body),
    );
    expect(bodies).toEqual([['three', 'two'], ['one']]);
    expect((await other.call('GET', outbox)).body).toEqual({ messages: [] });
    expectRefusal(await live.call('GET', outbox), 403, 'forbidden');
    expectRefusal(await test.call('GET', `${outbox}?to=1&limit=0`), 400, 'invalid_request', ['limit', 'to']);
    expectRefusal(await test.call('GET', `${outbox}?cursor=x`), 400, 'invalid_request', ['cursor']);
  });

  it('finds nothing of the live data, nor a live key anything of its own', async () => {
    const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
    const url = (await aServer()).url;
    for (const [own, other] of [
      [live, test],
      [test, live],
    ] as const) {
      const messageId = await own.send({ scheduled_at, reference: own.clientId });
      const bulk = await own.post('/api/v1/sms/bulk', { message: 'Hello', recipients: ['+447700900123'] });
      const endpoint = await own.post('/api/v1/webhook-endpoints', { url });
      const endpointId = String(endpoint.body.endpoint_id);
      const delivery = await own.post(`/api/v1/webhook-endpoints/${endpointId}/test`, {});
      await own.call('PUT', '/api/v1/suppressions/+447700900150');
      for (const [method, path] of [
        ['GET', `/api/v1/sms/status/${messageId}`],
        ['GET', `/api/v1/sms/status/${String(bulk.body.batch_id)}`],
        ['DELETE', `/api/v1/messages/${messageId}`],
        ['GET', `/api/v1/webhook-endpoints/${endpointId}`],
        ['DELETE', `/api/v1/webhook-endpoints/${endpointId}`],
        ['GET', `/api/v1/webhook-deliveries/${String(delivery.body.delivery_id)}`],
        ['POST', `/api/v1/webhook-deliveries/${String(delivery.body.delivery_id)}/resend`],
        ['DELETE', '/api/v1/suppressions/+447700900150'],
      ] as const)
        expectRefusal(await other.call(method, path), 404, 'not_found');
      for (const path of [
        `/api/v1/messages?reference=${own.clientId}`,
        '/api/v1/webhook-endpoints',
        '/api/v1/suppressions',
      ])
        expect(Object.values((await other.call('GET', path)).body)).toEqual([[]]);
      for (const path of [`/api/v1/webhook-endpoints/${endpointId}`, '/api/v1/suppressions/+447700900150'])
        expect((await own.call('DELETE', path)).status).toBe(200);
    }
  });

  it('does not repeat a live request that has the same Idempotency-Key', async () => {
    const body = { to: freshNumber(), message: 'Hello' };
    const [first, second] = [
      await live.post('/api/v1/sms/send', body, 'same-key'),
      await test.post('/api/v1/sms/send', body, 'same-key'),
    ];
    expect(second.headers.get('idempotent-replayed')).toBeNull();
    expect(second.body.message_id).not.toBe(first.body.message_id);
    const repeat = await test.post('/api/v1/sms/send', body, 'same-key');
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(repeat.text).toBe(second.text);
  });

  it('counts its usage apart', async () => {
    const { live, test } = await halves();
    const id = await test.send({});
    await test.statusOnce(id, 'delivered');
    await eventually(async () => {
      const { body } = await test.call('GET', '/api/v1/account/usage');
      return JSON.stringify(body.usage).includes('"delivered":1') ? body : undefined;
    });
    expect((await live.call('GET', '/api/v1/account/usage')).body.usage).toEqual([]);
  });
});

describe('test data', () => {
  it('has the live limits and caps, and counters of its own', async () => {
    const limits = { perMinute: 3, perHour: 3, perDay: 3 };
    const { live, test } = await halves({ limits, caps: { messages: { per_day: 2 } } });
    for (const client of [test, live]) {
      await client.send({});
      await client.send({});
      expectRefusal(
        await client.post('/api/v1/sms/send', { to: '+447700900123', message: 'x' }),
        429,
        'message_limit_reached',
      );
      expectRefusal(
        await client.post('/api/v1/sms/send', { to: '+447700900123', message: 'x' }),
        429,
        'rate_limit_exceeded',
      );
    }
  });

  it('is of the live permissions', async () => {
    const { test } = await halves({ countries: ['GB'], senders: ['KEYTEST'] });
    expectRefusal(
      await test.post('/api/v1/sms/send', { to: '+33612345678', message: 'x', from: 'KEYTEST' }),
      403,
      'forbidden',
    );
    expectRefusal(
      await test.post('/api/v1/sms/send', { to: '+447700900123', message: 'x' }),
      403,
      'forbidden',
    );
    await test.send({ from: 'KEYTEST' });
  });

  it('is closed with the client', async () => {
    const { live, test } = await halves();
    await setClientDisabled(clientAdmin(), live.clientId, true);
    const fresh = (await createApiKey(clientAdmin(), test.clientId, new Date())).apiKey;
    const refused = await eventually(async () => {
      const response = await call('GET', '/api/v1/account', { credential: fresh });
      return response.status === 403 ? response : undefined;
    });
    expectRefusal(refused, 403, 'forbidden');
  });

  it('reports to the live URL, signed by the live secret, until a test key sets others', async () => {
    const [liveServer, testServer] = [await aServer(), await aServer()];
    const { live, test } = await halves({ webhookUrl: liveServer.url });
    const first = await test.send({});
    await liveServer.eventsOnce(first, 2);
    const [post] = liveServer.postsOf(first);
    if (post === undefined) throw new Error('no post');
    expect(verifiedBody(post, live.webhookSecret).data).toMatchObject({
      mode: 'test',
      client_id: test.clientId,
    });
    const patched = await test.call('PATCH', '/api/v1/account', { body: { webhook_url: testServer.url } });
    expect(patched.body).toMatchObject({ webhook_url: testServer.url, mode: 'test' });
    expect((await live.call('GET', '/api/v1/account')).body).toMatchObject({ webhook_url: liveServer.url });
    const rotated = await test.post('/api/v1/account/webhook-secret', undefined);
    expect(rotated.body.previous_secret_expires_at).toEqual(expect.any(String));
    const second = await test.send({});
    await testServer.eventsOnce(second, 2);
    const removed = await test.call('PATCH', '/api/v1/account', { body: { webhook_url: null } });
    expect(removed.body).toMatchObject({ webhook_url: null, mode: 'test' });
    const liveId = await live.send({});
    await liveServer.eventsOnce(liveId, 2);
    const [livePost] = liveServer.postsOf(liveId);
    if (livePost === undefined) throw new Error('no post');
    expect(verifiedBody(livePost, live.webhookSecret).data).not.toHaveProperty('mode');
  });

  it('keeps the URL that a test key sets, or that it sets none, where that of the client is the same so far', async () => {
    const [first, second] = ['https://example.com/first', 'https://example.com/second'];
    for (const url of [first, null]) {
      const { live, test } = await halves({ ...(url === null ? {} : { webhookUrl: url }) });
      const set = (client: typeof live, webhook_url: string | null) =>
        client.call('PATCH', '/api/v1/account', { body: { webhook_url } });
      expect((await set(test, url)).body).toMatchObject({ webhook_url: url });
      await set(live, second);
      expect((await test.call('GET', '/api/v1/account')).body).toMatchObject({ webhook_url: url });
      expect((await live.call('GET', '/api/v1/account')).body).toMatchObject({ webhook_url: second });
    }
  });

  it('keeps what a simulated person answers, and the opt-out that follows, to itself', async () => {
    const server = await aServer();
    const { live, test } = await halves({ webhookUrl: server.url });
    await live.send({ to: freshNumber() });
    await test.send({ to: stopper });
    const suppressed = await eventually(async () => {
      const { body } = await test.call(
        'GET',
        `/api/v1/suppressions?recipient=${encodeURIComponent(stopper)}`,
      );
      return (body.suppressions as unknown[]).length > 0 ? body.suppressions : undefined;
    });
    expect(suppressed).toMatchObject([{ recipient: stopper, source: 'keyword' }]);
    const inbound = await test.call('GET', '/api/v1/messages?direction=inbound');
    expect(inbound.body.messages).toMatchObject([{ text: 'STOP', mode: 'test' }]);
    const failed = await test.send({ to: stopper });
    expect(await test.statusOnce(failed, 'failed')).toMatchObject({ error: { code: 'recipient_opted_out' } });
    const optedOut = await eventually(async () =>
      server.posts.map(bodyOf).find(({ event }) => event === 'recipient.opted_out'),
    );
    expect(optedOut.data).toMatchObject({ mode: 'test', recipient: stopper });
    expect((await live.call('GET', '/api/v1/suppressions')).body).toEqual({ suppressions: [] });
    expect((await live.call('GET', '/api/v1/messages?direction=inbound')).body).toEqual({ messages: [] });
  });
});

describe('a test secret', () => {
  it('gives tokens that say so, under the id of the client or of its test data', async () => {
    const { live, test } = await halves();
    for (const clientId of [live.clientId, test.clientId]) {
      const token = await tokenOf(clientId, test.clientSecret);
      expect(decodeJwt(token)).toMatchObject({ test: true, sub: test.clientId, client_id: test.clientId });
      const { body } = await call('GET', '/api/v1/account', { credential: token });
      expect(body).toMatchObject({ mode: 'test', client_id: test.clientId });
    }
    const token = decodeJwt(await tokenOf(live.clientId, live.clientSecret));
    expect(token).not.toHaveProperty('test');
    expectRefusal(await requestToken(test.clientId, live.clientSecret), 401, 'invalid_client');
  });

  it('is no id of a client where nothing stands before its ending', async () => {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expectRefusal(await requestToken('-test', 'cs_test_x'), 401, 'invalid_client');
    }
    const credential = await adminToken();
    expectRefusal(await call('GET', '/admin/api/clients/-test', { credential }), 404, 'not_found');
  });

  it('never opens the admin API', async () => {
    const { client_id } = gateway().admin;
    await expect(createApiKey(clientAdmin(), `${client_id}-test`, new Date())).rejects.toThrow(
      'messages API only',
    );
  });
});
