/** The pages of the log of webhooks while the client's messages, endpoints and test events change between them. */
import { describe, expect, it } from '@jest/globals';
import { endpointDisabledEvent } from '../../../shared/contract/webhook-events.ts';
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import type { Delivery } from '../../../shared/webhook/delivery.ts';
import type { DeliveryLogQuery } from '../../../shared/webhook/log/delivery-log.ts';
import type { DeliveryList } from '../../../shared/webhook/webhook-response.schema.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import { oneOf, type Random, randomOf, wholeBetween } from '../../support/simulation/random.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

type Query = Partial<DeliveryLogQuery>;

/** A client of a gateway whose webhooks are all acknowledged at once. */
function aClient() {
  const gateway = simulatedGateway({ startAt: created, answer: () => ({ afterMs: 20, status: 200 }) });
  const sent: Message[] = [];
  const endpointIds: string[] = [];
  const call = async <T>(run: (functions: ReturnType<typeof gateway.functionsOf>) => Promise<T>) => {
    const called = gateway.invoke(20, (process) => run(gateway.functionsOf(process)));
    await Promise.allSettled([called, gateway.run(1)]);
    return called;
  };
  const client = {
    gateway,
    sent: sent as readonly Message[],
    endpointIds: endpointIds as readonly string[],
    async addEndpoint() {
      const endpoint_id = newId('whe', gateway.now());
      const endpoint = anEndpoint({ endpoint_id, created_at: gateway.now().toISOString() });
      await gateway.endpoints.create(endpoint, { secret: 'whsec_c2VjcmV0', created_at: endpoint.created_at });
      endpointIds.push(endpoint_id);
      await gateway.run(1);
    },
    async deleteEndpoint(endpointId: string) {
      await gateway.endpoints.delete('client-a', endpointId);
      endpointIds.splice(endpointIds.indexOf(endpointId), 1);
    },
    async send() {
      const at = gateway.now();
      const times = { message_id: newId('msg', at), created_at: at.toISOString() };
      const message = aSentMessage({ ...times, sent_at: addSeconds(at, 0.5).toISOString() });
      await gateway.messages.put(aMessage(times), message);
      sent.push(message);
      await gateway.run(2);
    },
    async deliver(message: Message) {
      const delivered_at = gateway.now().toISOString();
      await gateway.messages.put(message, { ...message, status: 'delivered', delivered_at });
      sent.splice(sent.indexOf(message), 1);
      await gateway.run(2);
    },
    async test(endpointId: string) {
      await call((functions) => functions.sendTestEvent('client-a', endpointId));
    },
    /** Notifies the other endpoints that one was disabled. */
    async disable() {
      const [endpoint_id, disabled_at] = [newId('whe', created), gateway.now().toISOString()];
      const disabled = anEndpoint({ endpoint_id, disabled_at, disabled_reason: 'no_successful_delivery' });
      await call((functions) => functions.reportDisabled(disabled));
    },
    /** Entries of the Activity Log that are about no webhook. */
    async change(entries: number) {
      for (let index = 0; index < entries; index += 1) {
        const entry = { kind: 'limits_set', summary: 'Limits were set', client_id: 'client-a' } as const;
        const at = gateway.now();
        await gateway.stores.activityLog.add({ ...entry, entry_id: newId('act', at), at: at.toISOString() });
      }
      await gateway.run(1);
    },
    page: (query: Query): Promise<DeliveryList> =>
      call((functions) => functions.deliveryLog('client-a', { limit: 20, ...query })),
    /** Lists all pages, with something else between two of them. */
    async all(query: Query, between: () => Promise<void> = async () => {}): Promise<readonly string[]> {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const { webhook_deliveries, next_cursor } = await client.page({ ...query, cursor });
        found.push(...webhook_deliveries.map(({ delivery_id }) => delivery_id));
        cursor = next_cursor;
        if (cursor !== undefined) await between();
      } while (cursor !== undefined);
      return found;
    },
    /** The ids of the deliveries that the query is about, from their rows. */
    async wanted({ message_id, endpoint_id, event, state }: Query): Promise<readonly string[]> {
      await gateway.run(5);
      const rows = await gateway.deliveries.getMany([...gateway.deliveryIds]);
      return rows
        .filter(
          (row) =>
            (row.endpoint_id === undefined || isTest(row) || endpointIds.includes(row.endpoint_id)) &&
            (message_id === undefined || row.message_id === message_id) &&
            (endpoint_id === undefined || row.endpoint_id === endpoint_id) &&
            (event === undefined || row.event === event) &&
            (state === undefined || row.state === state),
        )
        .map(({ delivery_id }) => delivery_id);
    },
  };
  return client;
}

