/**
 * A thousand webhooks with faults: workers die and AWS calls fail before and after they took effect, messages are lost
 * and doubled, schedules come late. Prints the results; exits with 1 if a webhook was lost, came early, was doubled
 * without a death in its POST, or failed although its endpoint would have accepted it.
 * `node test/faults/webhooks.ts [seed] [deliveries]`.
 */

import { derivedId } from '../../shared/platform/ids.ts';
import { interruptedMessage } from '../../shared/webhook/deliver/attempt.ts';
import { memoryDeliveryStore } from '../support/doubles/memory-delivery-store.ts';
import { randomFrom } from '../support/doubles/seeded-random.ts';
import type { Fault } from '../support/faults/faulty-calls.ts';
import { aMessage, aSentMessage, created } from '../support/webhook/example-webhook-message.ts';
import { createSimulation } from '../support/webhook/webhook-simulation.ts';

const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 2 ** 31));
const total = Number(process.argv[3] ?? 1000);
const random = randomFrom(seed);

const rates = { kill: 0.02, fail: 0.03, lost: 0.02, doubled: 0.03 };
const faultKinds: readonly Fault[] = ['kill_before', 'kill_after', 'fail_before', 'fail_after'];
const counted: Record<string, number> = {};

/** How many POSTs of each delivery the endpoint refuses before it acknowledges. */
const refusals = new Map<string, number>();
const store = memoryDeliveryStore();
const simulation = createSimulation({
  store,
  startAt: created,
  latencyMs: () => 1 + random() * 30,
  schedulerLatenessMs: () => random() * 60_000,
  fault(name) {
    const drawn = random();
    const rate = drawn < rates.kill ? 0 : drawn < rates.kill + rates.fail ? 2 : undefined;
    if (rate === undefined) return undefined;
    const fault = faultKinds[rate + (random() < 0.5 ? 0 : 1)];
    // A POST never throws: its failures are answers.
    if (fault === undefined || (name === 'post' && rate === 2)) return undefined;
    counted[fault] = (counted[fault] ?? 0) + 1;
    return fault;
  },
  copies() {
    const drawn = random();
    return drawn < rates.lost ? 0 : drawn < rates.lost + rates.doubled ? 2 : 1;
  },
  answer(deliveryId, postNumber) {
    const refused = postNumber <= (refusals.get(deliveryId) ?? 0);
    if (!refused) return { afterMs: 20 + random() * 500, status: 200 };
    return random() < 0.5 ? { afterMs: 5000, error: 'timeout' } : { afterMs: 100, status: 500 };
  },
});

const deliveryIds: string[] = [];
for (let i = 0; i < total; i += 1) {
  const id = `msg_${String(i).padStart(26, '0')}`;
  const deliveryId = derivedId('whd', id, 'sms.sent');
  deliveryIds.push(deliveryId);
  refusals.set(deliveryId, random() < 0.5 ? 0 : Math.floor(random() * 6));
  simulation.relay(aMessage({ message_id: id }), aSentMessage({ message_id: id }));
}
await simulation.run(2 * 86_400);

const postsOf = new Map<string, number>();
for (const { deliveryId, attempt } of simulation.posts) {
  const key = `${deliveryId}#${attempt}`;
  postsOf.set(key, (postsOf.get(key) ?? 0) + 1);
}
const deliveries = await Promise.all(deliveryIds.map((id) => store.get(id)));
const lost = deliveries.filter((delivery) => delivery?.finished_at === undefined).length;
/**
 * Every endpoint acknowledges the sixth POST at the latest. An attempt with which three workers in a row died counts as
 * failed, because an endpoint must not be able to kill workers forever; the endpoint then has one attempt fewer.
 */
const failed = deliveries.filter((delivery) => delivery?.state === 'failed');
const interrupted = failed.filter((delivery) =>
  delivery?.attempts.some(({ error_message }) => error_message === interruptedMessage),
).length;
const unexplained = failed.length - interrupted;
const attempts = deliveries.flatMap((delivery) => delivery?.attempts ?? []);
const early = attempts.filter(({ lateness_ms }) => lateness_ms < 0).length;
const doubled = [...postsOf].filter(([, count]) => count > 1);
const unexcused = doubled.filter(([attempt]) => !simulation.diedInPost.has(attempt)).length;

console.log(
  `seed ${seed}: ${total} deliveries, ${simulation.posts.length} POSTs, ${simulation.calls.length} calls`,
);
console.log(
  `faults: ${Object.entries(counted)
    .map(([fault, n]) => `${fault} ${n}`)
    .join(', ')}`,
);
console.log(`lost ${lost}, early ${early}`);
console.log(
  `failed ${failed.length}, of these after an attempt that three workers died with ${interrupted}, otherwise ${unexplained}`,
);
console.log(
  `doubled ${doubled.length}, of these by a death in the POST ${doubled.length - unexcused}, otherwise ${unexcused}`,
);
if (lost + early + unexcused + unexplained > 0) process.exitCode = 1;
