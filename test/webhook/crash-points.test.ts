import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DeliveryStore } from '../../shared/webhook/delivery-store.ts';
import { aMessage, aSentMessage, created } from '../support/a-webhook-message.ts';
import { memoryDeliveryStore } from '../support/memory-delivery-store.ts';
import { type WebhookTables, webhookTables } from '../support/webhook-tables.ts';
import { createWorld, type Fault, type World } from '../support/webhook-world.ts';

const faults: readonly Fault[] = ['kill_before', 'kill_after', 'fail_before', 'fail_after'];
let tables: WebhookTables;

beforeAll(async () => {
  tables = await webhookTables();
});
afterAll(() => tables.stop());

let messages = 0;

/** One message to a receiver that refuses the first `refusals` attempts, with one fault at one call. */
async function walk(store: DeliveryStore, refusals: number, at: number, fault: Fault, seconds: number) {
  messages += 1;
  const id = `msg_01KAG000000000000000${String(messages).padStart(6, '0')}`;
  const world = createWorld({
    store,
    startAt: created,
    scheduleLeadSeconds: 60,
    fault: (_name, index) => (index === at ? fault : undefined),
    answer: (_deliveryId, postNumber) => ({ afterMs: 100, status: postNumber <= refusals ? 500 : 200 }),
  });
  world.relay(aMessage({ message_id: id }), aSentMessage({ message_id: id }));
  await world.run(seconds);
  return world;
}

function countsByAttempt(world: World): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { deliveryId, attempt } of world.posts) {
    const key = `${deliveryId}#${attempt}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Every call of an undisturbed run, each with every fault. */
async function everyFault(
  newStore: () => DeliveryStore,
  refusals: number,
  seconds: number,
): Promise<string[]> {
  const undisturbed = await walk(newStore(), refusals, -1, 'kill_before', seconds);
  const wrong: string[] = [];
  for (const [at, name] of undisturbed.calls.entries()) {
    // The sweep's own looking around, every minute of hours; its faults are among those of `npm run test:faults`.
    if (name === 'findOverdue') continue;
    for (const fault of faults) {
      const store = newStore();
      const world = await walk(store, refusals, at, fault, seconds);
      const where = `${fault} of call ${at} (${name})`;
      const id = world.posts[0]?.deliveryId ?? '';
      const delivery = await store.get(id);
      if (delivery?.state !== 'acknowledged') wrong.push(`${where}: ${delivery?.state ?? 'lost'}`);
      for (const [attempt, count] of countsByAttempt(world)) {
        if (count > (world.diedInPost.has(attempt) ? 2 : 1))
          wrong.push(`${where}: ${attempt} posted ${count} times`);
      }
      for (const attempt of delivery?.attempts ?? []) {
        if (attempt.lateness_ms < 0) wrong.push(`${where}: attempt ${attempt.number} early`);
      }
    }
  }
  return wrong;
}

describe('a worker that dies, or an AWS call that fails, at any step', () => {
  it('loses nothing and doubles nothing but by a death in the POST: acknowledged at once', async () => {
    expect(await everyFault(memoryDeliveryStore, 0, 900)).toEqual([]);
  });

  it('loses nothing and doubles nothing but by a death in the POST: acknowledged by the last retry', async () => {
    expect(await everyFault(memoryDeliveryStore, 5, 40_000)).toEqual([]);
  });

  it('loses nothing and doubles nothing on the real table', async () => {
    expect(await everyFault(() => tables.newStore(), 1, 900)).toEqual([]);
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
