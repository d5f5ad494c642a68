import { expect, it } from '@jest/globals';
import { stages } from '../../../lib/stages/stages.ts';
import { timeoutSeconds } from '../../../shared/contract/webhook-worker-times.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { deliveriesToSlow, noteResponseTime } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { storeEndpoint } from '../../../shared/webhook/endpoint-store.dynamo.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { aSentMessage, created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';
import { type Answer, failedDelivery, webhookWorkers } from '../../support/webhook/webhook-workers.ts';

const hangs: Answer = { afterMs: 5000, error: 'timeout' };
const hangsLong: Answer = { afterMs: timeoutSeconds.max * 1000, error: 'timeout' };
const answers: Answer = { afterMs: 40, status: 200 };

/** Each host is an endpoint of a client with its name. */
function aSimulation(answerOf: (host: string, at: Date) => Answer, concurrency?: number) {
  const hostOf = (url: string) => new URL(url).host;
  const workers = webhookWorkers({
    answer: ({ url, at }) => answerOf(hostOf(url), at),
    ...(concurrency === undefined ? {} : { concurrency }),
  });
  const sentAt = new Map<string, number>();
  const managed = new Set<string>();
  return {
    run: workers.run,
    at: workers.at,
    /** Gives the client an endpoint with the longest time limit, in place of the URL of its messages. */
    async manages(host: string) {
      managed.add(host);
      const endpoint = anEndpoint({
        ...{ client_id: host, endpoint_id: `whe_${String(managed.size).padStart(26, '0')}` },
        ...{ url: `https://${host}/hook`, timeout_seconds: timeoutSeconds.max },
      });
      const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };
      await storeEndpoint(workers, endpoint, secret);
    },
    async send(host: string, client_id = host, webhook_url = `https://${host}/hook`) {
      const message_id = `msg_${String(sentAt.size + 1).padStart(26, '0')}`;
      sentAt.set(message_id, workers.clock().getTime());
      const { webhook_url: _own, ...sent } = aSentMessage({ message_id, client_id });
      const after = managed.has(host) ? sent : { ...sent, webhook_url };
      await workers.relay({ before: undefined, after });
    },
    /** The first POST of each webhook to a host: its queue, and the delay since its event. */
    firstPosts(host: string) {
      const posts = workers.posts.filter(({ url }) => hostOf(url) === host);
      return [...Map.groupBy(posts, ({ deliveryId }) => deliveryId).values()].flatMap(([first]) => {
        if (first === undefined) return [];
        const { data } = JSON.parse(first.body) as { data: { message_id: string } };
        return [{ queue: first.queue, delayMs: first.at.getTime() - (sentAt.get(data.message_id) ?? 0) }];
      });
    },
  };
}

it.each([
  ['5 s, at plain URLs', hangs, 'first'],
  ['10 s, at managed endpoints', hangsLong, 'retries'],
] as const)(
  '99 % of the webhooks of a healthy endpoint are posted within a second beside 20 endpoints that begin to hang for %s',
  async (_case, hanging, firstQueue) => {
    const { webhooks } = stages.production.concurrency;
    const hangsFrom = addSeconds(created, 5);
    const { run, at, send, manages, firstPosts } = aSimulation(
      (host, now) => (host === 'healthy.example' || now < hangsFrom ? answers : hanging),
      webhooks,
    );
    if (hanging === hangsLong)
      for (let other = 0; other < 20; other += 1) await manages(`hangs-${other}.example`);
    for (let fifth = 0; fifth < 200; fifth += 1) {
      at(fifth / 5, () => send('healthy.example'));
      for (let other = fifth % 5; other < 20; other += 5)
        at(fifth / 5 + other / 100, () => send(`hangs-${other}.example`));
    }
    await run(60);
    const delays = firstPosts('healthy.example').map(({ delayMs }) => delayMs);
    expect(delays).toHaveLength(200);
    expect(delays.toSorted((a, b) => a - b)[Math.floor(200 * 0.99)]).toBeLessThan(1000);
    expect(firstPosts('hangs-0.example')[0]?.queue).toBe(firstQueue);
  },
);

it('first attempts use the retry queue while the last attempt took longer than a second', async () => {
  const quickFrom = addSeconds(created, 30);
  const { run, send, firstPosts } = aSimulation((_host, at) => (at < quickFrom ? hangs : answers));
  await send('mended.example');
  await run(6);
  await send('mended.example');
  await run(30);
  await send('mended.example');
  await run(1);
  await send('mended.example');
  await run(1);
  expect(firstPosts('mended.example').map(({ queue }) => queue)).toEqual([
    'first',
    'retries',
    // The retry of the second one was quick.
    'first',
    'first',
  ]);
});

it('endpoints are slow one by one, also if they have one host', async () => {
  const context = testContext();
  const slow = { ...failedDelivery(), endpoint_id: 'whe_1' };
  const quick = { ...slow, endpoint_id: 'whe_2' };
  await noteResponseTime(context, slow, 5000, false);
  await noteResponseTime(context, quick, 40, true);
  expect(await deliveriesToSlow(context, [slow, quick])).toEqual(new Set([slow]));
});

it('an endpoint of another client on the same host keeps the first queue', async () => {
  const { run, send, firstPosts } = aSimulation(() => hangs);
  await send('shared.example', 'one');
  await run(6);
  await send('shared.example', 'other');
  await run(1);
  expect(firstPosts('shared.example').map(({ queue }) => queue)).toEqual(['first', 'first']);
});
