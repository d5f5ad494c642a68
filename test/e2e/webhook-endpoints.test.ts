import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { derivedId } from '../../shared/platform/ids.ts';
import { adminShell } from '../support/admin/admin-shell.ts';
import { documentClient, eventually, gateway } from '../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import {
  bodyOf,
  type ReceivedPost,
  startWebhookEndpoint,
  verifiedBy,
  type WebhookEndpoint,
} from '../support/webhook/webhook-endpoint.ts';

const { tables } = gateway();
const dynamo = documentClient();
const servers: WebhookEndpoint[] = [];
const path = '/api/v1/webhook-endpoints';
/** It fails at hand-over, so a message to it has one event alone: `sms.failed`. */
const refused = '+15005550001';

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(() => {
  dynamo.destroy();
});

async function aServer(): Promise<WebhookEndpoint> {
  const server = await startWebhookEndpoint();
  servers.push(server);
  return server;
}

interface Created {
  readonly id: string;
  readonly secret: string;
}

async function create(client: TestClient, body: Readonly<Record<string, unknown>>): Promise<Created> {
  const response = await client.post(path, body);
  if (response.status !== 201) throw new Error(`not created: ${response.status} ${response.text}`);
  return { id: String(response.body.endpoint_id), secret: String(response.body.secret) };
}

function test(client: TestClient, id: string, body: Readonly<Record<string, unknown>> = {}) {
  return client.post(`/api/v1/webhook-endpoints/${id}/test`, body);
}

/** The POST of a test event that is sent now. */
async function postOfTest(client: TestClient, id: string, server: WebhookEndpoint): Promise<ReceivedPost> {
  const response = await test(client, id);
  expect(response).toMatchObject({ status: 202, body: { endpoint_id: id } });
  return eventually(async () =>
    server.posts.find(({ headers }) => headers['webhook-id'] === response.body.delivery_id),
  );
}

/** Whether both libraries accept it. */
function librariesAccept(post: ReceivedPost, secret: string): boolean {
  const accepts = [StandardWebhook, SvixWebhook].map((Library) => {
    try {
      verifiedBy(new Library(secret), post);
      return true;
    } catch {
      return false;
    }
  });
  expect(new Set(accepts).size).toBe(1);
  return accepts.includes(true);
}

describe('webhook endpoints', () => {
  it('are created, listed, shown, changed and deleted by their client, and each change is in the activity log', async () => {
    const client = await newClient();
    const wanted = { url: 'http://127.0.0.1:1/a', events: ['sms.*'], description: 'orders' };
    const created = await client.post(path, wanted);
    expect(created.status).toBe(201);
    const { secret, ...endpoint } = created.body;
    expect(secret).toMatch(/^whsec_/);
    expect(endpoint).toMatchObject({ ...wanted, enabled: true, disabled_at: null, disabled_reason: null });
    const own = `/api/v1/webhook-endpoints/${String(endpoint.endpoint_id)}`;
    expect(await client.call('GET', own)).toMatchObject({ status: 200, body: endpoint });
    const { id: second } = await create(client, { url: 'http://127.0.0.1:1/b' });
    const list = await client.call('GET', path);
    expect(list.body.webhook_endpoints).toMatchObject([
      endpoint,
      { endpoint_id: second, events: null, description: null },
    ]);

    const change = { events: null, description: null, enabled: false };
    const changed = await client.call('PATCH', own, { body: change });
    expect(changed).toMatchObject({ status: 200, body: { ...change, disabled_reason: 'by_client' } });
    expect(await test(client, String(endpoint.endpoint_id))).toMatchObject({
      status: 409,
      body: { error: 'endpoint_disabled' },
    });
    const enabled = await client.call('PATCH', own, { body: { enabled: true } });
    expect(enabled.body).toMatchObject({ enabled: true, disabled_at: null, disabled_reason: null });
    // Nothing changes, so nothing is recorded.
    await client.call('PATCH', own, { body: { enabled: true } });

    const shell = adminShell();
    const { webhook_endpoints } = await shell.json('call', 'listWebhookEndpoints', client.clientId);
    shell.close();
    expect(webhook_endpoints).toMatchObject([
      { ...enabled.body, failing_since: null },
      { endpoint_id: second },
    ]);

    expect(await client.call('POST', `${own}/secret`)).toMatchObject({ status: 200 });
    const deleted = { endpoint_id: endpoint.endpoint_id, deleted: true };
    expect(await client.call('DELETE', own)).toMatchObject({ status: 200, body: deleted });
    expect((await client.call('DELETE', own)).status).toBe(404);

    const { Items = [] } = await dynamo.send(
      new QueryCommand({
        TableName: tables.activity_log ?? '',
        IndexName: 'by-client',
        KeyConditionExpression: 'client_id = :client',
        ExpressionAttributeValues: { ':client': client.clientId },
      }),
    );
    const kinds = Items.map(({ kind }) => String(kind)).filter((kind) => kind.startsWith('webhook_'));
    expect(kinds).toEqual([
      'webhook_endpoint_created',
      'webhook_endpoint_created',
      'webhook_endpoint_changed',
      'webhook_endpoint_changed',
      'webhook_endpoint_secret_rotated',
      'webhook_endpoint_deleted',
    ]);
    expect(JSON.stringify(Items)).not.toContain('whsec_');
  });
});

