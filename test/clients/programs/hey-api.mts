/** Calls every operation with the functions that hey-api generates. */
import assert from 'node:assert/strict';
import { client } from './hey-api/client.gen';
import * as gateway from './hey-api/sdk.gen';

const { BASE_URL: baseUrl = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;
const to = '+447700900123';
client.setConfig({ baseUrl });

function expected<Data>({ data, error }: { data?: Data | undefined; error?: unknown }): Data {
  assert.ok(data !== undefined, JSON.stringify(error));
  return data;
}

const credentials = {
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  grant_type: 'client_credentials',
} as const;
const { access_token } = expected(await gateway.issueToken({ body: credentials }));
client.setConfig({ baseUrl, auth: access_token });

const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
const { message_id } = expected(await gateway.sendSms({ body: { to, message: 'Hello', scheduled_at } }));
const found = expected(await gateway.getMessageStatus({ path: { message_id } }));
assert.ok(found.message_id === message_id && found.status === 'scheduled');
assert.equal(expected(await gateway.cancelMessage({ path: { message_id } })).status, 'canceled');

const recipients = [{ to, variables: { name: 'Ada', count: 2 } }, '+33'];
const batch = expected(await gateway.sendBulkSms({ body: { message: 'Hello {{name}}', recipients } }));
assert.deepEqual([batch.accepted, batch.errors[0]?.index], [1, 1]);
const counts = expected(await gateway.getMessageStatus({ path: { message_id: batch.batch_id } }));
assert.ok(counts.batch_id === batch.batch_id && counts.total === 2);

const parameters = { header: 'Hello', body: ['Ada', 'today'] };
const template = { name: 'parcel', language: 'en_GB', parameters };
expected(await gateway.sendWhatsapp({ body: { to, type: 'template', template } }));
const { otp_id } = expected(await gateway.sendOtp({ body: { to } }));
assert.equal(expected(await gateway.verifyOtp({ body: { otp_id, code: '0000' } })).verified, false);
assert.ok(expected(await gateway.listMessages({ query: { channel: 'sms', limit: 2 } })).messages.length > 0);
const webhook_url = 'https://example.com/webhooks';
assert.equal(expected(await gateway.updateAccount({ body: { webhook_url } })).webhook_url, webhook_url);
expected(await gateway.getAccount());
expected(await gateway.getUsage({ query: { interval: 'day' } }));
expected(await gateway.rotateWebhookSecret());

const { error } = await gateway.sendSms({ body: { to: '1', message: 'x' } });
assert.equal(error?.details?.[0]?.field, 'to');
