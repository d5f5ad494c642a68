/** Resending many webhooks: each of them once, in order, whatever dies; nothing that was not asked for. */
import { describe, expect, it } from '@jest/globals';
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import type { ResendRequest } from '../../../shared/webhook/resend/request-resend.ts';
import type { Resend } from '../../../shared/webhook/resend/resend.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import { type Post, simulatedGateway } from '../../support/simulation/gateway.ts';
import { randomFaults } from '../../support/simulation/processes.ts';
import { aMessage, aSentMessage, created } from '../../support/webhook/example-webhook-message.ts';

/** Six attempts take 7 h 13 min. */
const untilFailedSeconds = 27_000;
const since = created;

interface Options {
  readonly messages: number;
  /** A seed: then processes die and calls fail once the webhooks have failed. */
  readonly faults?: number;
}

/** A client whose endpoint was down while its messages were sent and delivered. */
async function afterAnOutage({ messages, faults }: Options) {
  let isDown = true;
  let faulty = false;
  const random = randomFrom(faults ?? 1);
  const rates = { kill_before: 0.02, kill_after: 0.02, fail_before: 0.02, fail_after: 0.02 };
  const draw = randomFaults(random, rates);
  const gateway = simulatedGateway({
    startAt: created,
    random,
    fault: () => (faulty && faults !== undefined ? draw() : undefined),
    answer: () => ({ afterMs: 20, status: isDown ? 500 : 200 }),
  });
  for (let index = 0; index < messages; index += 1) {
    const message_id = `msg_01KAG0000000000000000${String(10_000 + index)}`;
    const at = addSeconds(created, index / 10);
    const times: Partial<Message> = { message_id, created_at: at.toISOString() };
    const sent = aSentMessage({ ...times, sent_at: addSeconds(at, 0.5).toISOString() });
    const delivered_at = addSeconds(at, 0.6).toISOString();
    gateway.messages.put(aMessage(times), sent);
    gateway.messages.put(sent, { ...sent, status: 'delivered', delivered_at });
  }
  await gateway.run(untilFailedSeconds);
  const before = gateway.posts.length;
  return {
    gateway,
    recover: () => {
      isDown = false;
      faulty = true;
    },
    faultsEnd: () => {
      faulty = false;
    },
    request: (request: Partial<ResendRequest> = {}): Promise<Resend> =>
      gateway.invoke(20, (process) =>
        gateway.functionsOf(process).requestResend('client-a', { since, ...request }),
      ),
    /** What was posted after the outage. */
    resent: (): readonly Post[] => gateway.posts.slice(before),
  };
}

function ids(posts: readonly Post[]): string[] {
  return posts.map(({ deliveryId }) => deliveryId).toSorted();
}

/** The events that were posted for each message, in their order. */
function eventsByMessage(posts: readonly Post[]): Map<string, string[]> {
  const events = new Map<string, string[]>();
  for (const { body } of posts) {
    const { event, data } = JSON.parse(body) as { event: string; data: { message_id: string } };
    events.set(data.message_id, [...(events.get(data.message_id) ?? []), event]);
  }
  return events;
}

describe('everything that failed', () => {
  it('is resent once, the events of a message in their order, and counted', async () => {
    const { gateway, recover, request, resent } = await afterAnOutage({ messages: 120 });
    expect(gateway.failuresReported).toHaveLength(240);
    recover();
    const asked = request();
    await gateway.run(10);
    const { resend_id } = await asked;
    await gateway.run(300);
    expect(await gateway.resends.get(resend_id)).toMatchObject({
      ...{ status: 'completed', matched: 240, resent: 240 },
    });
    expect(ids(resent())).toEqual([...gateway.deliveryIds].toSorted());
    const events = eventsByMessage(resent());
    expect(events.size).toBe(120);
    for (const some of events.values()) expect(some).toEqual(['sms.sent', 'sms.delivered']);
    expect(new Set(resent().map(({ lane }) => lane))).toEqual(new Set(['slow']));
  });

  it('is resent at most 20 times a second', async () => {
    const { gateway, recover, request, resent } = await afterAnOutage({ messages: 120 });
    recover();
    void request();
    await gateway.run(310);
    const seconds = Map.groupBy(resent(), ({ at }) => Math.floor(at.getTime() / 10_000));
    for (const posts of seconds.values()) expect(posts.length).toBeLessThanOrEqual(250);
  });

  it.each([1, 2, 3, 4, 5])('is resent once although processes die and calls fail (%i)', async (seed) => {
    const { gateway, recover, faultsEnd, request, resent } = await afterAnOutage({
      messages: 60,
      faults: seed,
    });
    recover();
    // The client repeats a request that it got no answer to.
    void request().catch(() => undefined);
    await gateway.run(60);
    void request().catch(() => undefined);
    await gateway.run(400);
    faultsEnd();
    const last = request();
    await gateway.run(1500);
    const { resend_id } = await last;
    expect(await gateway.resends.get(resend_id)).toMatchObject({ status: 'completed' });
    const attempts = await Promise.all(
      Array.from(gateway.deliveryIds, async (id) => (await gateway.deliveries.get(id))?.attempts ?? []),
    );
    expect(attempts).toHaveLength(120);
    for (const some of attempts) {
      expect(some.at(-1)?.error).toBeUndefined();
      expect(some.filter(({ trigger }) => trigger === 'manual')).toHaveLength(1);
    }
    // Each is posted once more, but where a process died during the POST or before it wrote the outcome.
    const doubled = [...Map.groupBy(resent(), ({ deliveryId }) => deliveryId).values()].filter(
      (posts) => posts.length > 1,
    );
    for (const posts of doubled)
      expect(posts.slice(0, -1).every(({ claim, unknown }) => !claim.settled || unknown)).toBe(true);
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
      { until: addSeconds(created, -1), since: addSeconds(created, -10) },
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
