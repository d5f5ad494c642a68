import { describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import type { RefusedWork } from '../../../shared/recovery/set-aside.sqs.ts';
import { deliveryIdOf, newDelivery } from '../../../shared/webhook/delivery.ts';
import type { DeliveryEntry } from '../../../shared/webhook/delivery-queue.sqs.ts';
import type { DeliveryStore } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { sweep } from '../../../shared/webhook/sweep-deliveries.ts';
import { changed, type EndpointChange } from '../../../shared/webhook/webhook-endpoint.ts';
import { neverSetAside } from '../../support/doubles/never-set-aside.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { refusal } from '../../support/engine/strict-sqs.ts';
import { aSentMessage, created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

type SweepDependencies = Parameters<typeof sweep>[0];

/** A sweep of tables in memory, in which a test replaces what it is about. */
function sweepOf(more: Partial<SweepDependencies> & Pick<SweepDependencies, 'queue' | 'clock'>) {
  const { deliveries, endpoints, dueItemIndex, slowEndpoints } = inMemoryStores();
  return sweep({
    ...{ deliveries, endpoints, dueItemIndex, slowEndpoints, setAside: neverSetAside },
    messages: {
      get: async (message_id) => aSentMessage({ message_id }),
      getMany: async () => [],
    },
    accountUrlOf: async () => undefined,
    activityLog: inMemoryStores().activityLog,
    newRevision: () => 'r',
    retentionDays: 30,
    budgetMs: 1000,
    ...more,
  });
}

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
  const { enqueued, failures } = await sweepOf({
    dueItemIndex,
    messages: {
      get: async (messageId) => {
        if (messageId === 'msg_unreadable') throw new Error('unreadable');
        return aSentMessage({ message_id: messageId });
      },
      getMany: async () => [],
    },
    queue: { send: async (_queue, entries) => void queued.push(...entries) },
    clock: () => now,
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
    const { failures } = await sweepOf({
      dueItemIndex,
      queue: {
        send: async (_queue, entries) => {
          const sent = entries.map(({ message }) => messageIdIn(message));
          if (sent.includes('msg_refused')) throw refusal('InvalidMessageContents');
          for (const messageId of sent) queued.add(messageId);
        },
      },
      setAside: async (work) => void setAside.push(work),
      clock: () => now,
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
    const given = { delivery_id, client_id, url, event: 'sms.sent', body: '' } as const;
    if (hasRow) await deliveries.create(newDelivery(given, happened, 30, 'r'));
    const { dueItemIndex } = inMemoryStores();
    await dueItemIndex.add('deliveries', [{ id: 'msg_1#sms.sent', dueAt: addSeconds(happened, 90) }]);
    let enqueued = 0;
    for (let seconds = 0; seconds <= 6 * 3600; seconds += 60) {
      const swept = await sweepOf({
        dueItemIndex,
        deliveries,
        messages: { get: async () => message, getMany: async () => [message] },
        queue: { send: async () => {} },
        clock: () => addSeconds(happened, seconds),
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
    const { failures } = await sweepOf({
      dueItemIndex,
      deliveries: rows,
      messages: { get: async () => message, getMany: async () => [message] },
      endpoints,
      queue: { send: async (_queue, entries) => void queued.push(...entries) },
      clock: () => later,
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
      await rows.create(newDelivery(given, created, 30, 'r'));
      expect(await sweepEvent(rows)).toEqual({ queued: [], due: [] });
    }
  });
});

/**
 * To which endpoints an event goes that its queue lost, when one of them was changed 20 s after it: it is planned as they
 * were at the event (contract 7.12, 12.1).
 */
describe('an event whose endpoint is changed before its review', () => {
  const [one, other] = ['whe_01KAG00000000000000000000A', 'whe_01KAG00000000000000000000B'];
  const { webhook_url: _url, ...message } = aSentMessage({ message_id: 'msg_1', client_id: 'client-a' });
  const happened = new Date(message.sent_at ?? '');
  const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };

  async function sweptTo(
    list: 'deliveries' | 'fan-outs',
    id: string,
    change: EndpointChange,
    before: object,
  ) {
    const { dueItemIndex, deliveries, endpoints, messages } = inMemoryStores();
    await messages.create(message);
    await dueItemIndex.add(list, [{ id, dueAt: addSeconds(happened, 90) }]);
    const created_at = addSeconds(created, -3600).toISOString();
    const endpoint = anEndpoint({ created_at, endpoint_id: one, ...before });
    await endpoints.create(endpoint, secret);
    await endpoints.create(anEndpoint({ created_at, endpoint_id: other }), secret);
    await endpoints.change(endpoint, changed(endpoint, change, addSeconds(happened, 20), 'second'));
    const queued: DeliveryEntry[] = [];
    await sweepOf({
      ...{ dueItemIndex, deliveries, messages, endpoints },
      queue: { send: async (_queue, entries) => void queued.push(...entries) },
      clock: () => addSeconds(happened, 120),
    });
    return queued.flatMap(({ message: sent }) =>
      'fan_out' in sent
        ? sent.fan_out.destinations.map(({ endpoint_id }) => endpoint_id)
        : [sent.delivery?.endpoint_id],
    );
  }

  it.each<EndpointChange>([{ enabled: false }, { events: ['sms.failed'] }])(
    'goes to the endpoint that took it, after %j',
    async (change) => {
      expect(await sweptTo('deliveries', `msg_1#sms.sent#${one}`, change, {})).toEqual([one]);
      expect(await sweptTo('fan-outs', 'msg_1#sms.sent', change, {})).toEqual([one, other]);
    },
  );

  it.each([
    [{ events: ['sms.failed'] }, { events: null }],
    [{ enabled: false }, { enabled: true }],
  ])('goes to no endpoint that was %j at the event and then got %j', async (before, change) => {
    expect(await sweptTo('fan-outs', 'msg_1#sms.sent', change, before)).toEqual([other]);
  });
});
