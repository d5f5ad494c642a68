/** The log of a client's webhooks: pages that leave nothing out and repeat nothing, each of bounded work (contract 12.3). */

import { describe, expect, it } from '@jest/globals';
import { parseMessageRow } from '../../../shared/message/store/message-row.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { reportDisabled } from '../../../shared/webhook/deliver/disable-endpoint.ts';
import type { Delivery } from '../../../shared/webhook/delivery.ts';
import {
  readDelivery,
  replaceDelivery,
  storeDelivery,
} from '../../../shared/webhook/delivery-store.dynamo.ts';
import { storeEndpoint } from '../../../shared/webhook/endpoint-store.dynamo.ts';
import { type DeliveryLogQuery, deliveryLog } from '../../../shared/webhook/log/delivery-log.ts';
import { sendTestEvent } from '../../../shared/webhook/manage-endpoints.ts';
import type { DeliveryList, DeliverySummary } from '../../../shared/webhook/webhook-response.schema.ts';
import { withCalls } from '../../support/engine/test-context.ts';
import { aSentMessage, created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';
import { failedDelivery, webhookWorkers } from '../../support/webhook/webhook-workers.ts';

type Query = Partial<DeliveryLogQuery>;

const keysIn = ({ RequestItems = {} }: Readonly<Record<string, unknown>>) =>
  Object.values(RequestItems as Record<string, { Keys: unknown[] }>).flatMap(({ Keys }) => Keys).length;

const endpointIds = Array.from({ length: 10 }, (_, index) => newId('whe', addSeconds(created, index)));
const [first = '', second = '', fourth = ''] = [endpointIds[0], endpointIds[1], endpointIds[3]];

const idsOf = (listed: readonly DeliverySummary[]) => listed.map(({ delivery_id }) => delivery_id);

/** A client with ten endpoints and messages that were sent and delivered, each a second after the other. */
async function aClient(messages: number) {
  const workers = webhookWorkers({ answer: () => ({ afterMs: 20, status: 200 }) });
  const { tables, clock } = workers;
  for (const endpoint_id of endpointIds)
    await storeEndpoint(workers, anEndpoint({ endpoint_id }), {
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
  for (let index = 0; index < messages; index += 1) {
    await send(clock());
    await workers.run(1);
  }
  await workers.run(60);
  const page = (query: Query = {}, clientId = 'client-a'): Promise<DeliveryList> =>
    deliveryLog(workers, clientId, { limit: 20, ...query });
  return {
    ...{ workers, page, send },
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
  };
}

describe('the log of webhooks', () => {
  it.each([1, 7, 100])('has every delivery once, the newest first, in pages of %i', async (limit) => {
    const { stored, all } = await aClient(limit === 1 ? 2 : 12);
    const listed = await all({ limit });
    expect(idsOf(listed).toSorted()).toEqual(stored().toSorted());
    const times = listed.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
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

  it('finds deliveries by message, endpoint, event, state and time, also those of no message', async () => {
    const { all, workers, test, disable } = await aClient(30);
    const tested = await test(fourth);
    await disable();
    const [{ message_id, sent_at: since = '' } = aSentMessage()] = workers.tables
      .rows('messages')
      .map(parseMessageRow)
      .slice(10);
    const until = addSeconds(new Date(since), 9).toISOString();
    for (const [query, count] of [
      [{ message_id }, 22],
      [{ message_id, limit: 5, endpoint_id: fourth }, 2],
      [{ endpoint_id: fourth }, 62],
      [{ event: 'sms.sent' }, 30 * 11],
      [{ event: 'sms.sent', endpoint_id: fourth, limit: 4 }, 30],
      [{ event: 'webhook_endpoint.disabled' }, 10],
      [{ state: 'retry_scheduled' }, 0],
      [{ since: until, until: since }, 0],
    ] as const)
      expect([query, (await all(query)).length]).toEqual([query, count]);
    const [{ created_at = '' } = {}] = (await all()).filter(({ delivery_id }) => delivery_id === tested);
    expect(idsOf(await all({ since: created_at, until: created_at }))).toEqual([tested]);
  });

  it('lists what has failed, each once, also where it fails again or is acknowledged between two pages', async () => {
    const { workers, all } = await aClient(1);
    const failed = Array.from({ length: 7 }, (_, index) => {
      const created_at = addSeconds(created, index).toISOString();
      return failedDelivery({ messageId: newId('msg', addSeconds(created, index)), more: { created_at } });
    });
    for (const row of failed) await storeDelivery(workers, row);
    const expected = failed.map(({ delivery_id }) => delivery_id).toReversed();
    const query = { state: 'failed', limit: 3 } as const;
    expect(idsOf(await all(query))).toEqual(expected);
    const replace = async (row: Delivery | undefined, change: Partial<Delivery>) => {
      const seen = await readDelivery(workers, row?.delivery_id ?? '');
      if (seen !== undefined)
        await replaceDelivery(workers, seen, { ...seen, ...change, revision: `${seen.revision} again` });
    };
    const between = async () => {
      await replace(failed[0], { finished_at: workers.clock().toISOString() });
      await replace(failed[1], { state: 'acknowledged' });
    };
    const [again, acknowledged, ...others] = expected.toReversed();
    expect(idsOf(await all(query, between))).toEqual([...others.toReversed(), again]);
    expect(idsOf(await all(query))).not.toContain(acknowledged);
    expect(await all({ ...query, endpoint_id: first })).toEqual([]);
  });

  it.each(['2026-11-20T10:00:00.000Z#msg_01KAG00000000000000000000A', 'whd_01KAG00000000000000000000A'])(
    'refuses the cursor %s',
    async (place) => {
      const cursor = Buffer.from(place).toString('base64url');
      const { page } = await aClient(0);
      const details = [{ field: 'cursor' }];
      await expect(page({ cursor })).rejects.toMatchObject({ code: 'invalid_request', details });
    },
  );

  it('reads a bounded number of rows for a page, which may be empty and have a cursor', async () => {
    const { workers } = await aClient(50);
    let rows = 0;
    const counting = withCalls(workers, ({ operation, input }, run) => {
      if (operation === 'BatchGet') rows += keysIn(input);
      return run();
    });
    const query = { state: 'attempting', limit: 20 } as const;
    const { webhook_deliveries, next_cursor } = await deliveryLog(counting, 'client-a', query);
    expect([webhook_deliveries, next_cursor]).toEqual([[], expect.any(String)]);
    expect(rows).toBe(1000);
  });

  it('shows nothing of another client', async () => {
    const { workers, page } = await aClient(2);
    const [message] = workers.tables.rows('messages').map(parseMessageRow);
    for (const query of [{ message_id: message?.message_id }, { endpoint_id: first }])
      await expect(page(query, 'client-b')).rejects.toMatchObject({ code: 'not_found' });
    for (const query of [{}, { state: 'failed' as const }])
      expect(await page(query, 'client-b')).toEqual({ webhook_deliveries: [] });
  });
});