describe('an event', () => {
  it('goes to every enabled endpoint that matches, and to the URL of the message; a disabled one gets it by a resend', async () => {
    const client = await newClient();
    const [own, all, failures, others, disabled] = await Promise.all(
      Array.from({ length: 5 }, () => aServer()),
    );
    if (!own || !all || !failures || !others || !disabled) throw new Error('not started');
    const everyEvent = await create(client, { url: all.url });
    const failed = await create(client, { url: failures.url, events: ['sms.failed'] });
    await create(client, { url: others.url, events: ['whatsapp.*', 'sms.delivered'] });
    const { id } = await create(client, { url: disabled.url });
    await client.call('PATCH', `/api/v1/webhook-endpoints/${id}`, { body: { enabled: false } });

    const messageId = await client.send({ to: refused, webhook_url: own.url });
    for (const server of [own, all, failures]) {
      expect(await server.eventsOnce(messageId, 1)).toEqual(['sms.failed']);
    }
    const [mine, toAll, toFailures] = [own, all, failures].map((server) => server.posts[0]);
    if (!mine || !toAll || !toFailures) throw new Error('nothing was received');
    expect(mine.headers['webhook-id']).toBe(derivedId('whd', messageId, 'sms.failed'));
    expect(toAll.headers['webhook-id']).toBe(derivedId('whd', messageId, 'sms.failed', everyEvent.id));
    expect(toFailures.headers['webhook-id']).toBe(derivedId('whd', messageId, 'sms.failed', failed.id));
    expect(librariesAccept(mine, client.webhookSecret)).toBe(true);
    expect(librariesAccept(toAll, everyEvent.secret)).toBe(true);
    expect(librariesAccept(toFailures, failed.secret)).toBe(true);
    expect(librariesAccept(toFailures, client.webhookSecret)).toBe(false);
    expect([...others.posts, ...disabled.posts]).toEqual([]);

    const log = '/api/v1/webhook-deliveries';
    const skipped = await eventually(async () => {
      const { body } = await client.call('GET', `${log}?state=skipped&endpoint_id=${id}`);
      return (body.webhook_deliveries as object[]).length > 0 ? body.webhook_deliveries : undefined;
    });
    const delivery_id = derivedId('whd', messageId, 'sms.failed', id);
    expect(skipped).toMatchObject([{ delivery_id, attempts: 0, next_due_at: null }]);
    const resend = `${log}/${delivery_id}/resend`;
    expect(await client.call('POST', resend)).toMatchObject({ status: 409 });
    await client.call('PATCH', `/api/v1/webhook-endpoints/${id}`, { body: { enabled: true } });
    expect(await client.call('POST', resend)).toMatchObject({ status: 202 });
    expect(await disabled.eventsOnce(messageId, 1)).toEqual(['sms.failed']);
    expect(disabled.posts[0]?.headers['webhook-id']).toBe(delivery_id);
  });
});

it('each of 200 to 206 acknowledges at an endpoint, 410 disables it, and 429 and 503 say when the retry comes', async () => {
  const client = await newClient();
  const statuses = [200, 201, 202, 203, 204, 205, 206, 410, 429, 503];
  const retryAfterSeconds = 15;
  const ids = await Promise.all(
    statuses.map(async (status) => {
      const headers = { 'Retry-After': String(retryAfterSeconds) };
      const server = await startWebhookEndpoint(
        (post) => (post === 1 || status === 410 ? status : 200),
        headers,
      );
      servers.push(server);
      const settings = { url: server.url, events: ['sms.failed'], timeout_seconds: 10 };
      return (await create(client, settings)).id;
    }),
  );
  const messageId = await client.send({ to: refused });
  const deliveryOf = async (index: number) => {
    const id = derivedId('whd', messageId, 'sms.failed', ids[index] ?? '');
    return (await client.call('GET', `/api/v1/webhook-deliveries/${id}`)).body;
  };
  const attempted = await Promise.all(
    statuses.map((_status, index) =>
      eventually(async () => {
        const delivery = await deliveryOf(index);
        return Number(delivery.attempts) > 0 ? delivery : undefined;
      }),
    ),
  );
  for (const [index, status] of statuses.entries()) {
    const { state, attempt_log } = attempted[index] ?? {};
    const [first] = attempt_log as { status: number; ended_at: string; next_due_at: string }[];
    const waitSeconds = (Date.parse(first?.next_due_at ?? '') - Date.parse(first?.ended_at ?? '')) / 1000;
    expect(first?.status).toBe(status);
    if (status <= 206) expect(state).toBe('acknowledged');
    if (status === 429 || status === 503) expect(waitSeconds).toBe(retryAfterSeconds);
  }
  const gone = statuses.indexOf(410);
  const own = `${path}/${ids[gone]}`;
  const disabled = await eventually(async () => {
    const { body } = await client.call('GET', own);
    return body.enabled === false ? body : undefined;
  });
  expect(disabled).toMatchObject({ disabled_reason: 'gone', timeout_seconds: 10 });
  // The retry found the endpoint disabled.
  await eventually(async () => ((await deliveryOf(gone)).state === 'skipped' ? true : undefined));
});

describe('a test event', () => {
  it('is a signed notification of the event that is asked for, marked as a test', async () => {
    const client = await newClient();
    const server = await aServer();
    const { id, secret } = await create(client, { url: server.url, events: ['whatsapp.*'] });
    const post = await postOfTest(client, id, server);
    expect(bodyOf(post)).toMatchObject({
      event: 'whatsapp.delivered',
      data: { test: true, status: 'delivered', client_id: client.clientId },
    });
    expect(librariesAccept(post, secret)).toBe(true);
    const failed = await test(client, id, { event: 'sms.failed' });
    const { delivery_id } = failed.body;
    const other = await eventually(async () =>
      server.posts.find(({ headers }) => headers['webhook-id'] === delivery_id),
    );
    expect(bodyOf(other)).toMatchObject({ event: 'sms.failed', data: { test: true, error_code: 'unknown' } });
    expect((await test(client, id, { event: 'sms.read' })).status).toBe(400);
  });
});
