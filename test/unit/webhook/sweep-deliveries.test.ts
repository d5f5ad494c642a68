import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import type { RefusedWork } from '../../../shared/recovery/set-aside.sqs.ts';
import { newDelivery } from '../../../shared/webhook/delivery.ts';
import type { DeliveryEntry } from '../../../shared/webhook/delivery-queue.sqs.ts';
import { sweep } from '../../../shared/webhook/sweep-deliveries.ts';
import { neverSetAside } from '../../support/doubles/never-set-aside.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { refusal } from '../../support/engine/strict-sqs.ts';
import { created } from '../../support/message/example-message.ts';

type SweepDependencies = Parameters<typeof sweep>[0];

/** A sweep of tables in memory, in which a test replaces what it is about. */
function sweepOf(more: Partial<SweepDependencies> & Pick<SweepDependencies, 'queue' | 'clock'>) {
  const { deliveries, endpoints, dueItemIndex } = inMemoryStores();
  return sweep({
    ...{ deliveries, endpoints, dueItemIndex, setAside: neverSetAside },
    activityLog: inMemoryStores().activityLog,
    newRevision: () => 'r',
    retentionDays: 30,
    budgetMs: 1000,
    ...more,
  });
}

/** A delivery whose queue message was lost. */
function aDelivery(delivery_id: string, at = created) {
  const given = { delivery_id, client_id: 'client-a', event: 'sms.sent', url: '', body: '' };
  return newDelivery(given, at, 30, 'r');
}

it('a webhook whose row cannot be read delays no other, and one without a row is dropped', async () => {
  const { dueItemIndex, deliveries, tables } = inMemoryStores();
  await deliveries.create(aDelivery('whd_good'));
  await tables.dynamo.send(
    new PutCommand({ TableName: tables.names.webhook_deliveries, Item: { delivery_id: 'whd_unreadable' } }),
  );
  const ids = ['whd_unreadable', 'whd_good', 'whd_missing'];
  await dueItemIndex.add(
    'deliveries',
    ids.map((id) => ({ id, dueAt: created })),
  );
  const queued: DeliveryEntry[] = [];
  const { enqueued, failures } = await sweepOf({
    ...{ dueItemIndex, deliveries },
    queue: { send: async (_queue, entries) => void queued.push(...entries) },
    clock: () => addSeconds(created, 120),
  });
  expect(failures).toHaveLength(1);
  expect(enqueued).toBe(1);
  expect(queued.map(({ message }) => message.delivery_id)).toEqual(['whd_good']);
  const left = dueItemIndex.all().flatMap((entry) => entry.ids);
  expect(left.toSorted()).toEqual(['whd_good', 'whd_unreadable']);
});

it('a webhook that its queue refuses is set aside each hour for a day, and delays no other', async () => {
  const { dueItemIndex, deliveries } = inMemoryStores();
  for (const id of ['whd_refused', 'whd_good']) {
    await deliveries.create(aDelivery(id));
    await dueItemIndex.add('deliveries', [{ id, dueAt: created }]);
  }
  const queued = new Set<string>();
  const setAside: RefusedWork[] = [];
  let now = addSeconds(created, 120);
  for (; now < addSeconds(created, 26 * 3600); now = addSeconds(now, 600)) {
    const { failures } = await sweepOf({
      ...{ dueItemIndex, deliveries },
      queue: {
        send: async (_queue, entries) => {
          const sent = entries.map(({ message }) => message.delivery_id);
          if (sent.includes('whd_refused')) throw refusal('InvalidMessageContents');
          for (const id of sent) queued.add(id);
        },
      },
      setAside: async (work) => void setAside.push(work),
      clock: () => now,
    });
    expect(failures).toEqual([]);
  }
  expect([...queued]).toEqual(['whd_good']);
  expect(new Set(setAside.map(({ deliveryId, since }) => `${deliveryId} ${since.getTime()}`)).size).toBe(1);
  expect(setAside.length).toBeGreaterThan(20);
  expect(setAside.length).toBeLessThan(28);
  expect(dueItemIndex.all().flatMap(({ ids }) => ids)).toEqual(['whd_good']);
});

it('a webhook that waits in a long queue for six hours gets eleven further messages there', async () => {
  const { dueItemIndex, deliveries } = inMemoryStores();
  await deliveries.create(aDelivery('whd_1'));
  await dueItemIndex.add('deliveries', [{ id: 'whd_1', dueAt: addSeconds(created, 90) }]);
  let enqueued = 0;
  for (let seconds = 0; seconds <= 6 * 3600; seconds += 60) {
    const swept = await sweepOf({
      ...{ dueItemIndex, deliveries },
      queue: { send: async () => {} },
      clock: () => addSeconds(created, seconds),
    });
    expect(swept.failures).toEqual([]);
    enqueued += swept.enqueued;
  }
  expect(enqueued).toBeGreaterThan(6);
  expect(enqueued).toBeLessThanOrEqual(11);
});
