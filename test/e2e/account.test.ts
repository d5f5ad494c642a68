import { describe, expect, it } from '@jest/globals';
import type { Activity } from '../../shared/activity/write-activity.dynamo.ts';
import { freshNumber } from '../support/carrier/outbox.ts';
import {
  adminToken,
  call,
  newClient,
  type TestClient,
  withTestKey,
  withToken,
} from '../support/http/client.ts';

/** Without the limits that tests set in the table. */
async function activityOf(clientId: string): Promise<Activity[]> {
  const { body } = await call('GET', `/admin/api/activity?client_id=${clientId}&limit=100`, {
    credential: await adminToken(),
  });
  return (body.entries as Activity[]).filter(({ kind }) => kind !== 'limits_set');
}

describe('the account', () => {
  it('has in the activity log what its URL was before and after, and no secret', async () => {
    const own = await withToken(await newClient());
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

  it('sets smart encoding for its sends, live and test ones, and a request can set it otherwise', async () => {
    const client = await newClient();
    const [own, test] = [await withToken(client), await withTestKey(client)];
    const change = async (sender: TestClient, smart_encoding: boolean | null) =>
      (await sender.call('PATCH', '/api/v1/account', { body: { smart_encoding } })).body;
    // Each function reads the setting for the first time: it keeps what it read for up to 60 s.
    expect(await change(own, true)).toMatchObject({ smart_encoding: true, webhook_url: null });
    const segmentsOf = async (sender: TestClient, more: object = {}) => {
      const sms = { to: freshNumber(), message: `It’s ${'x'.repeat(70)}`, ...more };
      return (await sender.post('/api/v1/sms/send', sms)).body.segments;
    };
    expect(await segmentsOf(own)).toBe(1);
    expect(await segmentsOf(test)).toBe(1);
    expect(await segmentsOf(own, { smart_encoding: false })).toBe(2);
    expect(await change(test, null)).toMatchObject({ smart_encoding: false });
    expect((await own.call('GET', '/api/v1/account')).body).toMatchObject({ smart_encoding: true });
    const changes = (await activityOf(own.clientId)).filter(({ kind }) => kind === 'smart_encoding_changed');
    expect(changes.map(({ before, after }) => [before, after])).toEqual([
      [{ smart_encoding: false }, { smart_encoding: true }],
    ]);
  });
});
