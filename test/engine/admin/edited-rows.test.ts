/** Administrators and the DynamoDB console edit the same rows: neither undoes what the other has changed meanwhile. */
import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AdminContext } from '../../../shared/admin/admin-context.ts';
import { removeLimits, setLimits } from '../../../shared/admin/limits.ts';
import { setSender } from '../../../shared/admin/senders.ts';
import { overrideTable } from '../../../shared/limit/overrides.ts';
import { senderTable } from '../../../shared/sender/sender-row.ts';
import { oneCarrierEach } from '../../support/doubles/no-senders.ts';
import { engineClient } from '../../support/engine/engine.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

const endpoint = 'POST /api/v1/sms/send';
/** The rows for every client: no client has to exist for them. */
const limitsKey = { client_id: '*', endpoint };
const senderKey = { client_id: '*', destination: 'sms GB' };

let tables: TestTables;
let dynamo: DynamoDBDocumentClient;
beforeAll(async () => {
  tables = await createTables(['limit_overrides', 'senders']);
  // The administrator's; `tables.dynamo` is that of the console.
  dynamo = engineClient();
});
afterAll(async () => {
  dynamo.destroy();
  await tables.drop();
});

type Row = Readonly<Record<string, unknown>>;

const tableOf = (key: Row): string =>
  'endpoint' in key ? tables.names.limit_overrides : tables.names.senders;
/** The row as a person leaves it in the console. */
const write = (key: Row, values: Row) =>
  tables.dynamo.send(new PutCommand({ TableName: tableOf(key), Item: { ...key, ...values } }));
const remove = (key: Row) => tables.dynamo.send(new DeleteCommand({ TableName: tableOf(key), Key: key }));
async function read(key: Row, attributes: readonly string[]): Promise<Row | undefined> {
  const { Item } = await tables.dynamo.send(
    new GetCommand({ TableName: tableOf(key), Key: key, ConsistentRead: true }),
  );
  if (Item === undefined) return undefined;
  return Object.fromEntries(Object.entries(Item).filter(([name]) => [...attributes, 'note'].includes(name)));
}
const limitsNow = () => read(limitsKey, overrideTable.attributes);
const senderNow = () => read(senderKey, senderTable.attributes);

beforeEach(async () => {
  await Promise.all([remove(limitsKey), remove(senderKey)]);
});

/** What administrators call, with an edit of the console after each of the first reads of the edited row. */
function administrator(edit: () => Promise<unknown> = async () => undefined, times = 1): AdminContext {
  let left = times;
  const read = 'editBetween';
  dynamo.middlewareStack.remove(read);
  dynamo.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      // The other reads are before the edit.
      const { ConsistentRead } = args.input as { readonly ConsistentRead?: boolean };
      if (context.commandName === 'QueryCommand' && ConsistentRead === true && left > 0) {
        left -= 1;
        await edit();
      }
      return result;
    },
    { step: 'initialize', name: read },
  );
  return {
    ...testContext({ ...tables, dynamo }),
    carriers: oneCarrierEach.carriers,
    clock: () => new Date(),
    capDefaults: {},
  } as unknown as AdminContext;
}

