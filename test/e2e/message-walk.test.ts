import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, gateway } from '../support/gateway/gateway.ts';
import { call, newClient, requestToken, type TestClient } from '../support/http/client.ts';
import {
  startWebhookEndpoint,
  verifiedBody,
  type WebhookEndpoint,
} from '../support/webhook/webhook-endpoint.ts';

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The simulator's table (contract 9.4): where each message ends, and the events on its way. */
const outcomes = [
  { to: '+447700900123', end: 'delivered', events: ['sms.delivered', 'sms.sent'] },
  { to: '+15005550001', end: 'failed', events: ['sms.failed'] },
  { to: '+15005550002', end: 'failed', events: ['sms.failed', 'sms.sent'] },
  { to: '+15005550003', end: 'expired', events: ['sms.expired', 'sms.sent'] },
  { to: '+15005550005', end: 'delivered', events: ['sms.delivered', 'sms.sent'] },
  {
    to: '+15005550005',
    channel: 'whatsapp',
    end: 'read',
    events: ['whatsapp.delivered', 'whatsapp.read', 'whatsapp.sent'],
  },
  {
    to: '+15005550003',
    channel: 'whatsapp',
    end: 'expired',
    events: ['whatsapp.failed', 'whatsapp.sent'],
  },
  { to: '+15005550006', end: 'delivered', events: ['sms.delivered', 'sms.sent'] },
  { to: '+15005550007', end: 'delivered', events: ['sms.delivered', 'sms.sent'] },
] as const;

/** Left without a receipt, it ends by the clock alone. */
const silent = { to: '+15005550004', validitySeconds: 15, events: ['sms.expired', 'sms.sent'] };

let webhookEndpoint: WebhookEndpoint;
let client: TestClient;
let silentMessage: Promise<string>;
const sent = new Map<string, string>();

/**
 * A message that was handed over within its validity, which is longer each time that a busy machine was too slow.
 * Resolves once it is on its way.
 */
async function sendSilent(): Promise<string> {
  for (let validity_period = silent.validitySeconds; ; validity_period *= 2) {
    const fields = { to: silent.to, webhook_url: webhookEndpoint.url, validity_period };
    const messageId = await client.send(fields);
    const history = await eventually(async () => {
      const seen = await client.status(messageId);
      return seen.status === 'sent' || seen.status === 'expired' ? seen.history : undefined;
    });
    if (history.some(({ status }) => status === 'sent')) return messageId;
  }
}

/** What takes its time by the clock begins here, and the other tests pass meanwhile. */
beforeAll(async () => {
  webhookEndpoint = await startWebhookEndpoint();
  client = await newClient();
  silentMessage = sendSilent();
  // It fails where a test waits for it.
  silentMessage.catch(() => undefined);
  // One after another, because the emulator starts a process for each request that is sent at the same time.
  for (const outcome of outcomes) {
    const path = 'channel' in outcome ? '/api/v1/whatsapp/send' : '/api/v1/sms/send';
    sent.set(keyOf(outcome), await client.send({ to: outcome.to, webhook_url: webhookEndpoint.url }, path));
  }
});
afterAll(async () => {
  await webhookEndpoint.close();
});

