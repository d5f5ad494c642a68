import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { withoutUndefined } from '../../../shared/platform/object-fields.ts';
import { acknowledged, claimDelivery, type Delivery, newDelivery } from '../../../shared/webhook/delivery.ts';
import {
  listDeliveryKeys,
  readDeliveries,
  readDelivery,
  replaceDelivery,
  storeDelivery,
} from '../../../shared/webhook/delivery-store.dynamo.ts';
import { createTables } from '../../support/engine/tables.ts';
import { type TestContext, testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { created } from '../../support/message/example-message.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['webhook_deliveries']);
});
afterAll(() => tables.drop());

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

describe.each<[string, () => TestContext]>([
  ['in memory', () => testContext()],
  ['in the table', () => testContext(tables)],
])('deliveries %s', (_where, newContext) => {
  it('keeps the first row of an id if it is created again', async () => {
    const context = newContext();
    const first = aDelivery();
    expect(await storeDelivery(context, first)).toEqual(first);
    expect(await storeDelivery(context, { ...first, body: '{"other":true}' })).toMatchObject(
      withoutUndefined(first),
    );
    expect(await readDelivery(context, first.delivery_id)).toMatchObject(withoutUndefined(first));
  });

  it('lets one of many workers have an attempt', async () => {
    const context = newContext();
    const seen = aDelivery();
    await storeDelivery(context, seen);
    const won = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        replaceDelivery(context, seen, claimDelivery(seen, created, `worker ${i}`)),
      ),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  it('recognises its own write when it is repeated after a lost response', async () => {
    const context = newContext();
    const seen = aDelivery();
    await storeDelivery(context, seen);
    const next = claimDelivery(seen, created, 'mine');
    expect(await replaceDelivery(context, seen, next)).toBe(true);
    expect(await replaceDelivery(context, seen, next)).toBe(true);
    expect(await replaceDelivery(context, seen, claimDelivery(seen, created, 'theirs'))).toBe(false);
  });

  it('reads every attempt as it was written', async () => {
    const context = newContext();
    const seen = aDelivery();
    await storeDelivery(context, seen);
    const held = claimDelivery(seen, created, 'held');
    await replaceDelivery(context, seen, held);
    const done = acknowledgedFrom(held);
    await replaceDelivery(context, held, done);
    expect(await readDelivery(context, seen.delivery_id)).toMatchObject(withoutUndefined(done));
  });

  it('lists the deliveries of a client by time: all, and those that failed until they are acknowledged', async () => {
    const context = newContext();
    const client_id = `client ${deliveries}`;
    const rows = Array.from({ length: 9 }, (_, index) => ({
      ...{ ...aDelivery(), client_id, state: index < 6 ? ('failed' as const) : ('pending' as const) },
      created_at: addSeconds(created, index).toISOString(),
    }));
    for (const row of rows) await storeDelivery(context, row);
    const ids = rows.map(({ delivery_id }) => delivery_id);
    const all = { clientId: client_id, failed: false, after: '0', before: '~', limit: 100 } as const;
    const list = async (range: Partial<Parameters<typeof listDeliveryKeys>[1]>) =>
      (await listDeliveryKeys(context, { ...all, order: 'oldest first', ...range })).map(
        ({ delivery_id }) => delivery_id,
      );
    expect(await list({})).toEqual(ids);
    expect(await list({ order: 'newest first', limit: 4 })).toEqual(ids.toReversed().slice(0, 4));
    const [first, second] = await listDeliveryKeys(context, { ...all, order: 'oldest first', limit: 2 });
    expect(await list({ after: second?.list_at ?? '', limit: 2 })).toEqual(ids.slice(2, 4));
    expect(await list({ after: second?.list_at ?? '', before: first?.list_at ?? '' })).toEqual([]);
    const [resent, again] = await readDeliveries(context, ids.slice(0, 2));
    if (resent === undefined || again === undefined) throw new Error('they are stored');
    await replaceDelivery(context, resent, { ...resent, state: 'pending', revision: 'resent' });
    await replaceDelivery(context, again, { ...again, state: 'acknowledged', revision: 'acknowledged' });
    expect(await list({ failed: true })).toEqual(ids.slice(0, 6).filter((id) => id !== again.delivery_id));
  });
});

it('a delivery is due 90 s after its time, also while it is claimed, until it is finished', () => {
  const seen = aDelivery();
  const held = claimDelivery(seen, created, 'held');
  const dueAt = addSeconds(created, 90).toISOString();
  expect([seen.due_at, held.due_at, acknowledgedFrom(held).due_at]).toEqual([dueAt, dueAt, undefined]);
});
