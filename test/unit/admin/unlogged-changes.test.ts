/** Every change is an entry of the Activity Log (contract 8.2): what cannot be entered is not done. */
import { expect, it } from '@jest/globals';
import type { AdminContext } from '../../../shared/admin/admin-context.ts';
import {
  createApiKey,
  rotateClientSecret,
  rotateWebhookSecret,
} from '../../../shared/admin/client-credentials.ts';
import { deleteSuppression } from '../../../shared/admin/client-suppressions.ts';
import { createClient } from '../../../shared/admin/manage-clients.ts';
import { hasSecret } from '../../../shared/client/client.ts';
import { createClient as createStoredClient } from '../../../shared/client/client-admin.ts';
import { apiKeysOf, findClient, storeClient } from '../../../shared/client/client-store.dynamo.ts';
import { readWebhookSecrets } from '../../../shared/client/webhook-secrets.dynamo.ts';
import { storeSuppression } from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { testContext, withCalls } from '../../support/engine/test-context.ts';
import { accessTo } from '../../support/gateway/access.ts';
import { aClient } from '../../support/message/ask-operation.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const recipient = '+447700900123';

async function withoutLog() {
  const tables = inMemoryTables();
  const { admin } = accessTo(tables, now);
  const made = await createStoredClient(admin, { name: 'Shop', scopes: ['messages'] }, now);
  const logged = { ...admin, ...testContext(tables, { clock: () => now }) } as unknown as AdminContext;
  const dependencies = withCalls(logged, ({ input }, run) => {
    if (input.TableName === tables.names.activity_log) throw new Error('the log cannot be written');
    return run();
  });
  return { logged, tables, admin, made, dependencies, clientId: made.client.client_id };
}

it('a client secret gets no end by a rotation without an entry', async () => {
  const { admin, made, dependencies, clientId } = await withoutLog();
  await expect(rotateClientSecret(dependencies, 'me', clientId, {})).rejects.toThrow();
  const client = await findClient(admin, clientId);
  if (client === undefined) throw new Error('no client');
  expect(hasSecret(client, made.clientSecret, addSeconds(now, 25 * 3600))).toBe(true);
});

it('a client secret is not ended at once by a rotation without an entry', async () => {
  const { admin, made, dependencies, clientId } = await withoutLog();
  await expect(rotateClientSecret(dependencies, 'me', clientId, { overlap_hours: 0 })).rejects.toThrow();
  const client = await findClient(admin, clientId);
  if (client === undefined) throw new Error('no client');
  expect(hasSecret(client, made.clientSecret, now)).toBe(true);
});

it('no webhook secret is made without an entry', async () => {
  const { admin, dependencies, clientId } = await withoutLog();
  await expect(rotateWebhookSecret(dependencies, 'me', clientId, {})).rejects.toThrow();
  expect(await readWebhookSecrets(admin, clientId)).toHaveLength(1);
});

it('no API key is made without an entry', async () => {
  const { admin, dependencies, clientId } = await withoutLog();
  await expect(createApiKey(dependencies, 'me', clientId)).rejects.toThrow();
  expect(await apiKeysOf(admin, clientId)).toEqual([]);
});

it('no client is made without an entry', async () => {
  const { tables, dependencies } = await withoutLog();
  const wanted = { name: 'Second', scopes: ['messages'] as const };
  await expect(createClient(dependencies, 'me', wanted as never)).rejects.toThrow();
  expect(tables.rows('clients')).toHaveLength(1);
});

it('an end of a suppression that older reads do not show yet is an entry, too', async () => {
  const tables = inMemoryTables({ late: { now: () => 0, later: () => {}, lagMs: () => 1000 } });
  const { context } = inMemoryStores(tables);
  await storeClient(context, aClient({ client_id: 'client' }));
  await storeSuppression(context, {
    client_id: 'client',
    recipient,
    scope: 'all',
    source: 'client',
    at: now,
  });
  const dependencies = {
    ...context,
    clock: () => addSeconds(now, 0.5),
  } as unknown as AdminContext;
  expect(await deleteSuppression(dependencies, 'me', { client: 'client', recipient })).toMatchObject({
    deleted: true,
  });
  expect(tables.rows('activity_log')).toHaveLength(1);
});

it('a rotation that is refused has no entry', async () => {
  const { tables, admin, logged, clientId } = await withoutLog();
  await rotateClientSecret(logged, 'me', clientId, {});
  await expect(rotateClientSecret(logged, 'me', clientId, {})).rejects.toMatchObject({
    code: 'secret_limit_reached',
  });
  expect(tables.rows('activity_log')).toHaveLength(1);
  expect((await findClient(admin, clientId))?.secrets).toHaveLength(2);
});
