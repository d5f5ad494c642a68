import { describe, expect, it } from '@jest/globals';
import type { Activity } from '../../../shared/activity/activity-log.ts';
import { addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';
import { alerted, claimed, type Delivery } from '../../../shared/webhook/delivery.ts';
import { resend } from '../../../shared/webhook/log/request-resend.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';

/** A delivery that failed after its six attempts, and a function that resends it. */
async function failedDelivery(answerLater: number) {
  let status = 500;
  const simulation = simulatedGateway({
    startAt: created,
    answer: () => ({ afterMs: 50, status }),
  });
  const { deliveries: store, dueItemIndex } = simulation;
  simulation.messages.put(aMessage(), aSentMessage());
  await simulation.run(40_000);
  status = answerLater;
  const entries: Activity[] = [];
  const reported: string[] = [];
  const queue = {
    send: async (lane: 'fast' | 'slow', sent: readonly { message: object }[]) => {
      for (const { message } of sent) simulation.world.put(lane, JSON.stringify(message));
    },
  };
  const dependencies = {
    deliveries: store,
    dueItemIndex,
    activityLog: { add: async (entry: Activity) => void entries.push(entry) },
    queue,
    clock: simulation.now,
    newRevision: () => `resend ${entries.length}`,
    reportFailedDelivery: ({ delivery_id }: Delivery) => void reported.push(delivery_id),
  };
  return { store, simulation, entries, reported, dependencies, id: simulation.posts[0]?.deliveryId ?? '' };
}

describe('a manual resend', () => {
  it('is a new attempt of the same delivery, with an activity entry that names the administrator', async () => {
    const { store, simulation, entries, dependencies, id } = await failedDelivery(200);
    expect(await resend(dependencies, id, 'ada@example.com')).toEqual({ kind: 'resent', attemptNumber: 7 });
    await simulation.run(10);
    const delivery = await store.get(id);
    expect(delivery?.state).toBe('acknowledged');
    expect(delivery?.attempts.at(-1)).toMatchObject({ number: 7, trigger: 'manual' });
    expect(new Set(simulation.posts.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
    expect(new Set(simulation.posts.map(({ body }) => body)).size).toBe(1);
    expect(entries).toMatchObject([{ kind: 'webhook_resent', actor: 'ada@example.com', delivery_id: id }]);
  });

  it('is kept until its attempt is over, also where it is asked for at the end of the retention', async () => {
    const { store, simulation, dependencies, id } = await failedDelivery(200);
    const row = await store.get(id);
    if (row === undefined) throw new Error('it is stored');
    const purge_at = epochSeconds(addSeconds(simulation.now(), 1));
    await store.replace(row, { ...row, purge_at, revision: 'old' });
    await resend(dependencies, id, 'ada@example.com');
    const hourLater = epochSeconds(addSeconds(simulation.now(), 3600));
    expect((await store.get(id))?.purge_at).toBeGreaterThanOrEqual(hourLater);
  });

  it('is a single attempt: if it fails, the delivery has failed again', async () => {
    const { store, simulation, dependencies, id } = await failedDelivery(500);
    await resend(dependencies, id, 'ada@example.com');
    await simulation.run(40_000);
    expect(simulation.posts).toHaveLength(7);
    expect((await store.get(id))?.state).toBe('failed');
    expect(simulation.failuresReported).toHaveLength(2);
  });

  it('is made while the alert of the failure is pending, which is sent first', async () => {
    const { store, simulation, entries, reported, dependencies, id } = await failedDelivery(200);
    const row = await store.get(id);
    if (row === undefined) throw new Error('it is stored');
    await store.replace(row, { ...row, alert_pending: true, revision: 'pending' });
    expect(await resend(dependencies, id, 'ada@example.com')).toEqual({ kind: 'resent', attemptNumber: 7 });
    await simulation.run(10);
    expect((await store.get(id))?.state).toBe('acknowledged');
    expect(reported).toEqual([id]);
    expect(entries.map(({ kind }) => kind)).toEqual(['webhook_failed', 'webhook_resent']);
  });

  it('is made although the worker notes its alert at that moment', async () => {
    const { store, simulation, dependencies, id } = await failedDelivery(200);
    const row = await store.get(id);
    if (row === undefined) throw new Error('it is stored');
    const pending: Delivery = { ...row, alert_pending: true, revision: 'pending' };
    await store.replace(row, pending);
    const activityLog: typeof dependencies.activityLog = {
      async add(entry) {
        await store.replace(pending, alerted(pending, 'noted'));
        return dependencies.activityLog.add(entry);
      },
    };
    const outcome = await resend({ ...dependencies, activityLog }, id, 'ada@example.com');
    expect(outcome).toEqual({ kind: 'resent', attemptNumber: 7 });
    await simulation.run(10);
    expect((await store.get(id))?.state).toBe('acknowledged');
  });

  it('is started by the sweep if its queue message is lost', async () => {
    const { store, simulation, dependencies, id } = await failedDelivery(200);
    const lost = { send: async () => {} };
    await resend({ ...dependencies, queue: lost }, id, 'ada@example.com');
    await simulation.run(300);
    expect((await store.get(id))?.state).toBe('acknowledged');
  });

  it('happens once, for any number of requests, parallel or in sequence', async () => {
    const { simulation, entries, dependencies, id } = await failedDelivery(200);
    const both = await Promise.all([resend(dependencies, id, 'a'), resend(dependencies, id, 'b')]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['already_waiting', 'resent']);
    expect(await resend(dependencies, id, 'c')).toEqual({ kind: 'already_waiting', state: 'pending' });
    const noted = entries.length;
    await simulation.run(300);
    expect(simulation.posts).toHaveLength(7);
    expect(await resend(dependencies, id, 'c')).toEqual({ kind: 'acknowledged_meanwhile' });
    await simulation.run(300);
    expect(simulation.posts).toHaveLength(7);
    expect(entries).toHaveLength(noted);
    expect(await resend(dependencies, 'whd_none', 'c')).toEqual({ kind: 'not_found' });
  });

  it('resends an acknowledged delivery only with `evenAcknowledged`', async () => {
    const { simulation, dependencies, id } = await failedDelivery(200);
    await resend(dependencies, id, 'a');
    await simulation.run(10);
    expect(await resend(dependencies, id, 'a', { evenAcknowledged: true })).toMatchObject({ kind: 'resent' });
    await simulation.run(300);
    expect(simulation.posts).toHaveLength(8);
  });

  it('does not happen while an attempt is scheduled or running', async () => {
    const { store, dependencies, id } = await failedDelivery(200);
    await resend(dependencies, id, 'a');
    const waiting = await store.get(id);
    if (waiting === undefined) throw new Error('there is no delivery');
    await store.replace(waiting, claimed(waiting, dependencies.clock(), 'held'));
    expect(await resend(dependencies, id, 'a')).toEqual({ kind: 'already_waiting', state: 'attempting' });
  });

  it('sends the queue message that the previous request did not send before it died', async () => {
    const { simulation, dependencies, id } = await failedDelivery(200);
    const dies = { send: () => Promise.reject(new Error('no connection')) };
    await expect(resend({ ...dependencies, queue: dies }, id, 'a')).rejects.toThrow('no connection');
    expect(await resend(dependencies, id, 'a')).toEqual({ kind: 'already_waiting', state: 'pending' });
    // Much less than the 90 s after which the sweep would find it.
    await simulation.run(10);
    expect(simulation.posts).toHaveLength(7);
  });
});
