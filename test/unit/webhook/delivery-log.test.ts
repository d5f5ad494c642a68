/** The log of a client's webhooks: pages that leave nothing out and repeat nothing, each of bounded work. */
import { describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import type { DeliveryLogQuery } from '../../../shared/webhook/log/delivery-log.ts';
import { changed, type EndpointChange } from '../../../shared/webhook/webhook-endpoint.ts';
import type { DeliveryList, DeliverySummary } from '../../../shared/webhook/webhook-response.schema.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const endpointIds = Array.from({ length: 10 }, (_, index) => newId('whe', addSeconds(created, index)));

interface Options {
  readonly messages: number;
  readonly status?: number;
  readonly seconds?: number;
}

/** A client with ten endpoints and messages that were sent and delivered, each a second after the other. */
async function aClient({ messages, status = 200, seconds = 60 }: Options) {
  const gateway = simulatedGateway({ startAt: created, answer: () => ({ afterMs: 20, status }) });
  for (const endpoint_id of endpointIds) {
    const endpoint = anEndpoint({ endpoint_id });
    await gateway.endpoints.create(endpoint, { secret: 'whsec_c2VjcmV0', created_at: endpoint.created_at });
  }
  for (let index = 0; index < messages; index += 1) {
    const at = addSeconds(created, index);
    const times = { message_id: newId('msg', at), created_at: at.toISOString() };
    const sent = aSentMessage({ ...times, sent_at: addSeconds(at, 0.5).toISOString() });
    const delivered_at = addSeconds(at, 0.6).toISOString();
    gateway.messages.put(aMessage(times), sent);
    gateway.messages.put(sent, { ...sent, status: 'delivered', delivered_at });
  }
  await gateway.run(seconds);
  const page = async (query: Partial<DeliveryLogQuery>, clientId = 'client-a'): Promise<DeliveryList> => {
    const asked = gateway
      .invoke(20, (process) => gateway.functionsOf(process).deliveryLog(clientId, { limit: 20, ...query }))
      .catch((error: unknown) => error as DeliveryList);
    await gateway.run(1);
    return asked;
  };
  const all = async (query: Partial<DeliveryLogQuery> = {}): Promise<readonly DeliverySummary[]> => {
    const found: DeliverySummary[] = [];
    let cursor: string | undefined;
    do {
      const { webhook_deliveries, next_cursor } = await page({ ...query, cursor });
      found.push(...webhook_deliveries);
      cursor = next_cursor;
    } while (cursor !== undefined);
    return found;
  };
  return { gateway, page, all };
}

const idsOf = (listed: readonly DeliverySummary[]) => listed.map(({ delivery_id }) => delivery_id);

describe('the log of webhooks', () => {
  it.each([1, 7, 100])('has every delivery once, newest message first, in pages of %i', async (limit) => {
    const { gateway, all } = await aClient({ messages: limit === 1 ? 3 : 30 });
    const listed = await all({ limit });
    expect(idsOf(listed).toSorted()).toEqual([...gateway.deliveryIds].toSorted());
    const messages = listed.map(({ message_id }) => String(message_id));
    expect(messages).toEqual(messages.toSorted().toReversed());
  });

  it.each([1, 3, 100])('has test events among the others by their time, in pages of %i', async (limit) => {
    const { gateway, all } = await aClient({ messages: 2, seconds: 60 });
    const test = async (endpointId = '') => {
      const sent = gateway.invoke(20, (process) =>
        gateway.functionsOf(process).sendTestEvent('client-a', endpointId),
      );
      await gateway.run(5);
      return (await sent).delivery_id;
    };
    const first = await test(endpointIds[3]);
    const at = gateway.now().toISOString();
    const message = aSentMessage({ message_id: newId('msg', gateway.now()), created_at: at, sent_at: at });
    gateway.messages.put(aMessage({ ...message, status: 'queued' }), message);
    await gateway.run(5);
    const second = await test(endpointIds[4]);
    const listed = idsOf(await all({ limit }));
    expect(listed).toHaveLength(2 * 22 + 11 + 2);
    expect(new Set(listed).size).toBe(listed.length);
    expect([listed.indexOf(second), listed.indexOf(first)]).toEqual([0, 12]);
    const found = async (query: Partial<DeliveryLogQuery>) => idsOf(await all({ ...query, limit }));
    expect(await found({ endpoint_id: endpointIds[3] ?? '', since: at })).not.toContain(first);
    expect(await found({ endpoint_id: endpointIds[3] ?? '' })).toContain(first);
    expect(await found({ endpoint_id: endpointIds[3] ?? '' })).not.toContain(second);
    expect(await found({ state: 'acknowledged', event: 'sms.delivered' })).toEqual(
      expect.arrayContaining([first, second]),
    );
    expect(await found({ event: 'sms.sent' })).not.toContain(first);
    expect(await found({ message_id: message.message_id })).toHaveLength(11);
  });

  it('has the notices that an endpoint was disabled, by their time, endpoint and event', async () => {
    const { gateway, all } = await aClient({ messages: 2 });
    const disabled_at = gateway.now().toISOString();
    const disabled = newId('whe', created);
    const endpoint = anEndpoint({
      endpoint_id: disabled,
      disabled_at,
      disabled_reason: 'no_successful_delivery',
    });
    void gateway.invoke(20, (process) => gateway.functionsOf(process).reportDisabled(endpoint));
    await gateway.run(60);
    const notices = await all({ event: 'webhook_endpoint.disabled', limit: 4 });
    expect(notices.map(({ endpoint_id }) => endpoint_id).toSorted()).toEqual(endpointIds.toSorted());
    expect(new Set(notices.map(({ state }) => state))).toEqual(new Set(['acknowledged']));
    expect(
      idsOf(await all({ limit: 7 }))
        .slice(0, 10)
        .toSorted(),
    ).toEqual(idsOf(notices).toSorted());
    const toOne = await all({ endpoint_id: endpointIds[2] ?? '', event: 'webhook_endpoint.disabled' });
    expect(toOne).toHaveLength(1);
    expect(await all({ event: 'webhook_endpoint.disabled', until: created.toISOString() })).toEqual([]);
  });

  it('finds deliveries by endpoint, event, state and the time of the message', async () => {
    const { all } = await aClient({ messages: 30 });
    expect(await all({ endpoint_id: endpointIds[3] ?? '' })).toHaveLength(60);
    expect(await all({ event: 'sms.sent' })).toHaveLength(30 * 11);
    expect(await all({ event: 'sms.sent', endpoint_id: endpointIds[3] ?? '', limit: 4 })).toHaveLength(30);
    expect(await all({ state: 'retry_scheduled' })).toEqual([]);
    const since = addSeconds(created, 10).toISOString();
    const until = addSeconds(created, 19).toISOString();
    expect(await all({ since, until })).toHaveLength(10 * 22);
    expect(await all({ since: until, until: since })).toEqual([]);
  });

  it('lists what has failed, the latest failure first, each once although it failed again', async () => {
    const { gateway, all } = await aClient({ messages: 4, status: 500, seconds: 27_000 });
    const failed = await all({ state: 'failed', limit: 3 });
    expect(idsOf(failed).toSorted()).toEqual([...gateway.deliveryIds].toSorted());
    const times = failed.map(({ finished_at }) => String(finished_at));
    expect(times).toEqual(times.toSorted().toReversed());
    void gateway.invoke(20, (process) =>
      gateway.functionsOf(process).requestResend('client-a', { since: created }),
    );
    await gateway.run(300);
    expect(idsOf(await all({ state: 'failed', limit: 3 })).toSorted()).toEqual(
      [...gateway.deliveryIds].toSorted(),
    );
    expect(await all({ state: 'failed', endpoint_id: endpointIds[0] ?? '' })).toHaveLength(8);
  });

  it('lists what failed before the first page also where it is sent again and fails again between two pages', async () => {
    const { gateway, page } = await aClient({ messages: 1, status: 500, seconds: 27_000 });
    const found: string[] = [];
    for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages += 1) {
      const { webhook_deliveries, next_cursor } = await page({ state: 'failed', limit: 5, cursor });
      found.push(...idsOf(webhook_deliveries));
      cursor = next_cursor;
      // The second of these is another request than the first, and sends again what failed again.
      if (pages < 2)
        void gateway.invoke(20, (process) =>
          gateway.functionsOf(process).requestResend('client-a', { since: addSeconds(created, -pages) }),
        );
      await gateway.run(300);
    }
    expect(found.toSorted()).toEqual([...gateway.deliveryIds].toSorted());
    const attempts = await gateway.deliveries.getMany(found);
    expect(new Set(attempts.map(({ attempt_number }) => attempt_number))).toEqual(new Set([8]));
  });

  it('has a cursor without such a time refused', async () => {
    const { page } = await aClient({ messages: 0 });
    const cursor = Buffer.from('act_01M7W9NDFBHWKCD28NERJABCGG~2026-99-20T10:00:00.000Z').toString(
      'base64url',
    );
    expect(await page({ state: 'failed', cursor })).toMatchObject({ code: 'invalid_request' });
  });

  it('shows a webhook that no worker has taken as pending, for 15 minutes', async () => {
    const { gateway, all } = await aClient({ messages: 0 });
    const at = gateway.now().toISOString();
    const message = aSentMessage({ message_id: newId('msg', gateway.now()), created_at: at, sent_at: at });
    // Its change never comes to the relay, as if that were behind.
    await gateway.messages.put(message, message);
    const pending = await all({ message_id: message.message_id });
    expect(pending).toHaveLength(11);
    expect(new Set(pending.map(({ state }) => state))).toEqual(new Set(['pending']));
    await gateway.run(900);
    expect(await all({ message_id: message.message_id })).toEqual([]);
  });

  it('shows none as pending that goes to no endpoint, because it was disabled or filtered when the event happened', async () => {
    const { gateway, all } = await aClient({ messages: 0 });
    const [first = '', second = ''] = endpointIds;
    const change = async (endpointId: string, wanted: EndpointChange) => {
      const seen = await gateway.endpoints.get('client-a', endpointId);
      if (seen === undefined) throw new Error('it is stored');
      await gateway.endpoints.change(seen, changed(seen, wanted, gateway.now(), 'another'));
    };
    await change(first, { enabled: false });
    await change(second, { events: ['sms.failed'] });
    await gateway.run(10);
    const at = gateway.now().toISOString();
    const message = aSentMessage({ message_id: newId('msg', gateway.now()), created_at: at, sent_at: at });
    await gateway.messages.put(message, message);
    await gateway.run(10);
    await change(first, { enabled: true });
    await change(second, { events: null });
    const pending = await all({ message_id: message.message_id });
    expect(pending).toHaveLength(9);
    expect(pending.map(({ endpoint_id }) => endpoint_id)).not.toContain(first);
    expect(pending.map(({ endpoint_id }) => endpoint_id)).not.toContain(second);
  });

  it('reads a bounded number of rows for a page, which may be empty and have a cursor', async () => {
    const { gateway, page } = await aClient({ messages: 100 });
    const rows: number[] = [];
    const { getMany } = gateway.deliveries;
    gateway.deliveries.getMany = async (ids, options) => {
      rows.push(ids.length);
      return getMany(ids, options);
    };
    const { webhook_deliveries, next_cursor } = await page({ state: 'attempting' });
    expect(webhook_deliveries).toEqual([]);
    expect(next_cursor).toBeDefined();
    expect(gateway.deliveryIds.size).toBe(2200);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(1300);
  });

  it('shows nothing of another client', async () => {
    const { gateway, page } = await aClient({ messages: 2 });
    const [message] = gateway.messages.all();
    for (const query of [{ message_id: message?.message_id }, { endpoint_id: endpointIds[0] }])
      expect(await page(query, 'client-b')).toMatchObject({ code: 'not_found' });
    expect(await page({}, 'client-b')).toEqual({ webhook_deliveries: [] });
    expect(await page({ state: 'failed' }, 'client-b')).toEqual({ webhook_deliveries: [] });
  });
});
