import { createHmac } from 'node:crypto';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { readWebhookSecrets, replaceWebhookSecrets } from '../../shared/client/webhook-secrets.dynamo.ts';
import { addDays } from '../../shared/platform/clock.ts';
import { derivedId } from '../../shared/platform/ids.ts';
import { disabledAfter } from '../../shared/webhook/deliver/disable-endpoint.ts';
import { readDelivery } from '../../shared/webhook/delivery-store.dynamo.ts';
import { endpointsMax } from '../../shared/webhook/webhook-endpoint.ts';
import { adminShell } from '../support/admin/admin-shell.ts';
import {
  documentClient,
  eventually,
  gateway,
  gatewayContext,
  sqsClient,
} from '../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import {
  bodyOf,
  type ReceivedPost,
  startWebhookEndpoint,
  verifiedBy,
  type WebhookEndpoint,
} from '../support/webhook/webhook-endpoint.ts';

const { tables, queues } = gateway();
const dynamo = documentClient();
const sqs = sqsClient();
const context = gatewayContext();
const servers: WebhookEndpoint[] = [];
const path = '/api/v1/webhook-endpoints';
/** It fails at hand-over, so a message to it has one event alone: `sms.failed`. */
const refused = '+15005550001';

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(() => {
  dynamo.destroy();
  sqs.destroy();
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

const plainHolds = ({ bytes, headers }: ReceivedPost, secret: string) =>
  headers['x-webhook-signature'] === createHmac('sha256', secret).update(bytes).digest('hex');
const signaturesOf = ({ headers }: ReceivedPost) => String(headers['webhook-signature']).split(' ').length;

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

  it('are refused with every faulty field named, and above ten of a client', async () => {
    const client = await newClient();
    const faulty = { url: 'http://user:pass@127.0.0.1/', events: ['sms.read'], description: '' };
    const response = await client.post(path, faulty);
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const fields = (response.body.details as { field: string }[]).map(({ field }) => field);
    expect(fields.toSorted()).toEqual(['description', 'events[0]', 'url']);
    expect((await client.post(path, {})).status).toBe(400);
    const many = await Promise.all(
      Array.from({ length: endpointsMax + 3 }, () => client.post(path, { url: 'http://127.0.0.1:1/' })),
    );
    expect(many.filter(({ status }) => status === 201)).toHaveLength(endpointsMax);
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(many.find(({ status }) => status === 409)?.body.error).toBe('endpoint_limit_reached');
  });

  it('of another client are not found, by any operation', async () => {
    const [owner, stranger] = [await newClient(), await newClient()];
    const { id } = await create(owner, { url: 'http://127.0.0.1:1/' });
    const own = `/api/v1/webhook-endpoints/${id}`;
    const calls = [
      stranger.call('GET', own),
      stranger.call('PATCH', own, { body: { enabled: false } }),
      stranger.call('DELETE', own),
      stranger.call('POST', `${own}/secret`),
      test(stranger, id),
      owner.call('GET', `${path}/whe_0`),
    ];
    for (const response of await Promise.all(calls)) expect(response.status).toBe(404);
    expect((await owner.call('GET', own)).body.enabled).toBe(true);
    expect((await stranger.call('GET', path)).body).toEqual({ webhook_endpoints: [] });
  });
});

describe('an event', () => {
  it('goes to every enabled endpoint that matches, and to the URL of the message as before', async () => {
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
  });

  it('whose endpoint is deleted before the retry fails without another POST', async () => {
    const client = await newClient();
    const server = await startWebhookEndpoint(() => 500);
    servers.push(server);
    const { id } = await create(client, { url: server.url });
    const messageId = await client.send({ to: refused });
    await server.eventsOnce(messageId, 1);
    await client.call('DELETE', `/api/v1/webhook-endpoints/${id}`);
    const posts = server.posts.length;
    const deliveryId = derivedId('whd', messageId, 'sms.failed', id);
    const delivery = await eventually(async () => {
      const seen = await readDelivery(context, deliveryId);
      return seen?.state === 'failed' && seen.alert_pending !== true ? seen : undefined;
    });
    expect(delivery.endpoint_id).toBe(id);
    expect(delivery.attempts.at(-1)).toMatchObject({ error: 'endpoint_deleted' });
    expect(server.posts.length - posts).toBeLessThanOrEqual(1);
  });

  it('is never posted without TLS to an https URL, whatever the host', async () => {
    const client = await newClient();
    const server = await aServer();
    const { id } = await create(client, { url: server.url.replace('http:', 'https:') });
    const messageId = await client.send({ to: refused });
    const attempt = await eventually(async () => {
      const delivery = await readDelivery(context, derivedId('whd', messageId, 'sms.failed', id));
      return delivery?.attempts[0];
    });
    expect(attempt).toMatchObject({ error: 'tls' });
    expect(server.posts).toEqual([]);
  });
});

