import { describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import type { RefusedWork } from '../../../shared/recovery/set-aside.sqs.ts';
import { deliveryIdOf, newDelivery } from '../../../shared/webhook/delivery.ts';
import type { DeliveryEntry } from '../../../shared/webhook/delivery-queue.sqs.ts';
import type { DeliveryStore } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { sweep } from '../../../shared/webhook/sweep-deliveries.ts';
import { neverSetAside } from '../../support/doubles/never-set-aside.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { refusal } from '../../support/engine/strict-sqs.ts';
import { aSentMessage, created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const messageIdIn = (message: DeliveryEntry['message']): string =>
  'fan_out' in message ? message.fan_out.message_id : (message.delivery?.message_id ?? '');

it('a webhook whose message cannot be read delays no other webhook without a row', async () => {
  const { dueItemIndex } = inMemoryStores();
  const id = (message: string) => `${message}#sms.sent`;
  await dueItemIndex.add('deliveries', [
    { id: id('msg_unreadable'), dueAt: created },
    { id: id('msg_good'), dueAt: created },
  ]);
  const queued: DeliveryEntry[] = [];
  const now = addSeconds(created, 60);
  const { enqueued, failures } = await sweep({
    dueItemIndex,
    deliveries: inMemoryStores().deliveries,
    messages: {
      get: async (messageId) => {
        if (messageId === 'msg_unreadable') throw new Error('unreadable');
        return aSentMessage({ message_id: messageId });
      },
      getMany: async () => [],
    },
    accountUrlOf: async () => undefined,
    endpoints: inMemoryStores().endpoints,
    queue: { send: async (_lane, entries) => void queued.push(...entries) },
    setAside: neverSetAside,
    activityLog: { add: async () => {} },
    clock: () => now,
    newRevision: () => 'r',
    retentionDays: 30,
    budgetMs: 1000,
  });
  expect(failures).toEqual([new Error('unreadable')]);
  expect(enqueued).toBe(1);
  expect(queued.map(({ message }) => messageIdIn(message))).toEqual(['msg_good']);
  const left = dueItemIndex.all().flatMap(({ ids }) => ids);
  expect(left.toSorted()).toEqual([id('msg_good'), id('msg_unreadable')]);
});

it('a webhook that its queue refuses is set aside each hour for a day, and delays no other', async () => {
  const { dueItemIndex } = inMemoryStores();
  const id = (message: string) => `${message}#sms.sent`;
  await dueItemIndex.add('deliveries', [
    { id: id('msg_refused'), dueAt: created },
    { id: id('msg_good'), dueAt: created },
  ]);
  const queued = new Set<string>();
  const setAside: RefusedWork[] = [];
  let now = addSeconds(created, 60);
  for (; now < addSeconds(created, 26 * 3600); now = addSeconds(now, 600)) {
    const { failures } = await sweep({
      dueItemIndex,
      deliveries: inMemoryStores().deliveries,
      messages: {
        get: async (messageId) => aSentMessage({ message_id: messageId }),
        getMany: async () => [],
      },
      accountUrlOf: async () => undefined,
      endpoints: inMemoryStores().endpoints,
      queue: {
        send: async (_lane, entries) => {
          const sent = entries.map(({ message }) => messageIdIn(message));
          if (sent.includes('msg_refused')) throw refusal('InvalidMessageContents');
          for (const messageId of sent) queued.add(messageId);
        },
      },
      setAside: async (work) => void setAside.push(work),
      activityLog: { add: async () => {} },
      clock: () => now,
      newRevision: () => 'r',
      retentionDays: 30,
      budgetMs: 1000,
    });
    expect(failures).toEqual([]);
  }
  expect([...queued]).toEqual(['msg_good']);
  expect(new Set(setAside.map(({ messageId, since }) => `${messageId} ${since.getTime()}`)).size).toBe(1);
  expect(setAside.length).toBeGreaterThan(20);
  expect(setAside.length).toBeLessThan(28);
  expect(dueItemIndex.all().flatMap(({ ids }) => ids)).toEqual([id('msg_good')]);
});

it('a webhook that waits in a long queue for six hours gets eleven further messages there, with or without a row', async () => {
  for (const hasRow of [true, false]) {
    const message = aSentMessage({ message_id: 'msg_1' });
    const happened = new Date(message.sent_at ?? '');
    const { deliveries } = inMemoryStores();
    const delivery_id = deliveryIdOf({ messageId: 'msg_1', event: 'sms.sent' });
    const { client_id, webhook_url: url = '' } = message;
    const given = { delivery_id, client_id, url, event: 'sms.sent', body: '', lane: 'slow' } as const;
    if (hasRow) await deliveries.create(newDelivery(given, happened, 30, 'r'));
    const { dueItemIndex } = inMemoryStores();
    await dueItemIndex.add('deliveries', [{ id: 'msg_1#sms.sent', dueAt: addSeconds(happened, 90) }]);
    let enqueued = 0;
    for (let seconds = 0; seconds <= 6 * 3600; seconds += 60) {
      const swept = await sweep({
        dueItemIndex,
        deliveries,
        messages: { get: async () => message, getMany: async () => [message] },
        accountUrlOf: async () => undefined,
        endpoints: inMemoryStores().endpoints,
        queue: { send: async () => {} },
        setAside: neverSetAside,
        activityLog: { add: async () => {} },
        clock: () => addSeconds(happened, seconds),
        newRevision: () => 'r',
        retentionDays: 30,
        budgetMs: 1000,
      });
      expect(swept.failures).toEqual([]);
      enqueued += swept.enqueued;
    }
    expect(enqueued).toBeGreaterThan(6);
    expect(enqueued).toBeLessThanOrEqual(11);
  }
});

describe('an event with several destinations', () => {
  const message = aSentMessage({ message_id: 'msg_1' });
  const later = addSeconds(new Date(message.sent_at ?? ''), 90);

  /** Its client has an endpoint of before the event, and one of after it. */
  async function sweepEvent(rows: DeliveryStore) {
    const { dueItemIndex } = inMemoryStores();
    await dueItemIndex.add('fan-outs', [{ id: 'msg_1#sms.sent', dueAt: created }]);
    const { endpoints } = inMemoryStores();
    for (const [endpoint_id, created_at] of [
      ['whe_before', created],
      ['whe_after', addSeconds(later, -1)],
    ] as const) {
      const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };
      const endpoint = anEndpoint({ client_id: message.client_id, endpoint_id });
      await endpoints.create({ ...endpoint, created_at: created_at.toISOString() }, secret);
    }
    const queued: DeliveryEntry[] = [];
    const { failures } = await sweep({
      dueItemIndex,
      deliveries: rows,
      messages: { get: async () => message, getMany: async () => [message] },
      accountUrlOf: async () => undefined,
      endpoints,
      queue: { send: async (_lane, entries) => void queued.push(...entries) },
      setAside: neverSetAside,
      activityLog: { add: async () => {} },
      clock: () => later,
      newRevision: () => 'r',
      retentionDays: 30,
      budgetMs: 1000,
    });
    expect(failures).toEqual([]);
    return { queued, due: dueItemIndex.all() };
  }

  it('is queued again where none of its deliveries has a row, for the endpoints that were there', async () => {
    const { queued, due } = await sweepEvent(inMemoryStores().deliveries);
    expect(queued).toMatchObject([
      {
        clientId: message.client_id,
        message: { fan_out: { event: 'sms.sent', destinations: [{}, { endpoint_id: 'whe_before' }] } },
      },
    ]);
    expect(due.map(({ ids }) => ids)).toEqual([['msg_1#sms.sent']]);
  });

  it('is finished once one of its deliveries has a row', async () => {
    for (const endpointId of [undefined, 'whe_before']) {
      const { deliveries: rows } = inMemoryStores();
      const delivery_id = deliveryIdOf({ messageId: 'msg_1', event: 'sms.sent', endpointId });
      const given = { delivery_id, client_id: message.client_id, event: 'sms.sent', url: '', body: '' };
      await rows.create(newDelivery({ ...given, lane: 'fast' }, created, 30, 'r'));
      expect(await sweepEvent(rows)).toEqual({ queued: [], due: [] });
    }
  });
});
