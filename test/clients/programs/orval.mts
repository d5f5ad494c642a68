/** Calls every operation with the functions that orval generates, which use axios. */
import assert from 'node:assert/strict';
import axios from 'axios';
import * as gateway from './orval/client';

const { BASE_URL = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;
const to = '+447700900123';
axios.defaults.baseURL = BASE_URL;

const { data: token } = await gateway.issueToken({
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  grant_type: 'client_credentials',
});
axios.defaults.headers.common.Authorization = `Bearer ${token.access_token}`;

const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
const { data: sms } = await gateway.sendSms({ to, message: 'Hello', scheduled_at });
const { data: found } = await gateway.getMessageStatus(sms.message_id);
assert.ok(found.message_id === sms.message_id && found.status === gateway.MessageStatus.scheduled);
assert.equal((await gateway.cancelMessage(sms.message_id)).data.status, 'canceled');

const recipients = [{ to, variables: { name: 'Ada', count: 2 } }, '+33'];
const { data: batch } = await gateway.sendBulkSms({ message: 'Hello {{name}}', recipients });
assert.deepEqual([batch.accepted, batch.errors[0]?.index], [1, 1]);
const { data: counts } = await gateway.getMessageStatus(batch.batch_id);
assert.ok(counts.batch_id === batch.batch_id && counts.total === 2);

const parameters = { header: 'Hello', body: ['Ada', 'today'] };
const template = { name: 'parcel', language: 'en_GB', parameters };
assert.equal((await gateway.sendWhatsapp({ to, type: 'template', template })).status, 202);
const { otp_id } = (await gateway.sendOtp({ to })).data;
assert.equal((await gateway.verifyOtp({ otp_id, code: '0000' })).data.verified, false);
assert.ok((await gateway.listMessages({ channel: 'sms', limit: 2 })).data.messages.length > 0);
const webhook_url = 'https://example.com/webhooks';
assert.equal((await gateway.updateAccount({ webhook_url })).data.webhook_url, webhook_url);
assert.equal((await gateway.getAccount()).data.client_id, CLIENT_ID);
assert.ok(Array.isArray((await gateway.getUsage({ interval: 'day' })).data.usage));
assert.match((await gateway.rotateWebhookSecret()).data.webhook_secret, /^whsec_/);

const refused = await gateway.sendSms({ to: '1', message: 'x' }).catch((error) => error);
assert.ok(axios.isAxiosError<{ details: { field: string }[] }>(refused));
assert.equal(refused.response?.data.details[0]?.field, 'to');
