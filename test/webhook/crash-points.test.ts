import { describe, expect, it } from '@jest/globals';
import { aMessage, aSentMessage, created } from '../support/a-webhook-message.ts';
import { memoryDeliveryStore } from '../support/memory-delivery-store.ts';
import { everyFault, faults, walk } from '../support/webhook-faults.ts';
import { createWorld } from '../support/webhook-world.ts';

describe('a worker that dies, or an AWS call that fails, at any step', () => {
  it('loses nothing and doubles nothing but by a death in the POST: acknowledged at once', async () => {
    expect(await everyFault(memoryDeliveryStore, 0, 900)).toEqual([]);
  });

  it('loses nothing and doubles nothing but by a death in the POST: acknowledged by the last retry', async () => {
    expect(await everyFault(memoryDeliveryStore, 5, 40_000)).toEqual([]);
  });

  it('raises the alarm and writes one entry for a delivery that fails, wherever the worker dies', async () => {
    const undisturbed = await walk(memoryDeliveryStore(), 99, -1, 'kill_before', 40_000);
    const wrong: string[] = [];
    for (const [at, name] of undisturbed.calls.entries()) {
      if (name !== 'activity' && name !== 'replace') continue;
      for (const fault of faults) {
        const world = await walk(memoryDeliveryStore(), 99, at, fault, 40_000);
        const entries = [...world.activities.values()].filter(({ kind }) => kind === 'webhook_failed');
        if (entries.length !== 1 || world.alarms.length === 0) wrong.push(`${fault} of call ${at} (${name})`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('a queue that loses or doubles messages', () => {
  /** One webhook, refused once; the n-th message put on a queue arrives so many times. */
  async function deliverThrough(copiesOf: (message: number) => number) {
    let sent = 0;
    const store = memoryDeliveryStore();
    const world = createWorld({
      store,
      startAt: created,
      answer: (_id, postNumber) => ({ afterMs: 100, status: postNumber === 1 ? 500 : 200 }),
      copies: () => copiesOf(sent++),
    });
    world.relay(aMessage(), aSentMessage());
    await world.run(3600);
    return { world, delivery: await store.get(world.posts[0]?.deliveryId ?? '') };
  }

  it('costs a webhook minutes, not its life: lost before any worker took it, it is planned anew from its message', async () => {
    const { world, delivery } = await deliverThrough((message) => (message === 0 ? 0 : 1));
    expect(delivery?.attempts.map(({ trigger, status }) => [trigger, status])).toEqual([
      ['sweep', 500],
      ['automatic', 200],
    ]);
    expect(world.posts[0]?.at.getTime()).toBeLessThan(created.getTime() + 181_000);
  });

  it('costs a retry minutes when its wake is lost', async () => {
    const { delivery } = await deliverThrough((message) => (message === 1 ? 0 : 1));
    expect(delivery?.attempts.map(({ trigger, status }) => [trigger, status])).toEqual([
      ['automatic', 500],
      ['sweep', 200],
    ]);
  });

  it('posts a webhook whose every queue message comes three times as often as one whose come once', async () => {
    const { world, delivery } = await deliverThrough(() => 3);
    expect(world.posts).toHaveLength(2);
    expect(delivery?.state).toBe('acknowledged');
  });
});
