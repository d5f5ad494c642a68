/** A malformed row stops only itself: a list leaves it out, and a read of it fails. A suppression that is malformed suppresses. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeysOf, clientsPage, findClient } from '../../../shared/client/client-store.dynamo.ts';
import {
  createMessage,
  readFilterFields,
  readMessages,
} from '../../../shared/message/store/messages.dynamo.ts';
import { windowOpenedAt } from '../../../shared/message/store/whatsapp-window.dynamo.ts';
import { applies } from '../../../shared/message/suppression/suppression.ts';
import {
  applyKeyword,
  listClientSuppressions,
  removeSuppression,
  storeSuppression,
  suppressedAmong,
  suppressionOf,
} from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { claimDelivery, type Delivery, newDelivery } from '../../../shared/webhook/delivery.ts';
import {
  readDeliveries,
  readDelivery,
  replaceDelivery,
  storeDelivery,
} from '../../../shared/webhook/delivery-store.dynamo.ts';
import { afterStep, newResend, readResend, replaceResend } from '../../../shared/webhook/log/resend.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const at = created.toISOString();
const hash = 'a'.repeat(64);

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables([
    'clients',
    'api_keys',
    'client_secrets',
    'suppressions',
    'whatsapp_windows',
    'webhook_deliveries',
    'messages',
  ]);
});
afterAll(() => tables.drop());

const put = (table: string, Item: Record<string, unknown>) =>
  tables.dynamo.send(new PutCommand({ TableName: tables.names[table as 'clients'], Item }));

const client = (client_id: string, change: Record<string, unknown> = {}) => ({
  client_id,
  name: `Client ${client_id}`,
  scopes: ['messages'],
  disabled: false,
  secrets: [{ hash, created_at: at }],
  created_at: at,
  ...change,
});

describe('a client', () => {
  it.each([
    ['name', { name: 5 }],
    ['scopes', { scopes: 'messages' }],
    ['disabled', { disabled: 'no' }],
    ['secrets', { secrets: [{ hash: 'short' }] }],
    ['senders', { senders: [5] }],
  ])('with an invalid %s cannot be read, and hides no other', async (_name, change) => {
    await put('clients', client('good'));
    await put('clients', client('wrong', change));
    const { clients: listed } = await clientsPage(testContext(tables), { limit: 10 });
    expect(listed.map(({ client_id }) => client_id)).toEqual(['good']);
    await expect(findClient(testContext(tables), 'wrong')).rejects.toThrow();
  });

  it('has an invalid API key among valid ones: these are listed', async () => {
    const key = { key_id: 'key_1', client_id: 'keys', created_at: at };
    await put('api_keys', { ...key, key_hash: 'one' });
    await put('api_keys', { ...key, key_hash: 'two', key_id: 7 });
    const keys = await apiKeysOf(testContext(tables), 'keys');
    expect(keys.map(({ key_hash }) => key_hash)).toEqual(['one']);
  });
});

describe('a suppression', () => {
  const recipient = '+447700900123';
  const row = {
    ...{ client_id: 'client-a', recipient, revision: 1 },
    ...{ scope: 'messages', source: 'keyword', cause: 'msg_1' },
  };

  it.each([
    ['scope', { ...row, scope: 'everything', suppressed_at: at, changed_at: at }],
    ['source', { ...row, source: 'me', suppressed_at: at, changed_at: at }],
    ['changed_at', { ...row, suppressed_at: at, changed_at: 'yesterday' }],
    ['changed_at', { client_id: 'client-a', recipient, scope: 'all' }],
    ['reason', { ...row, reason: 5, suppressed_at: at, changed_at: at }],
  ])('with an invalid %s suppresses every message to that person, and says why', async (field, stored) => {
    await put('suppressions', stored);
    const context = testContext(tables);
    const found = await suppressionOf(context, 'client-a', recipient);
    expect(found && applies(found, true)).toBe(true);
    expect(found?.reason).toContain(field);
    expect((await listClientSuppressions(context, 'client-a', 10, undefined)).suppressions).toEqual([found]);
    expect(
      await suppressedAmong(testContext(tables), [aMessage({ client_id: 'client-a', recipient })]),
    ).toEqual(new Set([recipient]));
    // The next keyword replaces it, a STOP and a START.
    const keyword = {
      ...({ mode: 'live', clients: ['client-a'], senders: [], number: '+447418367358' } as const),
      ...{ recipients: [recipient], reason: 'The recipient answered STOP', at: created },
    };
    await applyKeyword(context, { ...keyword, asksFor: 'opt_out' });
    expect(await suppressionOf(context, 'client-a', recipient)).toMatchObject({
      scope: 'messages',
      source: 'keyword',
    });
    await put('suppressions', stored);
    await applyKeyword(context, { ...keyword, asksFor: 'opt_in' });
    expect(await suppressionOf(context, 'client-a', recipient)).toBeUndefined();
  });

  it.each([
    ['changed_at', 5],
    ['changed_at', new Uint8Array([255])],
    ['changed_at', 'tomorrow'],
    ['changed_at', { a: 1 }],
    ['changed_at', '2999-01-01'],
    ['suppressed_at', 'tomorrow'],
    ['revision', 0],
    ['scope', 'everything'],
    ['source', 'me'],
  ])('with %s = %j is replaced by what its client or an administrator says next', async (name, value) => {
    const context = testContext(tables);
    const malformed = { ...row, suppressed_at: at, changed_at: at, [name]: value };
    const change = { client_id: 'client-a', recipient, at: new Date(created.getTime() + 1000) };
    await put('suppressions', malformed);
    await storeSuppression(context, { ...change, scope: 'messages', source: 'client' });
    expect(await suppressionOf(context, 'client-a', recipient)).toMatchObject({
      scope: 'messages',
      source: 'client',
      suppressed_at: change.at.toISOString(),
    });
    await put('suppressions', malformed);
    expect(await removeSuppression(context, { ...change, source: 'admin' })).toEqual({ stillFrom: [] });
    expect(await suppressionOf(context, 'client-a', recipient)).toBeUndefined();
  });
});

it('an invalid WhatsApp window is none', async () => {
  await put('whatsapp_windows', { client_id: 'c', recipient: '+44', received_at: 5 });
  expect(await windowOpenedAt(testContext(tables), 'c', '+44')).toBeUndefined();
});

describe('a webhook', () => {
  const aDelivery = (delivery_id: string): Delivery =>
    newDelivery(
      { delivery_id, client_id: 'c', event: 'sms.sent', url: 'https://a.example', body: '{}' },
      created,
      30,
      'first',
    );

  it('that is invalid hides none of the others', async () => {
    await storeDelivery(testContext(tables), aDelivery('whd_1'));
    await put('webhook_deliveries', { ...aDelivery('whd_2'), state: 'odd' });
    expect(
      (await readDeliveries(testContext(tables), ['whd_1', 'whd_2'])).map(({ delivery_id }) => delivery_id),
    ).toEqual(['whd_1']);
  });

  it('keeps what a later release added to its row and to an attempt', async () => {
    const attempt = {
      number: 1,
      trigger: 'automatic',
      due_at: at,
      started_at: at,
      ended_at: at,
      lateness_ms: 0,
      total_ms: 1,
      reused_connection: false,
      request_headers: {},
      response_headers: {},
      response_body: '',
      added_later: 'in an attempt',
    };
    const added_later = { any: ['thing'] };
    await put('webhook_deliveries', { ...aDelivery('whd_3'), attempts: [attempt], added_later });
    const seen = await readDelivery(testContext(tables), 'whd_3');
    if (seen === undefined) throw new Error('it is stored');
    await replaceDelivery(testContext(tables), seen, claimDelivery(seen, created, 'second'));
    expect(await readDelivery(testContext(tables), 'whd_3')).toMatchObject({
      state: 'attempting',
      attempts: [attempt],
      added_later,
    });
  });

  it('keeps what a later release added to a request to resend many', async () => {
    const context = testContext(tables);
    const filter = { state: 'failed', since: at, until: at } as const;
    const resend = newResend(
      { ...filter, resend_id: 'whr_1', client_id: 'c', actor: 'c' },
      created,
      30,
      'first',
    );
    await put('webhook_deliveries', { ...resend, delivery_id: 'whr_1', added_later: 'kept' });
    const seen = await readResend(context, 'whr_1');
    if (seen === undefined) throw new Error('it is stored');
    await replaceResend(
      context,
      seen,
      afterStep(seen, { matched: 1, resent: 0, cursor: undefined }, created, 'second'),
    );
    expect(await readResend(context, 'whr_1')).toMatchObject({ status: 'sending', added_later: 'kept' });
  });
});

it('a message that is invalid hides none of the others', async () => {
  const context = testContext(tables, { env: { RETENTION_DAYS: 1 } });
  await createMessage(context, aMessage({ message_id: 'msg_1' }));
  await put('messages', { ...aMessage({ message_id: 'msg_2' }), status: 'odd' });
  const ids = (rows: readonly { readonly message_id: string }[]) => rows.map(({ message_id }) => message_id);
  expect(ids(await readMessages(context, ['msg_1', 'msg_2']))).toEqual(['msg_1']);
  expect(ids(await readFilterFields(context, ['msg_1', 'msg_2']))).toEqual(['msg_1']);
});