type Client = ReturnType<typeof aClient>;

/** A test event is listed although its endpoint was deleted. */
function isTest({ message_id, event }: Delivery): boolean {
  return message_id === undefined && event !== endpointDisabledEvent;
}

/** Something that may happen between two pages; the endpoint of the query is not deleted. */
async function changeSomething(client: Client, random: Random, kept: string): Promise<void> {
  const { sent, endpointIds } = client;
  const others = endpointIds.filter((id) => id !== kept);
  const [message] = sent.length === 0 ? [] : [sent[wholeBetween(random, 0, sent.length - 1)]];
  const change = oneOf(random, ['send', 'deliver', 'deliver', 'add', 'delete', 'test', 'disable', 'nothing']);
  if (change === 'send') await client.send();
  if (change === 'deliver' && message !== undefined) await client.deliver(message);
  if (change === 'add' && endpointIds.length < 10) await client.addEndpoint();
  if (change === 'delete' && others.length > 2)
    await client.deleteEndpoint(oneOf(random, [kept, ...others].slice(1) as [string]));
  if (change === 'test') await client.test(kept);
  if (change === 'disable') await client.disable();
}

const filters = ['none', 'endpoint', 'event', 'state', 'message', 'notice', 'endpoint and event'] as const;

function queryOf(filter: (typeof filters)[number], endpoint_id: string, message_id: string): Query {
  if (filter === 'endpoint') return { endpoint_id };
  if (filter === 'event') return { event: 'sms.sent' };
  if (filter === 'state') return { state: 'acknowledged' };
  if (filter === 'message') return { message_id };
  if (filter === 'notice') return { event: endpointDisabledEvent };
  return filter === 'none' ? {} : { endpoint_id, event: 'sms.delivered' };
}

describe('the pages of the log of webhooks', () => {
  it.each(filters.flatMap((filter) => [1, 2, 3].map((seed) => [filter, seed] as const)))(
    'have each delivery once that is there all the time, whatever changes meanwhile: filter %s, seed %i',
    async (filter, seed) => {
      const random = randomOf('pages', filter, seed);
      const client = aClient();
      for (let endpoints = 0; endpoints < 6; endpoints += 1) await client.addEndpoint();
      const [kept = ''] = client.endpointIds;
      for (let index = 0; index < 60; index += 1) {
        if (index % 10 === 0) await client.send();
        if (index % 25 === 0) await client.disable();
        if (index === 30) await client.change(450);
        await client.test(kept);
      }
      const limit = oneOf(random, filter === 'message' || filter === 'event' ? [2, 3] : [3, 7, 20, 100]);
      const query = { ...queryOf(filter, kept, client.sent[2]?.message_id ?? ''), limit };
      const before = await client.wanted(query);
      const listed = await client.all(query, () => changeSomething(client, random, kept));
      const after = await client.wanted(query);
      expect(listed).toEqual([...new Set(listed)]);
      expect(listed).toEqual(expect.arrayContaining(before.filter((id) => after.includes(id))));
      const present = await client.wanted(query);
      expect((await client.all(query)).toSorted()).toEqual(present.toSorted());
    },
  );

  it.each([
    ['without an event', 'msg_01KAG00000000000000000000A~3'],
    ['with a time that does not exist', 'msg_01KAG00000000000000000000A~0', '2026-13-01T00:00:00.000Z'],
  ])('are refused for a cursor %s', async (_what, place, at = created.toISOString()) => {
    const cursor = Buffer.from(`${at}#${place}`).toString('base64url');
    const refused = await aClient()
      .page({ cursor })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'invalid_request', details: [{ field: 'cursor' }] });
  });
});