describe('an edit in the console between the read and the write of an administrator', () => {
  const set = (edit: () => Promise<unknown>, change: object) =>
    setLimits(administrator(edit), 'admin', '*', { endpoint, ...change });

  it('of another limit stays', async () => {
    await write(limitsKey, { per_minute: 10, per_hour: 100 });
    await set(() => write(limitsKey, { per_minute: 10, per_hour: 200 }), { per_minute: 20 });
    expect(await limitsNow()).toEqual({ per_minute: 20, per_hour: 200 });
  });

  it('of a row that would else be removed, as nothing is left in it, keeps the row', async () => {
    await write(limitsKey, { per_minute: 10 });
    await set(() => write(limitsKey, { per_minute: 10, per_day: 500 }), { per_minute: null });
    expect(await limitsNow()).toEqual({ per_day: 500 });
  });

  it('that corrects a value which was not valid is not removed with it', async () => {
    await write(limitsKey, { per_minute: 'many' });
    await set(() => write(limitsKey, { per_minute: 77 }), { note: 'from the shell' });
    expect(await limitsNow()).toEqual({ per_minute: 77, note: 'from the shell' });
  });

  it('that makes a row where none was is not replaced', async () => {
    await set(() => write(limitsKey, { per_hour: 300 }), { per_minute: 5 });
    expect(await limitsNow()).toEqual({ per_minute: 5, per_hour: 300 });
  });

  it('that deletes the row does not bring its values back', async () => {
    await write(limitsKey, { per_minute: 10, per_hour: 100 });
    await set(() => remove(limitsKey), { note: 'only this' });
    expect(await limitsNow()).toEqual({ note: 'only this' });
  });

  it('does not save a row that is removed', async () => {
    await write(limitsKey, { per_minute: 10 });
    await removeLimits(
      administrator(() => write(limitsKey, { per_minute: 11 })),
      'admin',
      '*',
      endpoint,
    );
    expect(await limitsNow()).toBeUndefined();
  });

  it('of a sender stays', async () => {
    await write(senderKey, { identity: 'ACME', note: 'old' });
    const edit = () => write(senderKey, { identity: 'NEWCO', note: 'old' });
    await setSender(administrator(edit), 'admin', {
      client_id: '*',
      channel: 'sms',
      country: 'GB',
      messages_per_second: 3,
    });
    expect(await senderNow()).toEqual({ identity: 'NEWCO', note: 'old', messages_per_second: 3 });
  });

  it('again and again ends with 409 and changes nothing', async () => {
    let edits = 0;
    const edit = () => {
      edits += 1;
      return write(limitsKey, { per_minute: edits });
    };
    const asked = setLimits(administrator(edit, 1000), 'admin', '*', { endpoint, per_hour: 5 });
    await expect(asked).rejects.toMatchObject({ code: 'concurrent_change', status: 409 });
    expect(await limitsNow()).toEqual({ per_minute: edits });
  });
});

it('a misspelled attribute is removed where an administrator names it, and only then; what the gateway writes is kept', async () => {
  await write(limitsKey, { per_mintue: 5, per_minute: 10, team: 'web' });
  const set = (change: object) => setLimits(administrator(), 'admin', '*', { endpoint, ...change });
  const saved = await set({ per_hour: 100 });
  expect(saved.status).toBe('invalid');
  expect(saved.faults).toEqual([
    { field: 'per_mintue', value: '5', message: 'there is no such attribute. Did you mean per_minute?' },
  ]);
  expect(await set({ remove: ['per_mintue'] })).toMatchObject({ status: 'active', faults: [] });
  expect(await read(limitsKey, [...overrideTable.attributes, 'per_mintue', 'team'])).toEqual({
    per_minute: 10,
    per_hour: 100,
    team: 'web',
  });
  await expect(set({ remove: ['status'] })).rejects.toMatchObject({ code: 'invalid_request' });
  await write(senderKey, { identity: 'ACME', indentity: 'ACNE' });
  const sender = { client_id: '*', channel: 'sms', country: 'GB' } as const;
  expect(await setSender(administrator(), 'admin', sender)).toMatchObject({
    status: 'invalid',
    misspelled: ['indentity'],
  });
  expect(await setSender(administrator(), 'admin', { ...sender, remove: ['indentity'] })).toMatchObject({
    status: 'active',
    misspelled: [],
  });
});

it('administrators who set different limits of one row at once lose none of them', async () => {
  const dependencies = administrator();
  const changes = [{ per_minute: 7 }, { per_hour: 70 }, { per_day: 700 }, { note: 'all of us' }];
  await Promise.all(changes.map((change) => setLimits(dependencies, 'admin', '*', { endpoint, ...change })));
  expect(await limitsNow()).toEqual({ per_minute: 7, per_hour: 70, per_day: 700, note: 'all of us' });
});

it('a number that JavaScript cannot hold stays as it was typed when something else is changed', async () => {
  const Key = { client_id: { S: '*' }, endpoint: { S: endpoint } };
  const TableName = tables.names.limit_overrides;
  await tables.dynamo.send(
    new UpdateItemCommand({
      TableName,
      Key,
      UpdateExpression: 'SET expires_at = :long, per_minute = :five',
      ExpressionAttributeValues: { ':long': { N: '1795000000.1234567890123' }, ':five': { N: '5' } },
    }),
  );
  await setLimits(administrator(), 'admin', '*', { endpoint, per_minute: 6 });
  const { Item } = await tables.dynamo.send(new GetItemCommand({ TableName, Key }));
  expect([Item?.expires_at, Item?.per_minute]).toEqual([{ N: '1795000000.1234567890123' }, { N: '6' }]);
});