describe('an endpoint that has acknowledged nothing for five days', () => {
  it('is disabled at its next failure; the other endpoint is notified, and its client can enable it again', async () => {
    const client = await newClient();
    const [broken, notices] = [await startWebhookEndpoint(() => 500), await aServer()];
    servers.push(broken);
    const { id } = await create(client, { url: broken.url });
    const other = await create(client, { url: notices.url, events: ['webhook_endpoint.disabled'] });
    const failingSince = addDays(new Date(), -6);
    await dynamo.send(
      new UpdateCommand({
        TableName: tables.webhook_endpoints ?? '',
        Key: { client_id: client.clientId, endpoint_id: id },
        UpdateExpression: 'SET failing_since = :since, failed_attempts = :attempts',
        ExpressionAttributeValues: {
          ':since': failingSince.toISOString(),
          ':attempts': disabledAfter.attempts - 1,
        },
      }),
    );
    await client.send({ to: refused });
    await eventually(async () => {
      const Key = { client_id: client.clientId, endpoint_id: id };
      const { Item } = await dynamo.send(new GetCommand({ TableName: tables.webhook_endpoints, Key }));
      return Item?.failed_attempts === disabledAfter.attempts ? Item : undefined;
    });
    // The message of the failed attempt comes after a quarter of an hour; this one comes now.
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queues.webhook_retries,
        MessageBody: JSON.stringify({ client_id: client.clientId, failing_endpoint_id: id }),
      }),
    );
    const post = await eventually(async () => notices.posts[0]);
    const { body: disabled } = await client.call('GET', `/api/v1/webhook-endpoints/${id}`);
    expect(disabled).toMatchObject({ enabled: false, disabled_reason: 'no_successful_delivery' });
    expect(librariesAccept(post, other.secret)).toBe(true);
    expect(bodyOf(post)).toEqual({
      event: 'webhook_endpoint.disabled',
      timestamp: disabled.disabled_at,
      data: {
        endpoint_id: id,
        url: broken.url,
        disabled_at: disabled.disabled_at,
        reason: 'no_successful_delivery',
        client_id: client.clientId,
      },
    });
    const body = { enabled: true };
    const enabled = await client.call('PATCH', `/api/v1/webhook-endpoints/${id}`, { body });
    expect(enabled.body).toMatchObject({ enabled: true, disabled_at: null, disabled_reason: null });
    await client.send({ to: refused });
    expect((await client.call('GET', `/api/v1/webhook-endpoints/${id}`)).body.enabled).toBe(true);
  });
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

describe('the rotation of an endpoint’s secret', () => {
  it('leaves every delivery acceptable to both libraries: before, during, and after', async () => {
    const client = await newClient();
    const server = await aServer();
    const { id, secret: old } = await create(client, { url: server.url });
    const before = await postOfTest(client, id, server);
    expect(librariesAccept(before, old) && plainHolds(before, old)).toBe(true);

    const rotated = await client.call('POST', `/api/v1/webhook-endpoints/${id}/secret`);
    expect(rotated).toMatchObject({ status: 200, body: { endpoint_id: id } });
    const fresh = String(rotated.body.secret);
    const atOnce = await postOfTest(client, id, server);
    expect(signaturesOf(atOnce)).toBe(1);
    expect(librariesAccept(atOnce, old) && plainHolds(atOnce, old)).toBe(true);

    const postThat = (isWanted: (post: ReceivedPost) => boolean) =>
      eventually(
        async () => {
          const post = await postOfTest(client, id, server);
          return isWanted(post) ? post : undefined;
        },
        { everyMilliseconds: 5000 },
      );
    const during = await postThat((post) => signaturesOf(post) === 2);
    expect(librariesAccept(during, old) && librariesAccept(during, fresh)).toBe(true);
    expect(plainHolds(during, old)).toBe(true);
    const messageId = await client.send({ to: refused });
    await server.eventsOnce(messageId, 1);
    const [ofMessage] = server.postsOf(messageId);
    expect(ofMessage && librariesAccept(ofMessage, old) && librariesAccept(ofMessage, fresh)).toBe(true);

    // Ends the 24 h now.
    const seen = await readWebhookSecrets(context, client.clientId, id);
    const ended = seen.map((one) =>
      one.secret === old ? { ...one, expires_at: new Date().toISOString() } : one,
    );
    expect(await replaceWebhookSecrets(context, client.clientId, seen, ended, id)).toBe(true);
    const after = await postThat((post) => signaturesOf(post) === 1 && librariesAccept(post, fresh));
    expect(plainHolds(after, fresh)).toBe(true);
    expect(librariesAccept(after, old)).toBe(false);
    for (const post of server.posts) {
      expect(librariesAccept(post, old) || librariesAccept(post, fresh)).toBe(true);
    }
  });
});
