/** Test keys: the operations of live ones, on data of its own, with the live client's settings (contract, section 17). */
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createApiKey } from '../../shared/client/client-admin.ts';
import { freshNumber, outboxOf } from '../support/carrier/outbox.ts';
import { eventually, gateway } from '../support/gateway/gateway.ts';
import { clientAdmin, newClient, type TestClient, withTestKey } from '../support/http/client.ts';
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
    const all = await test.call('GET', outbox);
    expect(all.body.messages).toContainEqual(message);
    const code = /\d{6}/.exec(message?.body ?? '')?.[0];
    const { otp_id } = sent.body;
    expectRefusal(await live.post('/api/v1/otp/verify', { otp_id, code }), 404, 'not_found');
    const verified = await test.post('/api/v1/otp/verify', { to, code });
    expect(verified.body).toMatchObject({ verified: true, status: 'verified' });
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
  it('never opens the admin API', async () => {
    const { client_id } = gateway().admin;
    await expect(createApiKey(clientAdmin(), `${client_id}-test`, new Date())).rejects.toThrow(
      'messages API only',
    );
  });
});