describe('a message over HTTP', () => {
  it('walks from a token to delivered, and both webhooks arrive with signatures that hold', async () => {
    const { client_id, client_secret, webhook_secret } = gateway();
    const token = await requestToken(client_id, client_secret);
    expect(token).toMatchObject({ status: 200, body: { token_type: 'bearer', expires_in: 3600 } });
    const headers = { Authorization: `Bearer ${String(token.body.access_token)}` };
    const body = {
      to: '+447700900124',
      message: 'Grüße',
      webhook_url: webhookEndpoint.url,
      reference: 'order-42',
    };
    const accepted = await call('POST', '/api/v1/sms/send', { body, headers });
    expect(accepted.status).toBe(202);
    expect(accepted.body).toEqual({
      message_id: expect.stringMatching(/^msg_[0-9A-HJKMNP-TV-Z]{26}$/),
      status: 'queued',
      channel: 'sms',
      recipient: '+447700900124',
      encoding: 'GSM-7',
      segments: 1,
      reference: 'order-42',
      created_at: expect.stringMatching(isoTime),
    });
    const id = String(accepted.body.message_id);
    const status = await eventually(
      async () => {
        const seen = await call('GET', `/api/v1/sms/status/${id}`, { headers });
        return seen.body.status === 'delivered' ? seen.body : undefined;
      },
      { everyMilliseconds: 500 },
    );
    expect(status).toMatchObject({
      client_id,
      error: null,
      cost: expect.any(Number),
      currency: 'USD',
      history: [{ status: 'queued' }, { status: 'sent' }, { status: 'delivered' }],
    });

    await webhookEndpoint.eventsOnce(id, 2);
    const posts = webhookEndpoint.postsOf(id);
    const bodies = posts
      .map((post) => verifiedBody(post, webhook_secret))
      .toSorted((a, b) => (a.event < b.event ? 1 : -1));
    const data = {
      message_id: id,
      recipient: '+447700900124',
      sent_at: status.sent_at,
      cost: status.cost,
      currency: 'USD',
      reference: 'order-42',
      client_id,
    };
    // Exactly these fields: what is not known yet is left out.
    expect(bodies).toEqual([
      { event: 'sms.sent', timestamp: status.sent_at, data: { ...data, status: 'sent' } },
      {
        event: 'sms.delivered',
        timestamp: status.delivered_at,
        data: { ...data, status: 'delivered', delivered_at: status.delivered_at },
      },
    ]);
    for (const { headers: given } of posts) {
      expect(given['content-type']).toBe('application/json');
      expect(given['user-agent']).toMatch(/^messaging-gateway\/\d/);
      expect(given['webhook-id']).toMatch(/^whd_/);
    }
  });

  it.each(outcomes.map((outcome) => [keyOf(outcome), outcome] as const))(
    'to %s ends as the simulator’s table says, with one event for each state',
    async (key, outcome) => {
      const id = sent.get(key) ?? '';
      const status = await client.statusOnce(id, outcome.end);
      expect(await webhookEndpoint.eventsOnce(id, outcome.events.length)).toEqual(outcome.events);
      for (const post of webhookEndpoint.postsOf(id)) {
        const { data, event } = verifiedBody(post, client.webhookSecret);
        const failure = event.endsWith('.failed') || event.endsWith('.expired');
        expect(data).toMatchObject(
          failure ? { error_code: expect.any(String), error_message: expect.any(String) } : {},
        );
        if (!failure) expect(data).not.toHaveProperty('error_code');
        expect('read_at' in data).toBe(event === 'whatsapp.read');
      }
      if (outcome.end === 'failed' || outcome.end === 'expired') {
        expect(status.error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
      }
    },
  );

  it('without any receipt expires within two minutes after its validity', async () => {
    let lateMs = await expiryOf(await silentMessage);
    // Once more where a busy machine had no time for the run of a minute.
    for (let again = 0; again < 3 && lateMs > 120_000; again += 1)
      lateMs = await expiryOf(await sendSilent());
    expect(lateMs).toBeLessThanOrEqual(120_000);
  });

  /** How late it expired, in milliseconds. */
  async function expiryOf(messageId: string): Promise<number> {
    const status = await client.statusOnce(messageId, 'expired');
    const lateMs = Date.parse(String(status.history.at(-1)?.at)) - Date.parse(String(status.expires_at));
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(await webhookEndpoint.eventsOnce(messageId, silent.events.length)).toEqual(silent.events);
    return lateMs;
  }
});

function keyOf(outcome: { readonly to: string; readonly channel?: string }): string {
  return `${outcome.to} by ${outcome.channel ?? 'sms'}`;
}
