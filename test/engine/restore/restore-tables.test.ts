/** The tables of a restore on the engine: rows are copied exactly, a row that exists is kept, and maintenance is one row. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { everyClient, maintenanceEndpoint } from '../../../shared/contract/rate-limits-and-caps.ts';
import { dynamoSideTables, type Item, sideTableName } from '../../../shared/restore/side-tables.dynamo.ts';
import { dynamoMaintenance } from '../../../shared/restore/stop-stage.lambda.ts';
import { dynamoTableRows, keyOf } from '../../../shared/restore/table-rows.dynamo.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['senders', 'limit_overrides']);
});
afterAll(() => tables.drop());

const sender = (client: string, more: Item = {}): Item => ({
  client_id: { S: client },
  destination: { S: 'sms GB' },
  ...more,
});
const table = () => ({ name: tables.names.senders, keys: ['client_id', 'destination'] });

describe('rows', () => {
  it('are copied exactly, in all of their segments, and a row that exists is kept', async () => {
    const rows = dynamoTableRows(tables.dynamo);
    // A number of 38 digits, which no JavaScript number holds, and a set.
    const odd = { big: { N: '12345678901234567890123456789012345678' }, names: { SS: ['a', 'b'] } };
    const all = Array.from({ length: 120 }, (_, index) => sender(`client-${index}`, odd));
    for (const item of all) await rows.put(table(), item, true);
    await rows.put(table(), sender('client-0', { note: { S: 'later' } }), true);
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
    const present = await rows.present(table(), [...all.slice(0, 110), sender('nobody')]);
    expect(present.size).toBe(110);
    await rows.put(table(), sender('client-0', { note: { S: 'later' } }), false);
    expect((await rows.partition(table(), 'client-0'))[0]).toEqual(
      sender('client-0', { note: { S: 'later' } }),
    );
  });
});

it('maintenance begins and ends once, however often it is asked for', async () => {
  const maintenance = dynamoMaintenance(tables.dynamo, tables.names.limit_overrides);
  expect([await maintenance.begin(), await maintenance.begin()]).toEqual([false, true]);
  const rows = dynamoTableRows(tables.dynamo);
  const overrides = { name: tables.names.limit_overrides, keys: ['client_id', 'endpoint'] };
  expect(await rows.partition(overrides, everyClient)).toMatchObject([
    { endpoint: { S: maintenanceEndpoint } },
  ]);
  await maintenance.end();
  await maintenance.end();
  expect(await rows.partition(overrides, everyClient)).toEqual([]);
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
