import { expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import type { RefusedWork } from '../../../shared/set-aside/set-aside.ts';
import type { DeliveryEntry } from '../../../shared/webhook/schedule/delivery-queue.ts';
import { sweep } from '../../../shared/webhook/sweep/sweep-deliveries.ts';
import { memoryDeliveryStore } from '../../support/doubles/memory-delivery-store.ts';
import { memoryDueItemIndex } from '../../support/doubles/memory-due-item-index.ts';
import { memoryEndpointStore } from '../../support/doubles/memory-endpoint-store.ts';
import { neverSetAside } from '../../support/doubles/never-set-aside.ts';
import { refusal } from '../../support/engine/strict-sqs.ts';
import { aSentMessage, created } from '../../support/message/example-message.ts';

it('a webhook whose message cannot be read delays no other webhook without a row', async () => {
  const dueItemIndex = memoryDueItemIndex();
  const id = (message: string) => `${message}#sms.sent`;
  await dueItemIndex.add('deliveries', [
    { id: id('msg_unreadable'), dueAt: created },
    { id: id('msg_good'), dueAt: created },
  ]);
  const queued: DeliveryEntry[] = [];
  const now = addSeconds(created, 60);
  const { enqueued, failures } = await sweep({
    dueItemIndex,
    deliveries: memoryDeliveryStore(),
    messages: {
      get: async (messageId) => {
        if (messageId === 'msg_unreadable') throw new Error('unreadable');
        return aSentMessage({ message_id: messageId });
      },
    },
    accountUrlOf: async () => undefined,
    endpoints: memoryEndpointStore(),
    queue: { send: async (_lane, entries) => void queued.push(...entries) },
    health: { status: async () => 'healthy' },
    setAside: neverSetAside,
    clock: () => now,
    warn: () => undefined,
    newRevision: () => 'r',
    retentionDays: 30,
    budgetMs: 1000,
  });
  expect(failures).toEqual([new Error('unreadable')]);
  expect(enqueued).toBe(1);
  expect(queued.map(({ message }) => message.delivery?.message_id)).toEqual(['msg_good']);
  const left = dueItemIndex.all().flatMap(({ ids }) => ids);
  expect(left.toSorted()).toEqual([id('msg_good'), id('msg_unreadable')]);
});

it('a webhook that its queue refuses is set aside each hour for a day, and delays no other', async () => {
  const dueItemIndex = memoryDueItemIndex();
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
      deliveries: memoryDeliveryStore(),
      messages: { get: async (messageId) => aSentMessage({ message_id: messageId }) },
      accountUrlOf: async () => undefined,
      endpoints: memoryEndpointStore(),
      queue: {
        send: async (_lane, entries) => {
          const sent = entries.map(({ message }) => message.delivery?.message_id ?? '');
          if (sent.includes('msg_refused')) throw refusal('InvalidMessageContents');
          for (const messageId of sent) queued.add(messageId);
        },
      },
      health: { status: async () => 'healthy' },
      setAside: async (work) => void setAside.push(work),
      clock: () => now,
      warn: () => undefined,
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
