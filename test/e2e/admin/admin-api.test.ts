/** Every operation of the admin API: who may call it, what it answers and never shows, and what it notes of a change. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Activity } from '../../../shared/activity/write-activity.dynamo.ts';
import { secretHash } from '../../../shared/client/client.ts';
import { type AdminApiRouteName, adminApiRoutes } from '../../../shared/contract/admin-api-routes.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { as, type Shop, startShop } from '../../support/admin/shop.ts';
import { freshNumber } from '../../support/carrier/outbox.ts';
import { documentClient, eventually, gateway } from '../../support/gateway/gateway.ts';
import { adminToken, call } from '../../support/http/client.ts';
import { failForGood } from '../../support/webhook/final-failure.ts';

const names = Object.keys(adminApiRoutes) as AdminApiRouteName[];

/** The only answers that may contain a secret: a new one, shown once. */
const showsSecret: ReadonlySet<AdminApiRouteName> = new Set([
  'createClient',
  'rotateClientSecret',
  'rotateWebhookSecret',
  'createApiKey',
]);

const person = freshNumber();

let admin: string;
let client: Shop['client'];
let apiKey: Shop['apiKey'];
let messageId: string;
/** Canceled by the test of every route. */
let scheduledId: string;
let deliveryId: string;
let endpointId: string;
let resendId: string;
let webhookEndpoint: Shop['webhookEndpoint'];

/** The body, of this client where it names one. */
function aboutClient(body: unknown, clientId: unknown): unknown {
  const namesOne = typeof body === 'object' && body !== null && 'client_id' in body;
  return namesOne ? { ...body, client_id: clientId } : body;
}

/** A path of the route that leads somewhere, and a body that it takes. */
function requestOf(name: AdminApiRouteName): { method: string; path: string; body?: unknown } {
  const { method, path } = adminApiRoutes[name];
  const queries: Partial<Record<AdminApiRouteName, string>> = {
    searchMessages: `?client_id=${client.client_id}`,
    search: '?q=order-42',
    listActivity: `?client_id=${client.client_id}`,
  };
  const bodies: Partial<Record<AdminApiRouteName, unknown>> = {
    createClient: { name: 'Another shop' },
    allowOtps: { always: true },
    changeClient: { disabled: false, webhook_url: 'http://127.0.0.1:9/other' },
    setLimits: { endpoint: 'POST /api/v1/sms/bulk', per_minute: 20 },
    removeLimits: { endpoint: 'POST /api/v1/sms/bulk' },
    // Of nothing, because other tests here resend the failed webhook.
    resendWebhookDeliveries: { since: new Date().toISOString() },
    sendInbound: { from: person, text: 'Hello' },
    setSender: { client_id: client.client_id, country: 'GB', identity: 'Shop' },
    removeSender: { client_id: client.client_id, destination: 'sms GB' },
  };
  const filled = path
    .replace('{client_id}', client.client_id ?? '')
    .replace('{key_id}', apiKey.key_id ?? '')
    .replace('{message_id}', name === 'cancelMessage' ? scheduledId : messageId)
    .replace('{delivery_id}', deliveryId)
    .replace('{endpoint_id}', endpointId)
    .replace('{country}', 'GB')
    .replace('{resend_id}', resendId)
    .replace('{recipient}', encodeURIComponent(person));
  const body = bodies[name] ?? (method === 'POST' || method === 'PATCH' ? {} : undefined);
  return { method, path: `${filled}${queries[name] ?? ''}`, ...(body === undefined ? {} : { body }) };
}

/** The id of a message of tomorrow. */
async function schedule(key: unknown): Promise<string> {
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  const body = { to: freshNumber(), message: 'Later', scheduled_at };
  return String((await as(String(key), 'POST', '/api/v1/sms/send', body)).body.message_id);
}

