/** The contract’s examples of one-time passwords over HTTP, on the deployed gateway: sent, verified once, refused. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshNumber, outboxOnce } from '../support/carrier/outbox.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { expectRefusal, idOf, time } from '../support/http/expected-responses.ts';

let client: TestClient;
let stranger: TestClient;
beforeAll(async () => {
  [client, stranger] = await Promise.all([newClient(), newClient()]);
});

describe('one-time passwords', () => {
  it('go out with a code, and are verified by it once', async () => {
    const to = freshNumber();
    const sent = await client.post('/api/v1/otp/send', { to, reference: 'login-1' });
    expect(sent.status).toBe(202);
    expect(sent.body).toEqual({
      otp_id: idOf('otp'),
      message_id: idOf('msg'),
      status: 'pending',
      channel: 'sms',
      recipient: to,
      reference: 'login-1',
      expires_at: time,
      attempts_remaining: 5,
    });
    const [entry] = await outboxOnce(to, 1);
    const code = /\d{6}/.exec(entry?.body ?? '')?.[0] ?? '';
    const { otp_id } = sent.body;
    const verify = (body: object) => client.post('/api/v1/otp/verify', body);
    const other = code === '000000' ? '000001' : '000000';
    const wrong = await verify({ otp_id, code: other });
    expect(wrong).toMatchObject({
      status: 200,
      body: { otp_id, verified: false, status: 'pending', attempts_remaining: 4 },
    });
    expectRefusal(await stranger.post('/api/v1/otp/verify', { otp_id, code }), 404, 'not_found');
    const right = await verify({ to, code });
    expect(right.body).toEqual({ otp_id, verified: true, status: 'verified' });
    expectRefusal(await verify({ otp_id, code }), 409, 'otp_already_used');
  });

  it('are refused beyond five sends to a recipient in a window, with the headers of that limit', async () => {
    const to = freshNumber();
    const responses = await Promise.all(
      Array.from({ length: 11 }, () => client.post('/api/v1/otp/send', { to })),
    );
    // The window may change meanwhile.
    expect([5, 6, 7, 8, 9, 10]).toContain(responses.filter(({ status }) => status === 202).length);
    for (const refused of responses.filter(({ status }) => status !== 202)) {
      expectRefusal(refused, 429, 'rate_limit_exceeded');
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBe(refused.body.retry_after);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(600);
      expect(refused.headers.get('x-ratelimit-policy')).toBe('5;w=600;comment=otp_recipient');
      expect(refused.headers.get('x-ratelimit-limit')).toBe('5');
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    }
  });

  it('are refused with all faulty fields, and where the code is unknown', async () => {
    const wrong = {
      to: '1',
      channel: 'fax',
      code_length: 3,
      ttl: 59,
      max_attempts: 0,
      purpose: 'a b',
      template: 'no code',
    };
    expectRefusal(await client.post('/api/v1/otp/send', wrong), 400, 'invalid_request', Object.keys(wrong));
    expectRefusal(await client.post('/api/v1/otp/verify', {}), 400, 'invalid_request', ['code', 'otp_id']);
    const unknown = { otp_id: 'otp_01KAFF00000000000000000000', code: '123456' };
    expectRefusal(await client.post('/api/v1/otp/verify', unknown), 404, 'not_found');
  });
});
