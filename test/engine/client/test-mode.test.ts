/** A client has one row, and its test keys see it under the id of its test data, with secrets and a URL of their own. */

import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dynamoClientAdmin } from '../../../bin/demo-clients.ts';
import { hasSecret, isApiKey } from '../../../shared/client/client.ts';
import {
  createApiKey,
  createClient,
  rotateClientSecret,
  rotateWebhookSecret,
} from '../../../shared/client/client-admin.ts';
import {
  clientsPage,
  findClient,
  isClientDisabled,
  storeDisabled,
  storeSmartEncoding,
  storeWebhookUrl,
} from '../../../shared/client/client-store.dynamo.ts';
import {
  readWebhookSecrets,
  secretActiveAfterSeconds,
  signingSecrets,
} from '../../../shared/client/webhook-secrets.dynamo.ts';
import { clientIdIn, modeOf } from '../../../shared/contract/mode.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aMessage } from '../../support/message/example-message.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
let tables: TestTables;
let admin: ReturnType<typeof dynamoClientAdmin>;

beforeAll(async () => {
  tables = await createTables(['clients', 'api_keys', 'client_secrets', 'messages']);
  admin = dynamoClientAdmin(tables.dynamo, tables.names);
});

afterAll(() => tables.drop());

async function newClient(webhookUrl?: string) {
  const wanted = {
    name: 'Shop',
    scopes: ['messages', 'admin'],
    ...(webhookUrl ? { webhookUrl } : {}),
  } as const;
  const created = await createClient(admin, wanted, now);
  const liveId = created.client.client_id;
  return { ...created, liveId, testId: clientIdIn('test', liveId) };
}

it('is found by the id of its test data, with the settings of the client and the scope of messages only', async () => {
  const { liveId, testId, client } = await newClient('https://shop.example/hook');
  expect([modeOf(liveId), modeOf(testId)]).toEqual(['live', 'test']);
  expect(await findClient(admin, testId)).toEqual({
    ...client,
    client_id: testId,
    name: 'Shop (test)',
    scopes: ['messages'],
    secrets: [],
  });
});

it('has test secrets that the live id does not take, and the other way round', async () => {
  const { liveId, testId, clientSecret } = await newClient();
  const testSecret = await rotateClientSecret(admin, testId, now);
  const next = await rotateClientSecret(admin, testId, now);
  expect(testSecret).toMatch(/^cs_test_/);
  const [live, test] = [await findClient(admin, liveId), await findClient(admin, testId)];
  if (live === undefined || test === undefined) throw new Error('no client');
  expect([clientSecret, testSecret, next].map((secret) => hasSecret(live, secret, now))).toEqual([
    true,
    false,
    false,
  ]);
  expect([clientSecret, testSecret, next].map((secret) => hasSecret(test, secret, now))).toEqual([
    false,
    true,
    true,
  ]);
  await expect(rotateClientSecret(admin, testId, now)).rejects.toMatchObject({
    code: 'secret_limit_reached',
  });
});

it('has API keys of either mode', async () => {
  const { liveId, testId } = await newClient();
  const keys = [await createApiKey(admin, liveId, now), await createApiKey(admin, testId, now)];
  expect(keys.map(({ apiKey }) => /^sk-test-/.test(apiKey))).toEqual([false, true]);
  expect(keys.map(({ apiKey }) => isApiKey(apiKey))).toEqual([true, true]);
  expect(keys.map(({ row }) => row.client_id)).toEqual([liveId, testId]);
});

it('has the live webhook URL, secret and smart encoding for test data until it gets others', async () => {
  const { liveId, testId, webhookSecret } = await newClient('https://shop.example/live');
  const urls = async () =>
    Promise.all([liveId, testId].map(async (id) => (await findClient(admin, id))?.webhook_url));
  await storeWebhookUrl(admin, testId, 'https://shop.example/test');
  expect(await urls()).toEqual(['https://shop.example/live', 'https://shop.example/test']);
  await storeWebhookUrl(admin, testId, undefined);
  expect(await urls()).toEqual(['https://shop.example/live', undefined]);

  const smart = async () =>
    Promise.all([liveId, testId].map(async (id) => (await findClient(admin, id))?.smart_encoding));
  await storeSmartEncoding(admin, liveId, true);
  expect(await smart()).toEqual([true, true]);
  await storeSmartEncoding(admin, testId, false);
  expect(await smart()).toEqual([true, false]);

  const secretsOf = async (id: string) => (await readWebhookSecrets(admin, id)).map(({ secret }) => secret);
  expect(await secretsOf(testId)).toEqual([webhookSecret]);
  const first = await rotateWebhookSecret(admin, testId, () => now);
  expect(await secretsOf(testId)).toEqual([first.secret, webhookSecret]);
  expect(await secretsOf(liveId)).toEqual([webhookSecret]);
  // Until the new one is active, the one that receivers know signs alone; then both sign.
  const stored = await readWebhookSecrets(admin, testId);
  const signingAt = (at: Date) => signingSecrets(stored, at).map(({ secret }) => secret);
  expect(signingAt(addSeconds(now, secretActiveAfterSeconds - 1))).toEqual([webhookSecret]);
  expect(signingAt(addSeconds(now, secretActiveAfterSeconds))).toEqual([first.secret, webhookSecret]);
});

it('is disabled in both modes at once', async () => {
  const { liveId, testId } = await newClient();
  await storeDisabled(admin, liveId, true);
  const isDisabled = (id: string) => isClientDisabled(admin, id);
  expect(await Promise.all([liveId, testId].map(isDisabled))).toEqual([true, true]);
});

it('is listed once', async () => {
  const { liveId } = await newClient();
  const { clients } = await clientsPage(admin, { limit: 1000 });
  expect(clients.map(({ client_id }) => client_id)).toContain(liveId);
  expect(clients.filter(({ client_id }) => modeOf(client_id) === 'test')).toEqual([]);
});

it('keeps test messages for 30 days where live ones are kept for longer', async () => {
  const { liveId, testId } = await newClient();
  const context = testContext(tables, { env: { RETENTION_DAYS: 90 } });
  const days = async (client_id: string, message_id: string) => {
    const message = aMessage({ client_id, message_id });
    await createMessage(context, message);
    const { Item } = await tables.dynamo.send(
      new GetCommand({ TableName: tables.names.messages, Key: { message_id } }),
    );
    return (Number(Item?.purge_at) - Date.parse(message.expires_at) / 1000) / 86_400;
  };
  expect(await days(liveId, 'msg_live')).toBeCloseTo(90, 3);
  expect(await days(testId, 'msg_test')).toBeCloseTo(30, 3);
});
