/** A client sees its account over HTTP, and changes its webhook URL and secret. */
import { describe, expect, it } from '@jest/globals';
import { expectRefusal, time } from '../support/expected-answers.ts';
import { sendingClient } from '../support/sending-client.ts';

describe('the account', () => {
  it('is shown with its limits; its webhook URL can be set and removed, nothing else', async () => {
    const own = await sendingClient();
    const shown = await own.call('GET', '/api/v1/account');
    expect(shown.body).toMatchObject({ client_id: own.clientId, name: 'Sender', webhook_url: null });
    const { limits } = shown.body as { limits: Record<string, unknown> };
    expect(limits['POST /api/v1/sms/send']).toEqual({
      per_minute: 20_000,
      per_hour: 1_000_000,
      per_day: 10_000_000,
    });
    const change = (body: unknown) => own.call('PATCH', '/api/v1/account', { body });
    const url = 'https://example.com/hook';
    expect((await change({ webhook_url: url, name: 'Other' })).body).toMatchObject({
      webhook_url: url,
      name: 'Sender',
    });
    expect((await change({})).body).toMatchObject({ webhook_url: url });
    expectRefusal(await change({ webhook_url: 'ftp://example.com' }), 400, 'invalid_request', [
      'webhook_url',
    ]);
    expectRefusal(await change({ webhook_url: 7 }), 400, 'invalid_request', ['webhook_url']);
    expect((await change({ webhook_url: null })).body).toMatchObject({ webhook_url: null });
  });

  it('gives a new webhook secret once, the one before beside it for 24 hours', async () => {
    const own = await sendingClient();
    const before = Date.now();
    const answer = await own.call('POST', '/api/v1/account/webhook-secret');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      created_at: time,
      active_at: time,
      previous_secret_expires_at: time,
    });
    expect(answer.body.webhook_secret).not.toBe(own.webhookSecret);
    const ends = Date.parse(String(answer.body.previous_secret_expires_at));
    const activeAt = Date.parse(String(answer.body.active_at));
    expect(activeAt - Date.parse(String(answer.body.created_at))).toBe(60_000);
    expect(ends - activeAt).toBe(86_400_000);
    expect(ends).toBeGreaterThan(before);
  });
});
