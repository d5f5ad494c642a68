import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { withoutUndefined } from '../../../shared/platform/object-fields.ts';
import { acknowledged, claimed, type Delivery, newDelivery } from '../../../shared/webhook/delivery.ts';
import { type DeliveryStore, dynamoDeliveryStore } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { created } from '../../support/message/example-message.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['webhook_deliveries']);
});
afterAll(() => tables.drop());

const tableStore = () => dynamoDeliveryStore(tables.dynamo, tables.names.webhook_deliveries);
let deliveries = 0;

function aDelivery(): Delivery {
  deliveries += 1;
  const id = `whd_${String(deliveries).padStart(26, '0')}`;
  const given = {
    delivery_id: id,
    client_id: 'c',
    message_id: 'm',
    event: 'sms.sent',
    url: 'https://a.b',
    body: '{}',
  } as const;
  return newDelivery(given, created, 30, 'first');
}

function acknowledgedFrom(held: Delivery): Delivery {
  const at = created.toISOString();
  return acknowledged(
    held,
    {
      number: 1,
      trigger: 'automatic',
      due_at: at,
      started_at: at,
      ended_at: at,
      lateness_ms: 0,
      total_ms: 12.5,
      reused_connection: false,
      request_headers: {},
      response_headers: {},
      response_body: 'ok',
    },
    'acknowledged',
  );
}

describe.each<[string, () => DeliveryStore]>([
  ['in memory', () => inMemoryStores().deliveries],
  ['in the table', tableStore],
])('deliveries %s', (_where, newStore) => {
  it('keeps the first row of an id if it is created again', async () => {
    const store = newStore();
    const first = aDelivery();
    expect(await store.create(first)).toEqual(first);
    expect(await store.create({ ...first, body: '{"other":true}' })).toMatchObject(withoutUndefined(first));
    expect(await store.get(first.delivery_id)).toMatchObject(withoutUndefined(first));
  });

  it('lets one of many workers have an attempt', async () => {
    const store = newStore();
    const seen = aDelivery();
    await store.create(seen);
    const won = await Promise.all(
      Array.from({ length: 10 }, (_, i) => store.replace(seen, claimed(seen, created, `worker ${i}`))),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  it('recognises its own write when it is repeated after a lost response', async () => {
    const store = newStore();
    const seen = aDelivery();
    await store.create(seen);
    const next = claimed(seen, created, 'mine');
    expect(await store.replace(seen, next)).toBe(true);
    expect(await store.replace(seen, next)).toBe(true);
    expect(await store.replace(seen, claimed(seen, created, 'theirs'))).toBe(false);
  });

  it('reads every attempt as it was written', async () => {
    const store = newStore();
    const seen = aDelivery();
    await store.create(seen);
    const held = claimed(seen, created, 'held');
    await store.replace(seen, held);
    const done = acknowledgedFrom(held);
    await store.replace(held, done);
    expect(await store.get(seen.delivery_id)).toMatchObject(withoutUndefined(done));
  });

  it('lists the deliveries of a client by time: all, and those that failed until they are acknowledged', async () => {
    const store = newStore();
    const client_id = `client ${deliveries}`;
    const rows = Array.from({ length: 9 }, (_, index) => ({
      ...{ ...aDelivery(), client_id, state: index < 6 ? ('failed' as const) : ('pending' as const) },
      created_at: addSeconds(created, index).toISOString(),
    }));
    for (const row of rows) await store.create(row);
    const ids = rows.map(({ delivery_id }) => delivery_id);
    const all = { clientId: client_id, failed: false, after: '0', before: '~', limit: 100 } as const;
    const list = async (range: Partial<Parameters<DeliveryStore['list']>[0]>) =>
      (await store.list({ ...all, order: 'oldest first', ...range })).map(({ delivery_id }) => delivery_id);
    expect(await list({})).toEqual(ids);
    expect(await list({ order: 'newest first', limit: 4 })).toEqual(ids.toReversed().slice(0, 4));
    const [first, second] = await store.list({ ...all, order: 'oldest first', limit: 2 });
    expect(await list({ after: second?.list_at ?? '', limit: 2 })).toEqual(ids.slice(2, 4));
    expect(await list({ after: second?.list_at ?? '', before: first?.list_at ?? '' })).toEqual([]);
    const [resent, again] = await store.getMany(ids.slice(0, 2));
    if (resent === undefined || again === undefined) throw new Error('they are stored');
    await store.replace(resent, { ...resent, state: 'pending', revision: 'resent' });
    await store.replace(again, { ...again, state: 'acknowledged', revision: 'acknowledged' });
    expect(await list({ failed: true })).toEqual(ids.slice(0, 6).filter((id) => id !== again.delivery_id));
  });
});

it('a delivery is due 90 s after its time, also while it is claimed, until it is finished', () => {
  const seen = aDelivery();
  const held = claimed(seen, created, 'held');
  const dueAt = addSeconds(created, 90).toISOString();
  expect([seen.due_at, held.due_at, acknowledgedFrom(held).due_at]).toEqual([dueAt, dueAt, undefined]);
});
