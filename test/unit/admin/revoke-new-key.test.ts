/** An API key that was made a moment ago, and leaked, is revoked: the index by which it is found is late (contract 3.2). */
import { expect, it } from '@jest/globals';
import { revokeApiKey } from '../../../shared/admin/client-credentials.ts';
import { createApiKey, createClient } from '../../../shared/client/client-admin.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { accessTo } from '../../support/gateway/access.ts';

const now = new Date('2026-11-20T10:00:00.000Z');

it('is revoked, with one entry of the Activity Log', async () => {
  const later = (ms: number, run: () => void) => void setTimeout(run, ms);
  const { admin } = accessTo(inMemoryTables({ late: { now: Date.now, later, lagMs: () => 300 } }), now);
  const { client } = await createClient(admin, { name: 'Shop', scopes: ['messages'] }, now);
  const { row } = await createApiKey(admin, client.client_id, now);
  const entries: unknown[] = [];
  const activityLog = { add: async (entry: unknown) => void entries.push(entry) };
  const dependencies = { ...admin, clock: () => now, activityLog } as never;
  await revokeApiKey(dependencies, 'Ada', client.client_id, row.key_id);
  expect(await admin.apiKeys.find(row.key_hash)).toMatchObject({ revoked_at: now.toISOString() });
  expect(entries).toMatchObject([{ kind: 'api_key_revoked', before: { key_id: row.key_id } }]);
  await expect(revokeApiKey(dependencies, 'Ada', client.client_id, 'key_unknown')).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(entries).toHaveLength(1);
});
