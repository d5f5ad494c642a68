/** A client sees its account over HTTP, and changes its webhook URL and secret. */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { Activity } from '../../shared/activity/activity-log.ts';
import { type Route, routes } from '../../shared/contract/routes.ts';
import { documentClient, gateway } from '../support/gateway/gateway.ts';
import { adminToken, call, newClient } from '../support/http/client.ts';
import { expectRefusal, time } from '../support/http/expected-responses.ts';

/** A body with which each route of the account changes something. */
const changes: Readonly<Record<string, unknown>> = {
  'PATCH /api/v1/account': { webhook_url: 'https://example.com/hook' },
  'POST /api/v1/account/webhook-secret': {},
};

/** Without the limits that tests set in the table. */
async function activityOf(clientId: string): Promise<Activity[]> {
  const { body } = await call('GET', `/admin/api/activity?client_id=${clientId}&limit=100`, {
    credential: await adminToken(),
  });
  return (body.entries as Activity[]).filter(({ kind }) => kind !== 'limits_set');
}

describe('the account', () => {
  it('is shown with its limits; its webhook URL can be set and removed, nothing else', async () => {
    const own = await newClient();
    const shown = await own.call('GET', '/api/v1/account');
    expect(shown.body).toMatchObject({ client_id: own.clientId, name: 'Test', webhook_url: null });
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
      name: 'Test',
    });
    expect((await change({})).body).toMatchObject({ webhook_url: url });
    expectRefusal(await change({ webhook_url: 'ftp://example.com' }), 400, 'invalid_request', [
      'webhook_url',
    ]);
    expectRefusal(await change({ webhook_url: 7 }), 400, 'invalid_request', ['webhook_url']);
    expect((await change({ webhook_url: null })).body).toMatchObject({ webhook_url: null });
  });

  it('shows a new webhook secret once, and keeps the previous one for 24 hours', async () => {
    const own = await newClient();
    const before = Date.now();
    const response = await own.call('POST', '/api/v1/account/webhook-secret');
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.body).toEqual({
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      created_at: time,
      active_at: time,
      previous_secret_expires_at: time,
    });
    expect(response.body.webhook_secret).not.toBe(own.webhookSecret);
    const ends = Date.parse(String(response.body.previous_secret_expires_at));
    const activeAt = Date.parse(String(response.body.active_at));
    expect(activeAt - Date.parse(String(response.body.created_at))).toBe(60_000);
    expect(ends - activeAt).toBe(86_400_000);
    expect(ends).toBeGreaterThan(before);
  });

  it('ends older webhook secrets when the new one signs, after a leak, and refuses an overlap beyond a week', async () => {
    const own = await newClient();
    const rotate = (overlap_hours: number) =>
      own.call('POST', '/api/v1/account/webhook-secret', { body: { overlap_hours } });
    expectRefusal(await rotate(169), 400, 'invalid_request', ['overlap_hours']);
    const { body } = await rotate(0);
    expect(body.previous_secret_expires_at).toBe(body.active_at);
  });

  const changing = Object.values<Route>(routes)
    .filter(({ policy, method }) => policy === 'account' && method !== 'GET')
    .map(({ method, path }) => ({ method, path }));

  it.each(changing)('is never changed without an entry in the activity log: $method $path', async (route) => {
    const own = await newClient();
    const body = changes[`${route.method} ${route.path}`];
    expect((await own.call(route.method, route.path, { body })).status).toBe(200);
    expect(await activityOf(own.clientId)).toMatchObject([{ client_id: own.clientId, actor: own.clientId }]);
  });

  it('has in the activity log what its URL was before and after, and no secret', async () => {
    const own = await newClient();
    const change = (webhook_url: string | null) =>
      own.call('PATCH', '/api/v1/account', { body: { webhook_url } });
    await change('https://example.com/one');
    await change('https://example.com/one');
    await change('https://example.com/two');
    await change(null);
    const { body } = await own.call('POST', '/api/v1/account/webhook-secret');
    const entries = await activityOf(own.clientId);
    expect(entries.map(({ kind, before, after }) => [kind, before?.webhook_url, after?.webhook_url])).toEqual(
      [
        ['webhook_secret_rotated', undefined, undefined],
        ['webhook_url_changed', 'https://example.com/two', null],
        ['webhook_url_changed', 'https://example.com/one', 'https://example.com/two'],
        ['webhook_url_changed', null, 'https://example.com/one'],
      ],
    );
    expect(JSON.stringify(entries)).not.toContain('whsec_');
    expect(JSON.stringify(entries)).not.toContain(String(body.webhook_secret));
  });
});

it('a client whose row is malformed gets 503, without the reason', async () => {
  const own = await newClient();
  await documentClient().send(
    new UpdateCommand({
      TableName: gateway().tables.clients,
      Key: { client_id: own.clientId },
      UpdateExpression: 'SET countries = :value',
      ExpressionAttributeValues: { ':value': 'GB' },
    }),
  );
  const response = await own.call('GET', '/api/v1/account');
  expectRefusal(response, 503, 'service_unavailable');
  expect(response.text).not.toContain('countries');
});
