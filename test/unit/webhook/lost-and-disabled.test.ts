/**
 * A webhook that its queue lost, and whose endpoint is changed meanwhile, is planned as the endpoint was at the event: if it is disabled
 * now, the webhook has failed as any other, is in the log, and can be resent (contract 7.12, 12.1, 12.3).
 */
import { expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { deliveryIdOf } from '../../../shared/webhook/delivery.ts';
import type { DeliveryEntry } from '../../../shared/webhook/delivery-queue.sqs.ts';
import { sweep } from '../../../shared/webhook/sweep-deliveries.ts';
import { changed, type EndpointChange } from '../../../shared/webhook/webhook-endpoint.ts';
import { neverSetAside } from '../../support/doubles/never-set-aside.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };
const [one, other] = ['whe_01KAG00000000000000000000A', 'whe_01KAG00000000000000000000B'];
const { webhook_url: _url, ...message } = aSentMessage({ message_id: 'msg_1', client_id: 'client-a' });
const happened = new Date(message.sent_at ?? '');

/** To which endpoints an event goes whose queue message was lost, when one of them was changed 20 s after it. */
async function sweptTo(list: 'deliveries' | 'fan-outs', id: string, change: EndpointChange, before: object) {
  const { dueItemIndex, deliveries, endpoints, messages } = inMemoryStores();
  await messages.create(message);
  await dueItemIndex.add(list, [{ id, dueAt: addSeconds(happened, 90) }]);
  const created_at = addSeconds(created, -3600).toISOString();
  const endpoint = anEndpoint({ created_at, endpoint_id: one, ...before });
  await endpoints.create(endpoint, secret);
  await endpoints.create(anEndpoint({ created_at, endpoint_id: other }), secret);
  await endpoints.change(endpoint, changed(endpoint, change, addSeconds(happened, 20), 'second'));
  const queued: DeliveryEntry[] = [];
  await sweep({
    dueItemIndex,
    deliveries,
    messages,
    accountUrlOf: async () => undefined,
    endpoints,
    queue: { send: async (_lane, entries) => void queued.push(...entries) },
    setAside: neverSetAside,
    activityLog: { add: async () => {} },
    clock: () => addSeconds(happened, 120),
    newRevision: () => 'r',
    retentionDays: 30,
    budgetMs: 1000,
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

it('goes to no endpoint whose filter was widened after it', async () => {
  const before = { events: ['sms.failed'] };
  expect(await sweptTo('fan-outs', 'msg_1#sms.sent', { events: null }, before)).toEqual([other]);
});

it.each([
  ['alone', [one]],
  ['among several', [one, other]],
])('%s, is in the log as one that failed because its endpoint is disabled', async (_what, ids) => {
  let queued = 0;
  const simulation = simulatedGateway({
    startAt: created,
    answer: () => ({ afterMs: 50, status: 200 }),
    copies: () => (queued++ === 0 ? 0 : 1),
  });
  const all = ids.map((endpoint_id) => anEndpoint({ endpoint_id }));
  for (const endpoint of all) await simulation.endpoints.create(endpoint, secret);
  const { webhook_url: _before, ...queuedMessage } = aMessage({ message_id: 'msg_1' });
  simulation.messages.put(queuedMessage, message);
  simulation.world.time.at(addSeconds(happened, 20).getTime(), async () => {
    for (const endpoint of all)
      await simulation.endpoints.change(
        endpoint,
        changed(endpoint, { enabled: false }, simulation.world.now(), 'second'),
      );
  });
  await simulation.run(3600);
  expect(simulation.posts).toEqual([]);
  for (const endpointId of ids) {
    const id = deliveryIdOf({ messageId: 'msg_1', event: 'sms.sent', endpointId });
    const { state, attempts } = (await simulation.deliveries.get(id)) ?? {};
    expect([state, attempts?.map(({ error }) => error)]).toEqual(['failed', ['endpoint_disabled']]);
  }
});
