/** The list of clients: by name, or by age, in pages; if there are too many to be sorted, in the order of the table. */
import { expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import type { AdminContext } from '../../../shared/admin/admin-context.ts';
import { revokeApiKey } from '../../../shared/admin/client-credentials.ts';
import { clientIdOf } from '../../../shared/admin/find-client.ts';
import { listClients, newClientBody } from '../../../shared/admin/manage-clients.ts';
import { createApiKey, createClient } from '../../../shared/client/client-admin.ts';
import { findApiKey, storeClient } from '../../../shared/client/client-store.dynamo.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { writeRows } from '../../support/engine/write-rows.ts';
import { accessTo } from '../../support/gateway/access.ts';
import { aClient } from '../../support/message/ask-operation.ts';

/** Ids in the order of the table; the later ones are older, and their names come first. */
function clientsOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    client_id: `client_${String(index).padStart(4, '0')}`,
    name: `Shop ${String(count - index).padStart(4, '0')}`,
    scopes: ['messages'],
    disabled: false,
    secrets: [],
    created_at: new Date(Date.UTC(2026, 10, 20) - index * 1000).toISOString(),
  }));
}

async function dependenciesOf(count: number): Promise<AdminContext> {
  const tables = inMemoryTables();
  await writeRows(tables.dynamo, tables.names.clients, clientsOf(count));
  return testContext(tables, {
    clock: () => new Date('2026-11-20T12:00:00.000Z'),
  }) as unknown as AdminContext;
}

async function namesOf(count: number, query: Partial<Parameters<typeof listClients>[1]> = {}) {
  const dependencies = await dependenciesOf(count);
  const names: string[] = [];
  let cursor: string | undefined;
  let total: number | undefined;
  do {
    const page = await listClients(dependencies, { limit: 3, cursor, ...query });
    names.push(...page.clients.map(({ name }) => name));
    cursor = page.next_cursor;
    total = page.total;
  } while (cursor !== undefined);
  return { names, total };
}

const byName = ['Shop 0001', 'Shop 0002', 'Shop 0003', 'Shop 0004', 'Shop 0005', 'Shop 0006', 'Shop 0007'];

it('is by name, each client once, with the number of all', async () => {
  expect(await namesOf(7)).toEqual({ names: byName, total: 7 });
});

it('is in the order that is asked for', async () => {
  expect((await namesOf(7, { sort: 'created_at' })).names).toEqual(byName);
  expect((await namesOf(7, { sort: 'created_at', descending: 'true' })).names).toEqual(byName.toReversed());
  expect((await namesOf(7, { descending: 'true' })).names).toEqual(byName.toReversed());
});

it('refuses a cursor of no client', async () => {
  const dependencies = await dependenciesOf(7);
  await expect(listClients(dependencies, { limit: 3, cursor: 'client_nobody' })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

it('has every client also where they are too many to be sorted', async () => {
  const { names, total } = await namesOf(1600, { limit: 100 });
  expect([new Set(names).size, total]).toEqual([1600, undefined]);
});

it('has no client whose name is too long to find it by: characters count, not code units', async () => {
  const name = '💬'.repeat(100);
  const dependencies = testContext() as unknown as AdminContext;
  await storeClient(dependencies, { ...aClient({ client_id: 'client_1' }), name });
  expect(await clientIdOf(dependencies, name)).toBe('client_1');
  await expect(clientIdOf(dependencies, `${name}x`)).rejects.toThrow(`There is no client ${name}.`);
});

it.each([
  ...['\u202eevil', 'li\u200bve', 'Sh\u0007op', 'Shop\nlive', 'Shop\ufeff.'].map((name) => [name, false]),
  ...['Grüße & Co. 👩‍👧', '店', 'می‌خواهم'].map((name) => [name, true]),
])('no name looks like another one: %j may be given: %s', (name, expected) => {
  expect(newClientBody({ webhookUrl: z.string() }).safeParse({ name }).success).toBe(expected);
});

/** The index by which it is found is late (contract 3.2). */
it('an API key that was made a moment ago is revoked, with one entry of the Activity Log', async () => {
  const now = new Date('2026-11-20T10:00:00.000Z');
  const later = (ms: number, run: () => void) => void setTimeout(run, ms);
  const tables = inMemoryTables({ late: { now: Date.now, later, lagMs: () => 300 } });
  const { admin } = accessTo(tables, now);
  const { client } = await createClient(admin, { name: 'Shop', scopes: ['messages'] }, now);
  const { row } = await createApiKey(admin, client.client_id, now);
  const dependencies = { ...admin, ...testContext(tables, { clock: () => now }) } as never;
  await revokeApiKey(dependencies, 'Ada', client.client_id, row.key_id);
  expect(await findApiKey(admin, row.key_hash)).toMatchObject({ revoked_at: now.toISOString() });
  expect(tables.rows('activity_log')).toMatchObject([
    { kind: 'api_key_revoked', before: { key_id: row.key_id } },
  ]);
  await expect(revokeApiKey(dependencies, 'Ada', client.client_id, 'key_unknown')).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(tables.rows('activity_log')).toHaveLength(1);
});
