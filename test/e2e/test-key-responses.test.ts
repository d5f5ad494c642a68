/** The same requests with a live token and with a test key of one client have the same responses (contract, section 17). */
import { afterAll, expect, it } from '@jest/globals';
import { freshNumber, outboxOf } from '../support/carrier/outbox.ts';
import { documentClient, eventually, gateway } from '../support/gateway/gateway.ts';
import { newClient, type TestClient, withTestKey, withToken } from '../support/http/client.ts';
import { inSeconds } from '../support/http/expected-responses.ts';
import type { CallResponse } from '../support/http/http-call.ts';
import { putLimits } from '../support/rate-limit/put-limits.ts';
import { startWebhookEndpoint, type WebhookEndpoint } from '../support/webhook/webhook-endpoint.ts';

const servers: WebhookEndpoint[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

type ReadOutbox = (to: string) => Promise<readonly { readonly body: string }[]>;

/** Makes each kind of request once or more, one after another, and returns the responses by name. */
async function responsesOf(client: TestClient, readOutbox: ReadOutbox): Promise<Map<string, CallResponse>> {
  const responses = new Map<string, CallResponse>();
  const ask = async (name: string, method: string, path: string, body?: unknown, key?: string) => {
    const response = await client.call(method, `/api/v1/${path}`, { body, key });
    responses.set(name, response);
    return response.body;
  };
  const once = async (name: string, path: string, seen: (body: CallResponse['body']) => boolean) => {
    const response = await eventually(async () => {
      const one = await client.call('GET', `/api/v1/${path}`);
      return seen(one.body) ? one : undefined;
    });
    responses.set(name, response);
  };
  const to = freshNumber();
  const scheduled_at = inSeconds(3600);
  const sms = { to, message: 'Hello', reference: 'order-1' };

  const sent = await ask('send', 'POST', 'sms/send', sms, 'key-1');
  await ask('the send again', 'POST', 'sms/send', sms, 'key-1');
  await ask('its key with another body', 'POST', 'sms/send', { ...sms, message: 'Other' }, 'key-1');
  await once('status', `sms/status/${sent.message_id}`, ({ status }) => status === 'delivered');
  await ask('status of no message', 'GET', 'sms/status/msg_01KC9V7Q8Z4N6M2R5T8W1Y3X0A');
  await ask('dry run', 'POST', 'sms/send?dry_run=true', sms);
  await ask('invalid send', 'POST', 'sms/send', { to: '12', message: '' });
  const later = await ask('scheduled send', 'POST', 'sms/send', { ...sms, to: freshNumber(), scheduled_at });
  await ask('cancel', 'DELETE', `messages/${later.message_id}`);
  await ask('cancel what was delivered', 'DELETE', `messages/${sent.message_id}`);
  const refused = await ask('refused by the carrier', 'POST', 'sms/send', { ...sms, to: '+15005550001' });
  await once('its status', `sms/status/${refused.message_id}`, ({ status }) => status === 'failed');
  const fallback = [{ channel: 'sms' }];
  await ask('send by WhatsApp', 'POST', 'whatsapp/send', { ...sms, to: freshNumber(), fallback });
  await ask('invalid send by WhatsApp', 'POST', 'whatsapp/send', { to, type: 'template' });
  const bulk = { message: 'Hello', recipients: [freshNumber(), '12'] };
  const batch = await ask('bulk', 'POST', 'sms/bulk', bulk);
  await once('its progress', `sms/status/${batch.batch_id}`, ({ counts }) =>
    JSON.stringify(counts).includes('"delivered":1'),
  );
  await ask('invalid bulk', 'POST', 'sms/bulk', { message: 'Hello', recipients: [] });
  await ask('bulk over the limit', 'POST', 'sms/bulk', bulk);
  await ask('list', 'GET', 'messages?reference=order-1&limit=2');
  await ask('invalid list', 'GET', 'messages?limit=0&status=lost');

  const person = freshNumber();
  const { otp_id } = await ask('one-time password', 'POST', 'otp/send', { to: person });
  const [entry] = await eventually(async () => {
    const entries = await readOutbox(person);
    return entries.length > 0 ? entries : undefined;
  });
  const code = /\d{6}/.exec(entry?.body ?? '')?.[0];
  await ask('wrong code', 'POST', 'otp/verify', { otp_id, code: code === '000000' ? '000001' : '000000' });
  await ask('right code', 'POST', 'otp/verify', { otp_id, code });
  await ask('the code again', 'POST', 'otp/verify', { otp_id, code });
  await ask('invalid code', 'POST', 'otp/verify', {});

  await ask('suppress', 'PUT', `suppressions/${person}`);
  const stopped = await ask('send to one who opted out', 'POST', 'sms/send', { ...sms, to: person });
  await once('status of that', `sms/status/${stopped.message_id}`, ({ status }) => status === 'failed');
  await ask('suppressions', 'GET', 'suppressions');
  await ask('end the suppression', 'DELETE', `suppressions/${person}`);
  await ask('end it again', 'DELETE', `suppressions/${person}`);

  // Each has a server of its own: a log shows no time to connect where a connection is used again.
  const server = await startWebhookEndpoint();
  servers.push(server);
  const { endpoint_id } = await ask('create an endpoint', 'POST', 'webhook-endpoints', { url: server.url });
  await ask('invalid endpoint', 'POST', 'webhook-endpoints', { url: 'ftp://127.0.0.1/' });
  await ask('endpoints', 'GET', 'webhook-endpoints');
  const one = `webhook-endpoints/${endpoint_id}`;
  await ask('endpoint', 'GET', one);
  await ask('change it', 'PATCH', one, { enabled: true });
  const { delivery_id } = await ask('test event', 'POST', `${one}/test`, {});
  await once('its delivery', `webhook-deliveries/${delivery_id}`, ({ state }) => state === 'acknowledged');
  await ask('deliveries', 'GET', `webhook-deliveries?endpoint_id=${endpoint_id}&limit=1`);
  await ask('remove it', 'DELETE', one);

  await ask('account', 'GET', 'account');
  await ask('invalid account', 'PATCH', 'account', { webhook_url: 'x' });
  await once('usage', 'account/usage', ({ usage }) => deliveredIn(usage) >= 4);
  await ask('no such operation', 'GET', 'nothing');
  return responses;
}

/** How many messages are counted as delivered: two SMS, one by WhatsApp and the one-time password. */
function deliveredIn(usage: unknown): number {
  const counts = JSON.stringify(usage).matchAll(/"delivered":(\d+)/g);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The names of a body's fields at any depth; the items of a list are taken together. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => fieldsOf(item, `${path}[]`)))];
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, field]) => fieldsOf(field, `${path}.${name}`));
}

it('each request with a test key has the status and the fields of one with a live token, apart from mode', async () => {
  const live = await withToken(await newClient());
  const dynamo = documentClient();
  const limits = { perMinute: 2, perHour: 2, perDay: 2 };
  await putLimits(dynamo, gateway().tables.limit_overrides ?? '', live.clientId, 'sms_bulk', limits);
  dynamo.destroy();
  const test = await withTestKey(live);
  const [ofLive, ofTest] = await Promise.all([
    responsesOf(live, outboxOf),
    responsesOf(test, async (to) => {
      const { body } = await test.call('GET', `/api/v1/test/outbox?to=${encodeURIComponent(to)}`);
      return body.messages as { body: string }[];
    }),
  ]);
  const shapes = (responses: Map<string, CallResponse>) =>
    [...responses].map(([name, { status, body }]) => ({
      name,
      status,
      fields: fieldsOf(body).filter((path) => !path.endsWith('.mode')),
    }));
  expect(shapes(ofTest)).toEqual(shapes(ofLive));
  const statuses = new Set([...ofLive.values()].map(({ status }) => status));
  expect([...statuses].toSorted((one, other) => one - other)).toEqual([
    200, 201, 202, 400, 404, 409, 422, 429,
  ]);
});
