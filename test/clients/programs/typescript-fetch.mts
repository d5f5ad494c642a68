/** Calls every operation with the classes that openapi-generator makes for typescript-fetch. */
import assert from 'node:assert/strict';
import * as gateway from './typescript-fetch/index';

const { BASE_URL: basePath = '', CLIENT_ID: clientId = '', CLIENT_SECRET: clientSecret = '' } = process.env;
const to = '+447700900123';

const anyone = new gateway.AuthenticationApi(new gateway.Configuration({ basePath }));
const tokenRequest = { clientId, clientSecret, grantType: 'client_credentials' } as const;
const { accessToken } = await anyone.issueToken({ tokenRequest });
const configuration = new gateway.Configuration({ basePath, accessToken });
const sending = new gateway.SendingApi(configuration);
const messages = new gateway.MessagesApi(configuration);
const passwords = new gateway.OneTimePasswordsApi(configuration);
const accounts = new gateway.AccountApi(configuration);

const scheduledAt = new Date(Date.now() + 3_600_000);
const { messageId } = await sending.sendSms({ smsMessage: { to, message: 'Hello', scheduledAt } });
const found = await messages.getMessageStatus({ messageId });
assert.ok(found.messageId === messageId && found.status === gateway.MessageStatus.Scheduled);
assert.equal((await messages.cancelMessage({ messageId })).status, gateway.MessageStatus.Canceled);

const recipients = [{ to, variables: { name: 'Ada', count: 2 } }, '+33'];
const batch = await sending.sendBulkSms({ bulkSms: { message: 'Hello {{name}}', recipients } });
assert.deepEqual([batch.accepted, batch.errors[0]?.index], [1, 1]);
const counts = await messages.getMessageStatus({ messageId: batch.batchId });
assert.ok(counts.batchId === batch.batchId && counts.total === 2);

const parameters = { header: 'Hello', body: ['Ada', 'today'] };
const template = { name: 'parcel', language: 'en_GB', parameters };
await sending.sendWhatsapp({ whatsappMessage: { to, type: 'template', template } });
const { otpId } = await passwords.sendOtp({ otpMessage: { to } });
assert.equal((await passwords.verifyOtp({ otpVerification: { otpId, code: '0000' } })).verified, false);
assert.ok((await messages.listMessages({ channel: 'sms', limit: 2 })).messages.length > 0);
const webhookUrl = 'https://example.com/webhooks';
assert.equal((await accounts.updateAccount({ accountUpdate: { webhookUrl } })).webhookUrl, webhookUrl);
assert.equal((await accounts.getAccount()).clientId, clientId);
assert.ok(Array.isArray((await accounts.getUsage({ interval: 'day' })).usage));
assert.match((await accounts.rotateWebhookSecret()).webhookSecret, /^whsec_/);

const refused = await sending.sendSms({ smsMessage: { to: '1', message: 'x' } }).catch((error) => error);
assert.ok(refused instanceof gateway.ResponseError);
assert.equal(gateway.ErrorResponseFromJSON(await refused.response.json()).details?.[0]?.field, 'to');
