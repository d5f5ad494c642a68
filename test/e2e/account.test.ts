import { describe, expect, it } from '@jest/globals';
import type { Activity } from '../../shared/activity/write-activity.dynamo.ts';
import { adminToken, call, newClient, withToken } from '../support/http/client.ts';

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
});
