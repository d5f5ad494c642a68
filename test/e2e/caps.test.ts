import { describe, expect, it } from '@jest/globals';
import { periodAt } from '../../shared/usage/period.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import { withinOne } from '../support/gateway/within-one-period.ts';
import { adminToken, call, newClient, type TestClient } from '../support/http/client.ts';
import { expectRefusal } from '../support/http/expected-responses.ts';
import { type CallResponse, timeLimitMs } from '../support/http/http-call.ts';

const message = 'Hello';
const sends: readonly (readonly [path: string, recipients: number, body: () => object])[] = [
  ['/api/v1/sms/send', 1, () => ({ to: freshNumber(), message })],
  ['/api/v1/sms/bulk', 2, () => ({ message, recipients: [freshNumber(), freshNumber(), '+33'] })],
  ['/api/v1/whatsapp/send', 1, () => ({ to: freshNumber(), message })],
  ['/api/v1/otp/send', 1, () => ({ to: freshNumber() })],
];
/** At the local stage's price of a segment. */
const costOf = (segments: number): number => Math.round(segments * 4200) / 1e6;

function expectCapRefusal(response: CallResponse, error: string): void {
  expectRefusal(response, 429, error);
  expect(Number(response.headers.get('retry-after'))).toBe(response.body.retry_after);
  const monthEnds = periodAt('month', new Date()).to.getTime() / 1000;
  const waitedFor = Date.now() / 1000 + Number(response.body.retry_after);
  // It counts from when the gateway answered.
  expect(waitedFor - monthEnds).toBeGreaterThan(-1);
  expect(waitedFor - monthEnds).toBeLessThan(timeLimitMs / 1000);
  // Those of the rate limit, which has room.
  expect(Number(response.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);
}

async function messageCount(client: TestClient): Promise<number> {
  const { body } = await client.call('GET', '/api/v1/messages?limit=100');
  return (body.messages as unknown[]).length;
}

describe.each(sends)('%s', (path, recipients, body) => {
  it('counts its recipients; a request without room is 429 and stores nothing; a repeat is no further count', () =>
    withinOne('month', async () => {
      // The second request reaches 80 % of the spend cap, which its function notes.
      const spend = { per_day: costOf(2.4 * recipients) };
      const client = await newClient({ caps: { messages: { per_month: 2 * recipients }, spend } });
      const keyed = body();
      const first = await client.post(path, keyed, 'k');
      expect(first.status).toBe(202);
      expect((await client.post(path, keyed, 'k')).headers.get('idempotent-replayed')).toBe('true');
      expect((await client.post(path, body())).status).toBe(202);
      const before = await messageCount(client);
      expectCapRefusal(await client.post(path, body()), 'message_limit_reached');
      expectCapRefusal(await client.post(path, body(), 'k2'), 'message_limit_reached');
      expect(await messageCount(client)).toBe(before);
      const again = await client.post(path, keyed, 'k');
      expect([again.status, again.text]).toEqual([202, first.text]);
    }));
});

it('a cap is shown with its use to the client, and to administrators', () =>
  withinOne('month', async (month) => {
    const client = await newClient({ caps: { messages: { per_month: 10 }, spend: { per_month: 5 } } });
    await client.send({});
    await client.send({});
    const ofClient = await client.call('GET', '/api/v1/account/usage');
    const resets_at = month.to.toISOString();
    const caps = [
      { cap: 'messages', window: 'month', limit: 10, used: 2, resets_at },
      { cap: 'spend', window: 'month', limit: 5, used: costOf(2), resets_at },
    ];
    expect(ofClient.body.caps).toEqual(caps);

    const credential = await adminToken();
    const path = `/admin/api/clients/${client.clientId}/limits/explain`;
    const { endpoints } = (await call('GET', path, { credential })).body as {
      endpoints: { cap: string | null; windows: object[] }[];
    };
    expect(
      endpoints
        .filter(({ cap }) => cap !== null)
        .flatMap(({ cap, windows }) => windows.map((window) => ({ cap, ...window }))),
    ).toEqual(caps.map((cap) => ({ ...cap, from: 'row' })));
  }));
