import { describe, expect, it } from '@jest/globals';
import type { Activity } from '../../shared/activity/activity-log.ts';
import { claimed } from '../../shared/webhook/delivery-steps.ts';
import { resend } from '../../shared/webhook/resend.ts';
import { wakeBy } from '../../shared/webhook/wake.ts';
import { aMessage, aSentMessage, created } from '../support/a-webhook-message.ts';
import { memoryAgenda } from '../support/memory-agenda.ts';
import { memoryDeliveryStore } from '../support/memory-delivery-store.ts';
import { createWorld } from '../support/webhook-world.ts';

/** A delivery that failed after its six attempts, and the means to send it again. */
async function failedDelivery(answerLater: number) {
  const store = memoryDeliveryStore();
  const agenda = memoryAgenda();
  let status = 500;
  const world = createWorld({ store, agenda, startAt: created, answer: () => ({ afterMs: 50, status }) });
  world.relay(aMessage(), aSentMessage());
  await world.run(40_000);
  status = answerLater;
  const entries: Activity[] = [];
  const queue = {
    send: async (lane: 'fast' | 'slow', sent: readonly { message: { delivery_id: string } }[]) => {
      for (const { message } of sent) world.put(lane, message);
    },
  };
  const scheduler = { schedule: () => Promise.reject(new Error('nothing is to be scheduled')) };
  const ports = {
    deliveries: store,
    agenda,
    activityLog: { add: async (entry: Activity) => void entries.push(entry) },
    wake: wakeBy(queue, scheduler, 60),
    clock: world.now,
    newRevision: () => `resend ${entries.length}`,
  };
  return { store, world, entries, ports, id: world.posts[0]?.deliveryId ?? '' };
}

describe('a resend by hand', () => {
  it('is a new attempt of the same delivery, logged with who asked', async () => {
    const { store, world, entries, ports, id } = await failedDelivery(200);
    expect(await resend(ports, id, 'ada@example.com')).toEqual({ kind: 'resent', attemptNumber: 7 });
    await world.run(10);
    const delivery = await store.get(id);
    expect(delivery?.state).toBe('acknowledged');
    expect(delivery?.attempts.at(-1)).toMatchObject({ number: 7, trigger: 'manual' });
    expect(new Set(world.posts.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
    expect(new Set(world.posts.map(({ body }) => body)).size).toBe(1);
    expect(entries).toMatchObject([{ kind: 'webhook_resent', actor: 'ada@example.com', delivery_id: id }]);
  });

  it('is a single attempt: refused, the delivery has failed again', async () => {
    const { store, world, ports, id } = await failedDelivery(500);
    await resend(ports, id, 'ada@example.com');
    await world.run(40_000);
    expect(world.posts).toHaveLength(7);
    expect((await store.get(id))?.state).toBe('failed');
    expect(world.alarms).toHaveLength(2);
  });

  it('is made by the sweep when its queue message is lost', async () => {
    const { store, world, ports, id } = await failedDelivery(200);
    const lost = { arrange: async () => {} };
    await resend({ ...ports, wake: lost }, id, 'ada@example.com');
    await world.run(300);
    expect((await store.get(id))?.state).toBe('acknowledged');
  });

  it('is made once of a delivery, however many ask for it at once or in turn', async () => {
    const { world, entries, ports, id } = await failedDelivery(200);
    const both = await Promise.all([resend(ports, id, 'a'), resend(ports, id, 'b')]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['already_waiting', 'resent']);
    expect(await resend(ports, id, 'c')).toEqual({ kind: 'already_waiting', state: 'pending' });
    const noted = entries.length;
    await world.run(300);
    expect(world.posts).toHaveLength(7);
    expect(await resend(ports, id, 'c')).toEqual({ kind: 'acknowledged_meanwhile' });
    await world.run(300);
    expect(world.posts).toHaveLength(7);
    expect(entries).toHaveLength(noted);
    expect(await resend(ports, 'whd_none', 'c')).toEqual({ kind: 'not_found' });
  });

  it('is made of an acknowledged delivery only where that is asked for', async () => {
    const { world, ports, id } = await failedDelivery(200);
    await resend(ports, id, 'a');
    await world.run(10);
    expect(await resend(ports, id, 'a', { evenAcknowledged: true })).toMatchObject({ kind: 'resent' });
    await world.run(300);
    expect(world.posts).toHaveLength(8);
  });

  it('is not made of a delivery under way', async () => {
    const { store, ports, id } = await failedDelivery(200);
    await resend(ports, id, 'a');
    const waiting = await store.get(id);
    if (waiting === undefined) throw new Error('there is no delivery');
    await store.replace(waiting, claimed(waiting, ports.clock(), 'held'));
    expect(await resend(ports, id, 'a')).toEqual({ kind: 'already_waiting', state: 'attempting' });
  });

  it('brings its queue message once more where the request before died ahead of it', async () => {
    const { world, ports, id } = await failedDelivery(200);
    const dies = { arrange: () => Promise.reject(new Error('no connection')) };
    await expect(resend({ ...ports, wake: dies }, id, 'a')).rejects.toThrow('no connection');
    expect(await resend(ports, id, 'a')).toEqual({ kind: 'already_waiting', state: 'pending' });
    // Far below the 90 s after which the sweep would find it.
    await world.run(10);
    expect(world.posts).toHaveLength(7);
  });
});
