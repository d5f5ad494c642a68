import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../shared/platform/ids.ts';
import { dynamoResendStore, type ResendStore } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { newResend } from '../../../shared/webhook/log/resend.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['webhook_deliveries']);
});
afterAll(() => tables.drop());

const now = new Date('2026-11-20T10:00:00.000Z');
const filter = { state: 'failed', since: now.toISOString(), until: now.toISOString() } as const;
const aResend = (resendId = newId('whr', new Date()), revision = 'first') =>
  newResend({ ...filter, resend_id: resendId, client_id: 'client', actor: 'client' }, now, 30, revision);

describe.each([
  ['in memory', () => inMemoryStores().resends],
  ['in the table', () => dynamoResendStore(tables.dynamo, tables.names.webhook_deliveries)],
])('requests to resend many webhooks %s', (_where, makeStore) => {
  let store: ResendStore;
  beforeAll(() => {
    store = makeStore();
  });

  it('keep the first request with an id', async () => {
    const first = aResend();
    expect(await store.get(first.resend_id)).toBeUndefined();
    expect(await store.create(first)).toEqual(first);
    expect(await store.create(aResend(first.resend_id, 'second'))).toMatchObject(first);
    expect(await store.get(first.resend_id)).toMatchObject(first);
  });

  it('are changed by one of several processes, which may repeat its write', async () => {
    const first = await store.create(aResend());
    const next = { ...first, revision: 'next', matched: 100, cursor: 'abc' };
    expect(await store.replace(first, next)).toBe(true);
    expect(await store.replace(first, next)).toBe(true);
    expect(await store.replace(first, { ...first, revision: 'other' })).toBe(false);
    expect(await store.get(first.resend_id)).toMatchObject(next);
  });
});
