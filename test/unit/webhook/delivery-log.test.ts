/** The log of a client's webhooks: pages that leave nothing out and repeat nothing, each of bounded work (contract 12.3). */

import { describe, expect, it } from '@jest/globals';
import { addActivity } from '../../../shared/activity/write-activity.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { reportDisabled } from '../../../shared/webhook/deliver/disable-endpoint.ts';
import { unpostedAttempt } from '../../../shared/webhook/deliver/sign-and-post.ts';
import { type DeliveryLogQuery, deliveryLog } from '../../../shared/webhook/log/delivery-log.ts';
import { sendTestEvent } from '../../../shared/webhook/manage-endpoints.ts';
import { changed, type EndpointChange } from '../../../shared/webhook/webhook-endpoint.ts';
import type { DeliveryList, DeliverySummary } from '../../../shared/webhook/webhook-response.schema.ts';
import { aSentMessage, created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';
import { failedDelivery, webhookWorkers } from '../../support/webhook/webhook-workers.ts';

type Query = Partial<DeliveryLogQuery>;

const endpointIds = Array.from({ length: 10 }, (_, index) => newId('whe', addSeconds(created, index)));
const [first = '', second = '', third = '', fourth = ''] = endpointIds;

const idsOf = (listed: readonly DeliverySummary[]) => listed.map(({ delivery_id }) => delivery_id);

/** A client with ten endpoints and messages that were sent and delivered, each a second after the other. */
async function aClient(messages: number) {
  const workers = webhookWorkers({ answer: () => ({ afterMs: 20, status: 200 }) });
  const { tables, clock } = workers;
  for (const endpoint_id of endpointIds)
    await workers.endpoints.create(anEndpoint({ endpoint_id }), {
      ...{ secret: 'whsec_c2VjcmV0', created_at: created.toISOString() },
    });
  const messageAt = (at: Date) => {
    const times = { message_id: newId('msg', at), created_at: at.toISOString() };
    return aSentMessage({ ...times, sent_at: addSeconds(at, 0.5).toISOString() });
  };
  async function send(at: Date) {
    const sent = messageAt(at);
    const delivered_at = addSeconds(at, 0.6).toISOString();
    const after = { ...sent, status: 'delivered' as const, delivered_at };
    await workers.relay({ before: undefined, after });
  }
  for (let index = 0; index < messages; index += 1) await send(addSeconds(created, index));
  await workers.run(60);
  const page = (query: Query = {}, clientId = 'client-a'): Promise<DeliveryList> =>
    deliveryLog(workers, clientId, { limit: 20, ...query });
  return {
    ...{ workers, page, messageAt, send },
    stored: () =>
      tables
        .rows('webhook_deliveries')
        .flatMap(({ delivery_id, event }) => (event ? [String(delivery_id)] : [])),
    /** All pages, with something else between two of them. */
    async all(query: Query = {}, between = async () => {}): Promise<readonly DeliverySummary[]> {
      const found: DeliverySummary[] = [];
      let cursor: string | undefined;
      do {
        const { webhook_deliveries, next_cursor } = await page({ ...query, cursor });
        found.push(...webhook_deliveries);
        cursor = next_cursor;
        await between();
      } while (cursor !== undefined);
      return found;
    },
    async test(endpointId: string) {
      const { delivery_id } = await sendTestEvent(workers, {
        actor: 'client-a',
        clientId: 'client-a',
        endpointId,
      });
      await workers.run(5);
      return delivery_id;
    },
    async disable() {
      const [endpoint_id, disabled_at] = [newId('whe', created), clock().toISOString()];
      const reason = { disabled_at, disabled_reason: 'no_successful_delivery' } as const;
      await reportDisabled(workers, anEndpoint({ endpoint_id, ...reason }));
      await workers.run(5);
    },
    async change(endpointId: string, wanted: EndpointChange) {
      const seen = (await workers.endpoints.get('client-a', endpointId)) ?? anEndpoint();
      await workers.endpoints.change(seen, changed(seen, wanted, clock(), 'another'));
    },
  };
}

describe('the log of webhooks', () => {
  it.each([1, 7, 100])('has every delivery once, newest message first, in pages of %i', async (limit) => {
    const { stored, all } = await aClient(limit === 1 ? 2 : 12);
    const listed = await all({ limit });
    expect(idsOf(listed).toSorted()).toEqual(stored().toSorted());
    const messages = listed.map(({ message_id }) => String(message_id));
    expect(messages).toEqual(messages.toSorted().toReversed());
  });

  it('has what was there before the first page once, whatever is sent, tested or disabled between two pages', async () => {
    const { workers, stored, all, send, test, disable } = await aClient(5);
    await test(first);
    await disable();
    const before = stored();
    const listed = idsOf(
      await all({ limit: 7 }, async () => {
        await send(workers.clock());
        await test(second);
        await disable();
      }),
    );
    expect(listed).toEqual([...new Set(listed)]);
    expect(listed).toEqual(expect.arrayContaining(before));
  });

  it.each([1, 3, 100])('has test events among the others by their time, in pages of %i', async (limit) => {
    const { workers, all, test, send } = await aClient(2);
    const earlier = await test(fourth);
    const at = workers.clock();
    await send(at);
    await workers.run(5);
    const later = await test(second);
    const found = async (query: Query) => idsOf(await all({ ...query, limit }));
    const listed = await found({});
    expect(new Set(listed).size).toBe(3 * 22 + 2);
    expect([listed.length, listed.indexOf(later), listed.indexOf(earlier)]).toEqual([3 * 22 + 2, 0, 23]);
    expect(await found({ endpoint_id: fourth, since: at.toISOString() })).not.toContain(earlier);
    expect(await found({ endpoint_id: fourth })).toContain(earlier);
    expect(await found({ endpoint_id: fourth })).not.toContain(later);
    expect(await found({ state: 'acknowledged', event: 'sms.delivered' })).toEqual(
      expect.arrayContaining([earlier, later]),
    );
    expect(await found({ event: 'sms.sent' })).not.toContain(earlier);
  });

  it('has the notices that an endpoint was disabled, by their time, endpoint and event', async () => {
    const { all, disable } = await aClient(2);
    await disable();
    const event = 'webhook_endpoint.disabled';
    const notices = await all({ event, limit: 4 });
    expect(notices.map(({ endpoint_id }) => endpoint_id).toSorted()).toEqual(endpointIds.toSorted());
    const [newest] = [idsOf(await all({ limit: 7 })).slice(0, 10)];
    expect(newest?.toSorted()).toEqual(idsOf(notices).toSorted());
    expect(await all({ endpoint_id: third, event })).toHaveLength(1);
    expect(await all({ event, until: created.toISOString() })).toEqual([]);
  });

  it('finds deliveries by message, endpoint, event, state and the time of the message', async () => {
    const { all, workers } = await aClient(30);
    const [message_id = ''] = workers.messages.all().map((message) => message.message_id);
    const since = addSeconds(created, 10).toISOString();
    const until = addSeconds(created, 19).toISOString();
    for (const [query, count] of [
      [{ message_id }, 22],
      [{ endpoint_id: fourth }, 60],
      [{ event: 'sms.sent' }, 30 * 11],
      [{ event: 'sms.sent', endpoint_id: fourth, limit: 4 }, 30],
      [{ state: 'retry_scheduled' }, 0],
      [{ since, until }, 10 * 22],
      [{ since: until, until: since }, 0],
    ] as const)
      expect([query, (await all(query)).length]).toEqual([query, count]);
  });

  it('lists what has failed, the latest first, each once, also where it fails again between two pages', async () => {
    const { workers, all } = await aClient(0);
    const failed = Array.from({ length: 7 }, (_, index) => {
      const finished_at = addSeconds(created, index).toISOString();
      const row = failedDelivery({ messageId: newId('msg', addSeconds(created, index)) });
      const attempts = [unpostedAttempt(row, 'reset', new Date(finished_at))];
      return { ...row, finished_at, attempts };
    });
    const note = (delivery_id: string, at: string) => {
      const entry = { kind: 'webhook_failed', summary: 'It failed', client_id: 'client-a' } as const;
      return addActivity(workers.activityLog, {
        ...entry,
        entry_id: newId('act', new Date(at)),
        at,
        delivery_id,
      });
    };
    for (const row of failed) {
      await workers.deliveries.create(row);
      await note(row.delivery_id, row.finished_at ?? '');
    }
    const expected = failed.map(({ delivery_id }) => delivery_id).toReversed();
    const query = { state: 'failed', limit: 3 } as const;
    expect(idsOf(await all(query))).toEqual(expected);
    const [again] = failed;
    const between = async () => {
      await workers.run(10);
      const row = await workers.deliveries.get(again?.delivery_id ?? '');
      if (row === undefined || row.finished_at !== again?.finished_at) return;
      const finished_at = workers.clock().toISOString();
      await workers.deliveries.replace(row, { ...row, finished_at, revision: 'again' });
      await note(row.delivery_id, finished_at);
    };
    expect(idsOf(await all(query, between))).toEqual(expected);
    expect(idsOf(await all(query))).toEqual([again?.delivery_id, ...expected.slice(0, -1)]);
    expect(await all({ ...query, endpoint_id: first })).toEqual([]);
  });

  it.each<[string, Query]>([
    ['2026-11-20T10:00:00.000Z#msg_01KAG00000000000000000000A~3', {}],
    ['2026-13-01T00:00:00.000Z#msg_01KAG00000000000000000000A~0', {}],
    ['act_01M7W9NDFBHWKCD28NERJABCGG~2026-99-20T10:00:00.000Z', { state: 'failed' }],
  ])('refuses the cursor %s', async (place, query) => {
    const cursor = Buffer.from(place).toString('base64url');
    const { page } = await aClient(0);
    const details = [{ field: 'cursor' }];
    await expect(page({ ...query, cursor })).rejects.toMatchObject({ code: 'invalid_request', details });
  });

  it('shows as pending, for 15 minutes, what no worker has taken, unless the endpoint did not take it then', async () => {
    const { workers, all, messageAt, change } = await aClient(0);
    await change(first, { enabled: false });
    await change(second, { events: ['sms.failed'] });
    await workers.run(10);
    const message = messageAt(workers.clock());
    // Its change never comes to the relay.
    await workers.messages.create(message);
    await workers.run(10);
    await change(first, { enabled: true });
    await change(second, { events: null });
    const pending = await all({ message_id: message.message_id });
    expect(pending.map(({ endpoint_id, state }) => `${endpoint_id} ${state}`).toSorted()).toEqual(
      [null, ...endpointIds.slice(2)].map((id) => `${id} pending`).toSorted(),
    );
    await workers.run(900);
    expect(await all({ message_id: message.message_id })).toEqual([]);
  });

  it('reads a bounded number of rows for a page, which may be empty and have a cursor', async () => {
    const { workers, page } = await aClient(100);
    let rows = 0;
    const { getMany } = workers.deliveries;
    workers.deliveries.getMany = async (ids, options) => {
      rows += ids.length;
      return getMany(ids, options);
    };
    const { webhook_deliveries, next_cursor } = await page({ state: 'attempting' });
    expect([webhook_deliveries, next_cursor]).toEqual([[], expect.any(String)]);
    expect(rows).toBeLessThanOrEqual(1300);
  });

  it('shows nothing of another client', async () => {
    const { workers, page } = await aClient(2);
    const [message] = workers.messages.all();
    for (const query of [{ message_id: message?.message_id }, { endpoint_id: first }])
      await expect(page(query, 'client-b')).rejects.toMatchObject({ code: 'not_found' });
    for (const query of [{}, { state: 'failed' as const }])
      expect(await page(query, 'client-b')).toEqual({ webhook_deliveries: [] });
  });
});
