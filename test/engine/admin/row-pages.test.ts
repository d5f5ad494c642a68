/** What administrators read of tables with thousands of rows: page by page, with the same few calls for each. */
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AdminContext } from '../../../shared/admin/admin-context.ts';
import { listOverrides } from '../../../shared/admin/limits.ts';
import { listSenders } from '../../../shared/admin/senders.ts';
import { countInvalidRows, readEditedRows } from '../../../shared/edited-table/row-editor.dynamo.ts';
import { overrideTable } from '../../../shared/limit/overrides.ts';
import { chunksOf } from '../../../shared/platform/aws/read-rows.dynamo.ts';
import { senderTable } from '../../../shared/sender/sender-row.ts';
import { type Counted, countedDynamo } from '../../support/engine/counted-dynamo.ts';
import { engineConfig } from '../../support/engine/engine.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

const endpoints = ['POST /api/v1/sms/send', 'POST /api/v1/otp/send', 'POST /api/v1/sms/bulk'];
const clientIds = Array.from({ length: 700 }, (_, index) => `client_${index}`);
const invalid = { status: 'invalid', status_message: 'per_minute: 0 is not a valid limit.' };
const active = { status: 'active', status_message: 'Active since 12:00:00: 5 per minute.' };

let tables: TestTables;
let counted: Counted;
let dependencies: AdminContext;
let used: Counted['used'];
beforeAll(async () => {
  tables = await createTables(['limit_overrides', 'senders', 'clients']);
  const { limit_overrides, senders, clients } = tables.names;
  await writeAll(
    limit_overrides,
    clientIds.flatMap((client_id) =>
      endpoints.map((endpoint) => ({
        client_id,
        endpoint,
        per_minute: 5,
        note: 'x'.repeat(200),
        ...(client_id === 'client_0' ? invalid : active),
      })),
    ),
  );
  await writeAll(
    senders,
    clientIds.map((client_id) => ({ client_id, destination: 'sms GB', identity: 'ACME', ...active })),
  );
  await writeAll(clients, [client('client_0', 'Web shop'), client('client_without', 'Nothing yet')]);
  counted = countedDynamo(engineConfig());
  used = counted.used;
  dependencies = {
    ...testContext({ ...tables, dynamo: counted.documents }),
    clock: () => new Date('2026-11-20T12:00:00Z'),
    capDefaults: {},
  } as unknown as AdminContext;
});
afterAll(async () => {
  counted.client.destroy();
  await tables.drop();
});

const client = (client_id: string, name: string) => ({
  client_id,
  name,
  scopes: ['messages'],
  disabled: false,
  created_at: '2026-11-01T00:00:00.000Z',
  secrets: [],
});

async function writeAll(TableName: string, rows: readonly object[]): Promise<void> {
  for (const chunk of chunksOf(rows, 25)) {
    const puts = chunk.map((Item) => ({ PutRequest: { Item: { ...Item } } }));
    await tables.dynamo.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
  }
}

async function callsOf<Result>(work: () => Promise<Result>): Promise<Result & { readonly calls: number }> {
  const before = used.calls;
  const result = await work();
  return { ...result, calls: used.calls - before };
}

it('a page of overrides takes a scan and the rows for every client, however many rows there are', async () => {
  const page = await callsOf(() => listOverrides(dependencies, { limit: 100 }));
  expect(page.limits).toHaveLength(100);
  expect(page.calls).toBe(2);
  expect(JSON.stringify(page).length).toBeLessThan(150_000);
});

it('the pages have every row once', async () => {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { limits, next_cursor } = await listOverrides(dependencies, { limit: 100, cursor });
    seen.push(...limits.map(({ client_id, endpoint }) => `${client_id} ${endpoint}`));
    cursor = next_cursor;
  } while (cursor !== undefined);
  expect([seen.length, new Set(seen).size]).toEqual([2100, 2100]);
  expect((await listSenders(dependencies, { limit: 100 })).senders).toHaveLength(100);
});

it.each(['client_0', 'Web shop'])('of one client, named %s, only its rows are read', async (client_id) => {
  const first = await listOverrides(dependencies, { limit: 2, client_id });
  const rest = await listOverrides(dependencies, { limit: 2, client_id, cursor: first.next_cursor });
  expect([...first.limits, ...rest.limits].map((row) => [row.client_id, row.endpoint])).toEqual(
    endpoints.toSorted().map((endpoint) => ['client_0', endpoint]),
  );
  expect(rest.next_cursor).toBeUndefined();
});

it('an empty list is that of a client, and never that of a misspelled one', async () => {
  expect(await listOverrides(dependencies, { limit: 5, client_id: 'client_without' })).toEqual({
    limits: [],
  });
  expect(await listOverrides(dependencies, { limit: 5, client_id: '*' })).toEqual({ limits: [] });
  // The rows of a client that does not exist are listed.
  expect((await listOverrides(dependencies, { limit: 5, client_id: 'client_1' })).limits).toHaveLength(3);
  await expect(listOverrides(dependencies, { limit: 5, client_id: 'client_nobody' })).rejects.toMatchObject({
    code: 'not_found',
  });
});

it.each([
  ['text', 'abc'],
  ['another form', cursorOf({ client_id: 'client_0' })],
  ['an empty key', cursorOf(['client_0', ''])],
  ['a key that is too long', cursorOf(['client_0', 'ü'.repeat(513)])],
  ['the cursor of another client', cursorOf(['client_1', endpoints[0]])],
])('a cursor that is %s is refused', async (_what, cursor) => {
  await expect(
    listOverrides(dependencies, { limit: 5, client_id: 'client_0', cursor }),
  ).rejects.toMatchObject({ code: 'invalid_request' });
});

it('the overview counts invalid rows in one read, and says where rows were left out', async () => {
  expect(await callsOf(() => countInvalidRows(dependencies, overrideTable, 10_000))).toEqual({
    count: 3,
    more: false,
    calls: 1,
  });
  expect(await callsOf(() => countInvalidRows(dependencies, overrideTable, 10))).toMatchObject({
    more: true,
    calls: 1,
  });
});

function cursorOf(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

it('a client with more rows than anybody enters by hand has all of them in force', async () => {
  const rows = Array.from({ length: 620 }, (_, index) => ({
    client_id: 'client_many',
    destination: `sms ${index}`,
    identity: 'ACME',
  }));
  // The other tests count the rows of the shared table.
  const own = await createTables(['senders']);
  await writeAll(own.names.senders, rows);
  const read = await readEditedRows(testContext(own), senderTable, 'client_many');
  await own.drop();
  expect(read).toHaveLength(620);
});
