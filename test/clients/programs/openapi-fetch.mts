/** Calls every operation with openapi-fetch, typed by openapi-typescript. */
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { paths } from './schema';

const { BASE_URL: baseUrl = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;
const to = '+447700900123';

function expected<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  assert.ok(data !== undefined, JSON.stringify(error));
  return data;
}

const body = {
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  grant_type: 'client_credentials',
} as const;
const { access_token } = expected(
  await createClient<paths>({ baseUrl }).POST('/api/v1/auth/token', { body }),
);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${access_token}` } });

const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
const sms = expected(await client.POST('/api/v1/sms/send', { body: { to, message: 'Hello', scheduled_at } }));
const path = { message_id: sms.message_id };
const found = expected(await client.GET('/api/v1/sms/status/{message_id}', { params: { path } }));
assert.ok(found.message_id === sms.message_id && found.status === 'scheduled');
const canceled = expected(await client.DELETE('/api/v1/messages/{message_id}', { params: { path } }));
assert.equal(canceled.status, 'canceled');

const recipients = [{ to, variables: { name: 'Ada', count: 2 } }, '+33'];
const batch = expected(
  await client.POST('/api/v1/sms/bulk', { body: { message: 'Hello {{name}}', recipients } }),
);
assert.deepEqual([batch.accepted, batch.errors[0]?.index], [1, 1]);
const status = expected(
  await client.GET('/api/v1/sms/status/{message_id}', { params: { path: { message_id: batch.batch_id } } }),
);
assert.ok(status.batch_id === batch.batch_id && status.total === 2);

const template = {
  name: 'parcel',
  language: 'en_GB',
  parameters: { header: 'Hello', body: ['Ada', 'today'] },
};
expected(await client.POST('/api/v1/whatsapp/send', { body: { to, type: 'template', template } }));
const { otp_id } = expected(await client.POST('/api/v1/otp/send', { body: { to } }));
const result = expected(await client.POST('/api/v1/otp/verify', { body: { otp_id, code: '0000' } }));
assert.equal(result.verified, false);

const query = { channel: 'sms', limit: 2 } as const;
assert.ok(expected(await client.GET('/api/v1/messages', { params: { query } })).messages.length > 0);
const webhook_url = 'https://example.com/webhooks';
const account = expected(await client.PATCH('/api/v1/account', { body: { webhook_url } }));
assert.equal(account.webhook_url, webhook_url);
expected(await client.GET('/api/v1/account'));
expected(await client.GET('/api/v1/account/usage', { params: { query: { interval: 'day' } } }));
expected(await client.POST('/api/v1/account/webhook-secret'));

const { error } = await client.POST('/api/v1/sms/send', { body: { to: '1', message: 'x' } });
assert.equal(error?.details?.[0]?.field, 'to');