/** As the gateway does it for passwords that nobody verifies. */
async function holdOtps(): Promise<void> {
  const at = new Date().toISOString();
  const dynamo = documentClient();
  await dynamo.send(
    new PutCommand({
      TableName: gateway().tables.otp_holds,
      Item: {
        client_id: client.client_id,
        country: 'GB',
        state: 'held',
        changed_at: at,
        since: at,
        sends: 100,
        verified: 1,
      },
    }),
  );
  dynamo.destroy();
}

beforeAll(async () => {
  admin = await adminToken();
  ({ client, apiKey, messageId, deliveryId, webhookEndpoint } = await startShop(admin, person));
  scheduledId = await schedule(apiKey.api_key);
  await holdOtps();
  const endpoint = await as(apiKey.api_key ?? '', 'POST', '/api/v1/webhook-endpoints', {
    url: webhookEndpoint.url,
    events: ['whatsapp.*'],
  });
  endpointId = String(endpoint.body.endpoint_id);
  const path = `/admin/api/clients/${client.client_id}/webhook-deliveries/resend`;
  const { body } = await as(admin, 'POST', path, { since: new Date().toISOString() });
  resendId = String(body.resend_id);
});
// Until then it refuses what the tests resend.
afterAll(() => webhookEndpoint.close());

