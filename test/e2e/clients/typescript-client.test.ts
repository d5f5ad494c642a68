/** The TypeScript client against the deployed gateway. That of Python: test/clients/live_client.py. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MessagingGateway } from '../../../clients/typescript/src/gateway.ts';
import { verifyWebhook } from '../../../clients/typescript/src/webhook.ts';
import { tokenThatExpires } from '../../support/clients/signed-token.ts';
import { startUnreliableFront } from '../../support/clients/unreliable-front.ts';
import { eventually } from '../../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../../support/http/client.ts';
import { startWebhookEndpoint, type WebhookEndpoint } from '../../support/webhook/webhook-endpoint.ts';

const to = '+447700900123';
let client: TestClient;
let endpoint: WebhookEndpoint;
let gateway: MessagingGateway;

beforeAll(async () => {
  client = await newClient({ name: 'TypeScript client' });
  endpoint = await startWebhookEndpoint();
  gateway = new MessagingGateway({ ...client, apiKey: undefined });
});
afterAll(() => endpoint.close());

describe('the TypeScript client', () => {
  it('renews an expired token, and the request succeeds', async () => {
    const response = await fetch(`${client.baseUrl}/api/v1/auth/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    // What is refused below is that the token has expired, and nothing else of it.
    const valid = new MessagingGateway({
      baseUrl: client.baseUrl,
      apiKey: await tokenThatExpires(600, access_token),
    });
    await expect(valid.account.get()).resolves.toMatchObject({ client_id: client.clientId });
    const front = await startUnreliableFront(client.baseUrl, {
      firstToken: await tokenThatExpires(-600, access_token),
    });
    try {
      const behind = new MessagingGateway({ ...client, apiKey: undefined, baseUrl: front.baseUrl });
      const sent = await behind.sms.send({ to, message: 'Hello' });
      expect(sent).toMatchObject({ status: 'queued', recipient: to });
      expect(front.answers.map(({ path, status }) => [path, status])).toEqual([
        ['/api/v1/auth/token', 200],
        ['/api/v1/sms/send', 401],
        ['/api/v1/auth/token', 200],
        ['/api/v1/sms/send', 202],
      ]);
    } finally {
      await front.close();
    }
  });

  it('sends once where the first response was lost', async () => {
    const front = await startUnreliableFront(client.baseUrl, { losesAnswerOf: '/api/v1/sms/send' });
    try {
      const behind = new MessagingGateway({ ...client, apiKey: undefined, baseUrl: front.baseUrl });
      const sent = await behind.sms.send({ to, message: 'Hello', reference: 'lost-answer' });
      const [lost, replay] = front.answersOf('/api/v1/sms/send');
      expect([lost?.isLost, lost?.status, replay?.isReplay, replay?.body]).toEqual([
        true,
        202,
        true,
        lost?.body,
      ]);
      expect(JSON.parse(lost?.body ?? '').message_id).toBe(sent.message_id);
      expect((await gateway.messages.list({ reference: 'lost-answer' })).messages).toHaveLength(1);
    } finally {
      await front.close();
    }
  });

  it('asks what would be sent, and sends nothing', async () => {
    const reference = 'dry-run';
    const answer = await gateway.sms.dryRun({ to, message: 'Hello', reference });
    expect(answer).toMatchObject({ would_be_accepted: true, recipient: to, segments: 1 });
    expect((await gateway.messages.list({ reference })).messages).toEqual([]);
  });

  it('iterates over the messages of all pages, each once', async () => {
    const reference = 'pages';
    const ids = new Set<string>();
    for (let sent = 0; sent < 5; sent += 1)
      ids.add((await gateway.sms.send({ to, message: `Hello ${sent}`, reference })).message_id);
    const listed = await eventually(async () => {
      const found: string[] = [];
      for await (const { message_id } of gateway.messages.list({ reference, limit: 2 }))
        found.push(message_id);
      return found.length >= ids.size ? found : undefined;
    });
    expect(listed).toHaveLength(ids.size);
    expect(new Set(listed)).toEqual(ids);
  });

  it('calls every kind of operation, with a bulk, a cancelation and a one-time password', async () => {
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const { message_id } = await gateway.sms.send({ to, message: 'Later', scheduled_at });
    expect(await gateway.messages.get(message_id)).toMatchObject({ status: 'scheduled' });
    expect(await gateway.messages.cancel(message_id)).toMatchObject({ status: 'canceled' });
    const batch = await gateway.sms.sendBulk({
      message: 'Hello {{name}}',
      recipients: [{ to, variables: { name: 'Ada' } }, '+33'],
    });
    expect(await gateway.batches.get(batch.batch_id)).toMatchObject({ total: 2, accepted: 1 });
    await gateway.whatsapp.send({ to, message: 'Hello' });
    const { otp_id } = await gateway.otp.send({ to });
    expect(await gateway.otp.verify({ otp_id, code: '0000' })).toMatchObject({ verified: false });
    expect(await gateway.account.getUsage({ interval: 'day' })).toHaveProperty('usage');
  });

  it('throws what the gateway refuses, with its fields', async () => {
    await expect(gateway.sms.send({ to: '1', message: '' })).rejects.toMatchObject({
      name: 'InvalidRequestError',
      status: 400,
      error: 'invalid_request',
      message: expect.stringMatching(/^to: .*\. See details for one more error\.$/),
      request_id: expect.any(String),
      doc_url: expect.stringMatching(/\/docs\/errors#invalid_request$/),
      details: [{ field: 'to' }, { field: 'message' }],
    });
    await expect(gateway.messages.get('msg_01KC9V7Q8Z4N6M2R5T8W1Y3X0A')).rejects.toMatchObject({
      name: 'NotFoundError',
    });
    const wrong = new MessagingGateway({ ...client, apiKey: undefined, clientSecret: 'wrong' });
    await expect(wrong.account.get()).rejects.toMatchObject({
      name: 'AuthenticationError',
      error: 'invalid_client',
    });
  });

  it('verifies what the gateway posts', async () => {
    await gateway.account.update({ webhook_url: endpoint.url });
    const { message_id } = await gateway.sms.send({ to, message: 'Hello' });
    await endpoint.eventsOnce(message_id, 2);
    const verified = endpoint
      .postsOf(message_id)
      .map(({ bytes, headers }) => verifyWebhook(bytes, headers, client.webhookSecret));
    expect(verified.map(({ event, data }) => ({ event, data }))).toEqual(
      expect.arrayContaining([
        { event: 'sms.delivered', data: expect.objectContaining({ message_id }) },
        { event: 'sms.sent', data: expect.objectContaining({ message_id }) },
      ]),
    );
  });
});
