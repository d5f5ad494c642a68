/** Runs one delivery with every fault at every call, and returns what went wrong. */
import type { DeliveryStore } from '../../../shared/webhook/store/delivery-store.ts';
import type { Fault } from '../faults/faulty-calls.ts';
import { aMessage, aSentMessage, created } from './example-webhook-message.ts';
import { createSimulation, type Simulation } from './webhook-simulation.ts';

export const faults: readonly Fault[] = ['kill_before', 'kill_after', 'fail_before', 'fail_after'];

let messages = 0;

/** One message to an endpoint that refuses the first `refusals` attempts, with one fault at one call. */
export async function walk(
  store: DeliveryStore,
  refusals: number,
  at: number,
  fault: Fault,
  seconds: number,
) {
  messages += 1;
  const id = `msg_01KAG000000000000000${String(messages).padStart(6, '0')}`;
  const simulation = createSimulation({
    store,
    startAt: created,
    scheduleLeadSeconds: 60,
    fault: (_name, index) => (index === at ? fault : undefined),
    answer: (_deliveryId, postNumber) => ({ afterMs: 100, status: postNumber <= refusals ? 500 : 200 }),
  });
  simulation.relay(aMessage({ message_id: id }), aSentMessage({ message_id: id }));
  await simulation.run(seconds);
  return simulation;
}

function countsByAttempt(simulation: Simulation): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { deliveryId, attempt } of simulation.posts) {
    const key = `${deliveryId}#${attempt}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Repeats the run with each fault at each call that `disturbs` selects. */
export async function everyFault(
  newStore: () => DeliveryStore,
  refusals: number,
  seconds: number,
  disturbs: (callName: string) => boolean = () => true,
): Promise<string[]> {
  const undisturbed = await walk(newStore(), refusals, -1, 'kill_before', seconds);
  const wrong: string[] = [];
  for (const [at, name] of undisturbed.calls.entries()) {
    // The sweep's query of every minute; `npm run test:faults` covers its faults.
    if (name === 'dueItemIndex due' || !disturbs(name)) continue;
    for (const fault of faults) {
      const store = newStore();
      const simulation = await walk(store, refusals, at, fault, seconds);
      const where = `${fault} of call ${at} (${name})`;
      const id = simulation.posts[0]?.deliveryId ?? '';
      const delivery = await store.get(id);
      if (delivery?.state !== 'acknowledged') wrong.push(`${where}: ${delivery?.state ?? 'lost'}`);
      for (const [attempt, count] of countsByAttempt(simulation)) {
        if (count > (simulation.diedInPost.has(attempt) ? 2 : 1))
          wrong.push(`${where}: ${attempt} posted ${count} times`);
      }
      for (const attempt of delivery?.attempts ?? []) {
        if (attempt.lateness_ms < 0) wrong.push(`${where}: attempt ${attempt.number} early`);
      }
    }
  }
  return wrong;
}