describe('the admin API', () => {
  describe.each(names)('%s', (name) => {
    it('is refused to a client of another scope, and without a token', async () => {
      const { method, path, body } = requestOf(name);
      // Other tests here may have revoked the one of before.
      const keys = `/admin/api/clients/${client.client_id}/api-keys`;
      const { api_key } = (await as(admin, 'POST', keys, {})).body;
      const refused = await as(String(api_key), method, path, body);
      expect([refused.status, refused.body.error]).toEqual([403, 'forbidden']);
      const unknown = await call(method, path, body === undefined ? {} : { body });
      expect([unknown.status, unknown.body.error]).toEqual([401, 'unauthorized']);
    });
  });

  it('answers every route, shows no secret but a new one, once, and never a hash', async () => {
    const kept = [client.client_secret, client.webhook_secret, apiKey.api_key].map(String);
    const hidden = [...kept, ...kept.map(secretHash)];
    for (const name of names) {
      const { method, path, body } = requestOf(name);
      const response = await as(admin, method, path, body);
      expect(`${name} ${response.status} ${response.status === 200 ? '' : response.text}`).toBe(
        `${name} 200 `,
      );
      expect(response.headers.get('cache-control')).toBe('no-store');
      for (const text of hidden) expect(response.text).not.toContain(text);
      expect(response.text).not.toMatch(/"(hash|key_hash|secret|webhook_secrets)"/);
      expect(`${name} ${/"(cs_|whsec_|sk-)/.test(response.text)}`).toBe(`${name} ${showsSecret.has(name)}`);
    }
  });

  // A test event changes nothing; a simulated message is no change by the administrator.
  const changing = names.filter(
    (name) =>
      adminApiRoutes[name].method !== 'GET' && name !== 'testWebhookEndpoint' && name !== 'sendInbound',
  );

  it.each(changing)('notes in the activity log what %s changes, and who changed it', async (name) => {
    const own = (await as(admin, 'POST', '/admin/api/clients', { name: 'Noted' })).body;
    const path = `/admin/api/clients/${String(own.client_id)}`;
    const key = (await as(admin, 'POST', `${path}/api-keys`, {})).body;
    // A secret that is ended must be there; of two, no third is made.
    if (name === 'endPreviousSecret') await as(admin, 'POST', `${path}/secret`, {});
    await as(admin, 'PATCH', `${path}/limits`, { endpoint: 'POST /api/v1/sms/bulk', per_minute: 5 });
    await as(admin, 'PUT', `${path}/suppressions/${encodeURIComponent(person)}`, {});
    await as(admin, 'PATCH', '/admin/api/senders', {
      client_id: own.client_id,
      country: 'GB',
      identity: 'ACME',
    });
    const entriesOf = async (id: unknown): Promise<Activity[]> =>
      (
        (await as(admin, 'GET', `/admin/api/activity?client_id=${String(id)}&limit=100`)).body
          .entries as Activity[]
      )
        // Not what the gateway does, such as a webhook that fails again, nor what the client did.
        .filter(({ actor }) => actor !== undefined && actor !== client.client_id);
    // A webhook that can be sent again is the other client's.
    const about = name === 'resendWebhook' ? client.client_id : own.client_id;
    // An entry of limits comes from the table's stream, a moment later.
    const entriesFrom = (id: unknown, count: number) =>
      eventually(async () => {
        const found = await entriesOf(id);
        return found.length >= count ? found : undefined;
      });
    // The client was created, and got a key, limits, a suppression and a sender.
    await entriesFrom(own.client_id, name === 'endPreviousSecret' ? 6 : 5);
    // What another test resent is refused a moment later, and can be resent from then on.
    if (name === 'resendWebhook') await failForGood(messageId, 'sms.sent');
    // Limits that another test set for the other client may still come.
    const notedKind = ({ kind }: Activity): boolean => about === own.client_id || kind === 'webhook_resent';
    const before = (await entriesOf(about)).filter(notedKind).map(({ entry_id }) => entry_id);
    const canceledId = name === 'cancelMessage' ? await schedule(key.api_key) : scheduledId;
    const request = requestOf(name);
    const changed = await as(
      admin,
      request.method,
      request.path
        .replace(String(client.client_id), String(own.client_id))
        .replace(String(apiKey.key_id), String(key.key_id))
        .replace(scheduledId, canceledId),
      aboutClient(request.body, own.client_id),
    );
    expect(changed.status).toBe(200);
    const changedClient = name === 'createClient' ? changed.body.client_id : about;
    const noted = await eventually(async () => {
      const entries = (await entriesOf(changedClient)).filter(notedKind);
      const added = entries.filter(({ entry_id }) => !before.includes(entry_id));
      return added.length > 0 ? added : undefined;
    });
    expect(noted).toMatchObject([{ actor: gateway().admin.client_id }]);
  });

  it.each(['bat', 'otp'] as const)('finds nothing by an id of %s that nothing has', async (prefix) => {
    const found = await as(admin, 'GET', `/admin/api/search?q=${newId(prefix, new Date())}`);
    expect([found.status, found.body.results]).toEqual([200, []]);
  });

  it('distinguishes an unknown path from a method that a path does not have', async () => {
    expect((await as(admin, 'GET', '/admin/api/nothing')).status).toBe(404);
    const wrong = await as(admin, 'DELETE', '/admin/api/clients');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });

  it('names every faulty field of a change, and changes nothing', async () => {
    const { status, body } = await as(admin, 'POST', '/admin/api/clients', {
      name: ' ',
      scopes: ['all'],
      webhook_url: 'ftp://shop.test',
    });
    expect(status).toBe(400);
    const fields = (body.details as { field: string }[]).map(({ field }) => field);
    expect(fields).toEqual(['name', 'scopes[0]', 'webhook_url']);
  });
});

describe('the activity log', () => {
  it('has each webhook that failed permanently, once, and can be read by that kind only', async () => {
    const path = `/admin/api/activity?client_id=${client.client_id}&kind=webhook_failed`;
    const failures = (await as(admin, 'GET', path)).body.entries as Record<string, unknown>[];
    expect(new Set(failures.map(({ kind }) => kind))).toEqual(new Set(['webhook_failed']));
    // Where another test resent it, it has failed again after more attempts.
    const own = failures
      .filter(({ delivery_id }) => delivery_id === deliveryId)
      .map(({ summary }) => String(summary))
      .filter((summary) => summary.startsWith('sms.sent was not acknowledged after 6 attempts'));
    expect(own).toHaveLength(1);
  });
});
