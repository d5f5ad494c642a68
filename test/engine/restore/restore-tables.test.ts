/** A restore on the engine: rows are copied exactly, a row that exists is kept, what is held is released, ended or enabled. */

import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { restoredTables } from '../../../bin/admin/restored-tables.ts';
import { everyClient, maintenanceEndpoint } from '../../../shared/contract/rate-limits-and-caps.ts';
import { mayBeClaimed } from '../../../shared/message/dispatch/next-step.ts';
import { heldGroups } from '../../../shared/message/message.ts';
import { readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { enableRows, endMessages, releaseMessages } from '../../../shared/restore/held-rows.dynamo.ts';
import { dynamoSideTables, type Item, sideTableName } from '../../../shared/restore/side-tables.dynamo.ts';
import { beginMaintenance, endMaintenance } from '../../../shared/restore/stop-stage.lambda.ts';
import { createRow, keyOf, presentRows, rowsOfPartition } from '../../../shared/restore/table-rows.dynamo.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { ConnectionName, TestTables } from '../../support/engine/test-tables.ts';
import { aMessage } from '../../support/message/example-message.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables([
    'senders',
    'limit_overrides',
    'messages',
    'clients',
    'client_secrets',
    'api_keys',
  ]);
});
afterAll(() => tables.drop());

const sender = (client: string, more: Item = {}): Item => ({
  client_id: { S: client },
  destination: { S: 'sms GB' },
  ...more,
});
const context = () => testContext(tables);
const table = () => ({ name: tables.names.senders, keys: ['client_id', 'destination'] });

describe('rows', () => {
  it('are copied exactly, in all of their segments, and a row that exists is kept', async () => {
    // A number of 38 digits, which no JavaScript number holds, and a set.
    const odd = { big: { N: '12345678901234567890123456789012345678' }, names: { SS: ['a', 'b'] } };
    const all = Array.from({ length: 120 }, (_, index) => sender(`client-${index}`, odd));
    for (const item of all) await createRow(context(), table(), item);
    await createRow(context(), table(), sender('client-0', { note: { S: 'later' } }));
    const sideTables = dynamoSideTables(tables.dynamo);
    const found: Item[] = [];
    for (const segment of [0, 1, 2]) {
      let after: Item | undefined;
      do {
        const page = await sideTables.page(tables.names.senders, segment, 3, after);
        found.push(...page.items);
        after = page.next;
      } while (after !== undefined);
    }
    const byClient = (one: Item, other: Item) => (keyOf(table(), one) < keyOf(table(), other) ? -1 : 1);
    expect(found.toSorted(byClient)).toEqual(all.toSorted(byClient));
    const present = await presentRows(context(), table(), [...all.slice(0, 110), sender('nobody')]);
    expect(present.size).toBe(110);
    expect(await rowsOfPartition(context(), table(), 'client-0')).toEqual([sender('client-0', odd)]);
  });
});

describe('what a restore holds', () => {
  const ctx = () => ({
    ...testContext(tables, { clock: () => new Date('2026-11-20T11:00:00.000Z') }),
    tables: restoredTables((name) => tables.names[name.replaceAll('-', '_') as ConnectionName]),
    sideTables: dynamoSideTables(tables.dynamo),
  });
  const put = (TableName: string, Item: object) => tables.dynamo.send(new PutCommand({ TableName, Item }));
  const get = async (TableName: string, Key: Record<string, string>) =>
    (await tables.dynamo.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;

  it('is not claimed, and is released or ended once', async () => {
    const { messages } = tables.names;
    for (const held of heldGroups) await put(messages, aMessage({ message_id: held, held }));
    const mayBeClaimedNow = async () => {
      const message = await readMessage(ctx(), 'due');
      return message !== undefined && mayBeClaimed(message, ctx().clock());
    };
    expect(await mayBeClaimedNow()).toBe(false);
    expect([await releaseMessages(ctx(), ['due']), await releaseMessages(ctx(), ['due'])]).toEqual([1, 0]);
    expect(await mayBeClaimedNow()).toBe(true);
    expect(await readMessage(ctx(), 'due')).toMatchObject({ possible_duplicate: true });
    expect([await endMessages(ctx(), ['sent']), await endMessages(ctx(), ['sent'])]).toEqual([1, 0]);
    expect(await get(messages, { message_id: 'sent' })).toMatchObject({ error_code: 'hand_over_unknown' });
    expect(await get(messages, { message_id: 'scheduled' })).toMatchObject({ status: 'queued' });
  });

  it('is enabled once, and a secret that was made since stays', async () => {
    const { clients, client_secrets, api_keys } = tables.names;
    await put(clients, { client_id: 'a', disabled: true, held: true });
    await put(api_keys, { key_hash: 'hash', key_id: 'key', client_id: 'a', revoked_at: 'now', held: true });
    const held = { webhook_secrets: ['old'], endpoint_secrets: { one: ['old'], two: ['old'] } };
    await put(client_secrets, { client_id: 'a', held, endpoint_secrets: { two: ['new'] } });
    await expect(enableRows(ctx(), { allBut: ['kye'] })).rejects.toThrow('nothing with the id kye');
    const enabled = await enableRows(ctx(), { allBut: [] });
    expect(enabled).toEqual(['clients a', 'client-secrets a', 'api-keys key']);
    expect(await enableRows(ctx(), { allBut: [] })).toEqual([]);
    expect(await get(clients, { client_id: 'a' })).toEqual({ client_id: 'a', disabled: false });
    expect(await get(api_keys, { key_hash: 'hash' })).toEqual({
      key_hash: 'hash',
      key_id: 'key',
      client_id: 'a',
    });
    expect(await get(client_secrets, { client_id: 'a' })).toEqual({
      client_id: 'a',
      webhook_secrets: ['old'],
      endpoint_secrets: { one: ['old'], two: ['new'] },
    });
  });
});

it('maintenance begins and ends once, however often it is asked for', async () => {
  const begin = () => beginMaintenance(context(), tables.names.limit_overrides);
  expect([await begin(), await begin()]).toEqual([false, true]);
  const overrides = { name: tables.names.limit_overrides, keys: ['client_id', 'endpoint'] };
  expect(await rowsOfPartition(context(), overrides, everyClient)).toMatchObject([
    { endpoint: { S: maintenanceEndpoint } },
  ]);
  for (const _ of [1, 2]) await endMaintenance(context(), tables.names.limit_overrides);
  expect(await rowsOfPartition(context(), overrides, everyClient)).toEqual([]);
});

it('a table without recovery cannot be restored, and dropping a side table that is not there does nothing', async () => {
  const sideTables = dynamoSideTables({
    // An engine on this machine may have no recovery at all: then DynamoDB's answer stands for it.
    send: async (command: never) => {
      const given = command as { readonly constructor: { readonly name: string } };
      if (given.constructor.name === 'DescribeContinuousBackupsCommand') return {};
      return tables.dynamo.send(command);
    },
  } as never);
  expect(await sideTables.windowOf(tables.names.senders)).toBeUndefined();
  expect(await sideTables.windowOf('no-such-table')).toBeUndefined();
  await sideTables.drop(tables.names.senders, new Date(0));
  expect(await sideTables.exists(tables.names.senders, new Date(0))).toBe(false);
});

it('the name of a side table follows from the table and the second', () => {
  expect(sideTableName('gateway-messages', new Date('2026-11-20T10:00:05.000Z'))).toBe(
    'gateway-messages-at-20261120T100005Z',
  );
});
