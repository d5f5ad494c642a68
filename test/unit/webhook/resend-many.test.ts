/** Resending many webhooks: each of them once, in order, whatever dies; nothing that was not asked for. */
import { describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { lazily } from '../../../shared/platform/expiring-cache.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { alerted } from '../../../shared/webhook/delivery.ts';
import type { DeliveryStore } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { resendRequestSchema } from '../../../shared/webhook/log/request-resend.ts';
import { newResend, resendIdOf } from '../../../shared/webhook/log/resend.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import type { Post } from '../../support/simulation/outside-calls.ts';
import { type Fault, randomFaults } from '../../support/simulation/processes.ts';
import { afterAnOutage, eventsByMessage, resendWithFaults } from '../../support/webhook/outage.ts';

function ids(posts: readonly Post[]): string[] {
  return posts.map(({ deliveryId }) => deliveryId).toSorted();
}

it.each([
  ['https://example.com', true],
  ['https://example.com:8443', true],
  ['arn:aws:sqs:eu-west-1:111122223333:orders.fifo', true],
  ['arn:aws:events:eu-west-1:111122223333:event-bus/orders', true],
  ['https://example.com/', false],
  ['example.com', false],
  ['null', false],
  ['arn:aws:s3:::bucket', false],
])('takes %s as an origin: %s', (origin, isTaken) => {
  const { success } = resendRequestSchema.safeParse({ origin, since: '2026-11-20T10:00:00Z' });
  expect(success).toBe(isTaken);
});

/** As if their workers had died between the failure and its alert. */
async function makeAlertsPending(deliveryIds: Iterable<string>, store: DeliveryStore): Promise<void> {
  for (const id of deliveryIds) {
    const row = await store.get(id);
    if (row === undefined) throw new Error('it is stored');
    await store.replace(row, { ...row, alert_pending: true, revision: `${row.revision} pending` });
  }
}

/** All webhooks of 120 messages resent: one run, of which several tests read what was posted and stored. */
const allResent = lazily(async () => {
  const { gateway, recover, request, resent } = await afterAnOutage({ messages: 120 });
  expect(gateway.failuresReported).toHaveLength(240);
  recover();
  const asked = request();
  await gateway.run(10);
  const { resend_id } = await asked;
  await gateway.run(300);
  return { gateway, resend_id, posts: resent() };
});

describe('everything that failed', () => {
  it('is resent once, the events of a message in their order, and counted', async () => {
    const { gateway, resend_id, posts } = await allResent();
    expect(await gateway.resends.get(resend_id)).toMatchObject({
      ...{ status: 'completed', matched: 240, resent: 240 },
    });
    expect(ids(posts)).toEqual([...gateway.deliveryIds].toSorted());
    const events = eventsByMessage(posts);
    expect(events.size).toBe(120);
    for (const some of events.values()) expect(some).toEqual(['sms.sent', 'sms.delivered']);
    expect(new Set(posts.map(({ lane }) => lane))).toEqual(new Set(['slow']));
  });

  it('is included although its worker died before the alert, which is sent then', async () => {
    const { gateway, recover, request, resent } = await afterAnOutage({ messages: 10 });
    await makeAlertsPending(gateway.deliveryIds, gateway.deliveries);
    const reported = gateway.failuresReported.length;
    recover();
    const asked = request();
    await gateway.run(10);
    const { resend_id } = await asked;
    await gateway.run(120);
    expect(await gateway.resends.get(resend_id)).toMatchObject({
      ...{ status: 'completed', matched: 20, resent: 20 },
    });
    expect(ids(resent())).toEqual([...gateway.deliveryIds].toSorted());
    expect(gateway.failuresReported.slice(reported).toSorted()).toEqual([...gateway.deliveryIds].toSorted());
  });

  it('is included although its worker sends the alert while the step makes it pending', async () => {
    const { gateway, recover, request, resent } = await afterAnOutage({
      messages: 10,
      deliveriesThrough: (store) => ({
        ...store,
        async replace(seen, next) {
          if (seen.alert_pending && next.state === 'pending')
            await store.replace(seen, alerted(seen, `${seen.revision} alerted`));
          return store.replace(seen, next);
        },
      }),
    });
    await makeAlertsPending(gateway.deliveryIds, gateway.deliveries);
    recover();
    const asked = request();
    await gateway.run(10);
    const { resend_id } = await asked;
    await gateway.run(120);
    expect(await gateway.resends.get(resend_id)).toMatchObject({
      ...{ status: 'completed', matched: 20, resent: 20 },
    });
    expect(ids(resent())).toEqual([...gateway.deliveryIds].toSorted());
  });

  it('is included although it failed a moment ago, and indexes do not show it yet', async () => {
    const { gateway, recover, request, resent } = await afterAnOutage({
      messages: 10,
      endsAtOnce: true,
      lagMs: () => 60_000,
    });
    recover();
    const asked = request();
    await gateway.run(10);
    const { resend_id } = await asked;
    await gateway.run(40);
    expect(await gateway.resends.get(resend_id)).toMatchObject({
      ...{ status: 'completed', matched: 20, resent: 20 },
    });
    expect(ids(resent())).toEqual([...gateway.deliveryIds].toSorted());
  });

  it('is counted whole where the same is asked for many times at one moment', async () => {
    const random = randomFrom(11);
    const { gateway, recover, request, resent } = await afterAnOutage({
      messages: 18,
      latencyMs: () => Math.ceil(random() * 200),
    });
    recover();
    const asked = Array.from({ length: 8 }, () => request());
    await gateway.run(30);
    const [first, ...others] = await Promise.all(asked);
    for (const { resend_id } of others) expect(resend_id).toBe(first?.resend_id);
    await gateway.run(300);
    expect(await gateway.resends.get(first?.resend_id ?? '')).toMatchObject({
      ...{ status: 'completed', matched: 36, resent: 36 },
    });
    expect(ids(resent())).toEqual([...gateway.deliveryIds].toSorted());
  });

  it('is resent at most 20 times a second', async () => {
    const { posts } = await allResent();
    const seconds = Map.groupBy(posts, ({ at }) => Math.floor(at.getTime() / 10_000));
    for (const some of seconds.values()) expect(some.length).toBeLessThanOrEqual(250);
  });

  it('is resent more slowly where writes take long, because others wait for them too', async () => {
    const busiestTwoSeconds = async (latencyMs: number) => {
      const { gateway, recover, request, resent } = await afterAnOutage({
        messages: 60,
        latencyMs: () => latencyMs,
      });
      recover();
      void request();
      await gateway.run(310);
      expect(resent()).toHaveLength(120);
      const first = resent().filter(({ body }) => body.includes('"sms.sent"'));
      const times = first.map(({ at }) => at.getTime());
      return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 2000).length));
    };
    expect(await busiestTwoSeconds(300)).toBeLessThanOrEqual(0.6 * (await busiestTwoSeconds(5)));
  });

  it('takes no worker of other clients’ webhooks, however long its endpoint takes to answer', async () => {
    const workers = { count: 5, batchSize: 10, receiveFurtherMs: (random: number) => 2000 + 5000 * random };
    const { gateway, recover, request, resent } = await afterAnOutage({
      messages: 40,
      answerMs: 4000,
      latencyMs: () => 8,
      workers: { fast: workers, slow: workers },
    });
    recover();
    const sentAt = new Map<string, number>();
    const liveFor = async (seconds: number) => {
      const first = sentAt.size;
      for (let tick = 0; tick < 5 * seconds; tick += 1) {
        const message = {
          message_id: `msg_live_${sentAt.size}`,
          client_id: 'client-b',
          webhook_url: 'https://live.example.com/hook',
        };
        sentAt.set(derivedId('whd', message.message_id, 'sms.sent'), gateway.now().getTime());
        gateway.messages.put(aMessage(message), aSentMessage(message));
        await gateway.run(0.2);
      }
      const posts = new Map(gateway.posts.map((post) => [post.deliveryId, post]));
      const delays = [...sentAt]
        .slice(first)
        .map(([id, at]) => (posts.get(id)?.at.getTime() ?? Number.NaN) - at);
      return {
        delayMax: Math.max(...delays),
        lanes: new Set([...sentAt.keys()].map((id) => posts.get(id)?.lane)),
      };
    };
    await liveFor(5);
    const without = await liveFor(10);
    void request();
    const beside = await liveFor(15);
    expect(resent().filter(({ deliveryId }) => !sentAt.has(deliveryId)).length).toBeGreaterThan(70);
    expect(beside.lanes).toEqual(new Set(['fast']));
    expect(beside.delayMax).toBeLessThanOrEqual(1.1 * without.delayMax);
  });

  it('is resent evenly, without bursts', async () => {
    const { posts } = await allResent();
    const times = posts.map(({ at }) => at.getTime());
    const within = (from: number) => times.filter((time) => time >= from && time < from + 200).length;
    expect(Math.max(...times.map(within))).toBeLessThanOrEqual(8);
  });

  it.each([1, 2, 3])('is resent once, in order, although processes die and calls fail (%i)', async (seed) => {
    const random = randomFrom(seed);
    const rates = { kill_before: 0.02, kill_after: 0.02, fail_before: 0.02, fail_after: 0.02 };
    expect(await resendWithFaults({ messages: 60, random, fault: randomFaults(random, rates) })).toEqual([]);
  });

  it('is resent in order where the write of an event fails, and what is left comes minutes later', async () => {
    let isFirst = false;
    let isAway = false;
    const fault = (call: string): Fault | undefined => {
      if (isFirst && call === 'deliveries replace') {
        [isFirst, isAway] = [false, true];
        return 'fail_before';
      }
      return isAway && call.startsWith('resends') ? 'fail_before' : undefined;
    };
    const { gateway, recover, request, resent } = await afterAnOutage({ messages: 5, fault });
    recover();
    isFirst = true;
    void request().catch(() => undefined);
    await gateway.run(300);
    isAway = false;
    await gateway.run(600);
    for (const events of eventsByMessage(resent()).values())
      expect(events).toEqual(['sms.sent', 'sms.delivered']);
    expect(resent()).toHaveLength(10);
  });

  it('is resent by the same request where the process of the first one was frozen before it wrote the row', async () => {
    const fault = (call: string): Fault | undefined =>
      call === 'resends create' ? 'kill_before' : undefined;
    const { gateway, recover, request, resent } = await afterAnOutage({ messages: 5, fault });
    recover();
    const [since, until] = [addSeconds(created, -10), gateway.now()];
    void request({ since, until });
    // The run of the due item finds no row.
    await gateway.run(180);
    const filter = { state: 'failed', since: since.toISOString(), until: until.toISOString() } as const;
    const resendId = resendIdOf('client-a', filter, undefined);
    expect(await gateway.resends.get(resendId)).toBeUndefined();
    const given = { ...filter, resend_id: resendId, client_id: 'client-a', actor: 'client-a' };
    await gateway.resends.create(newResend(given, until, 30, 'thawed'));
    await gateway.run(180);
    expect(resent()).toEqual([]);
    const again = request({ since, until });
    await gateway.run(300);
    expect(await again).toMatchObject({ resend_id: resendId });
    expect(await gateway.resends.get(resendId)).toMatchObject({ status: 'completed', resent: 10 });
    expect(resent()).toHaveLength(10);
  });

  it('is not resent a second time by the same request, or if it fails again', async () => {
    const { gateway, request, resent } = await afterAnOutage({ messages: 5 });
    const first = request();
    await gateway.run(60);
    const again = request();
    await gateway.run(600);
    expect((await again).resend_id).toBe((await first).resend_id);
    expect(resent()).toHaveLength(10);
    const later = request();
    await gateway.run(600);
    expect((await later).resend_id).not.toBe((await first).resend_id);
    expect(resent()).toHaveLength(20);
  });

  it('leaves out what was acknowledged in the meantime, unless it is asked for', async () => {
    const { gateway, recover, request, resent } = await afterAnOutage({ messages: 5 });
    recover();
    void request();
    await gateway.run(60);
    expect(resent()).toHaveLength(10);
    const until = addSeconds(created, 1);
    const nothing = request({ until });
    await gateway.run(60);
    expect(await nothing).toMatchObject({ status: 'completed', matched: 0 });
    const acknowledged = request({ state: 'acknowledged' });
    await gateway.run(120);
    expect(await gateway.resends.get((await acknowledged).resend_id)).toMatchObject({ resent: 10 });
    expect(resent()).toHaveLength(20);
  });

  it('leaves out other origins, endpoints and times', async () => {
    const { gateway, recover, request, resent } = await afterAnOutage({ messages: 5 });
    recover();
    for (const other of [
      { origin: 'https://other.example.com' },
      { since: addSeconds(created, 3600) },
      { until: addSeconds(created, -1) },
    ]) {
      const nothing = request(other);
      await gateway.run(60);
      expect(await nothing).toMatchObject({ status: 'completed', matched: 0 });
    }
    const unknown = request({ endpoint_id: 'whe_01KAG00000000000000000000A' }).catch(
      (error: unknown) => error,
    );
    await gateway.run(60);
    expect(await unknown).toMatchObject({ code: 'not_found' });
    expect(resent()).toEqual([]);
    void request({ origin: 'https://endpoint.example.com' });
    await gateway.run(60);
    expect(resent()).toHaveLength(10);
  });
});
