/**
 * A thousand webhooks with faults: workers die and AWS calls fail before and after they took effect, messages are lost
 * and doubled, schedules come late. Prints the results; exits with 1 if a webhook was lost, came early, was doubled
 * without a death in its POST, or failed although its endpoint would have accepted it.
 * `node test/faults/webhooks.ts [seed] [deliveries]`.
 */

import { derivedId } from '../../shared/platform/ids.ts';
import { interruptedMessage } from '../../shared/webhook/deliver/post-attempt.ts';
import { randomFrom } from '../support/doubles/seeded-random.ts';
import { aMessage, aSentMessage, created } from '../support/message/example-message.ts';
import { simulatedGateway } from '../support/simulation/gateway.ts';
import { attemptOf } from '../support/simulation/outside-calls.ts';
import { randomFaults } from '../support/simulation/processes.ts';

const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 2 ** 31));
const total = Number(process.argv[3] ?? 1000);
const random = randomFrom(seed);

const rates = { kill_before: 0.01, kill_after: 0.01, fail_before: 0.015, fail_after: 0.015 };
const lostShare = 0.02;
const doubledShare = 0.03;

/** How many POSTs of each delivery the endpoint refuses before it acknowledges. */
const refusals = new Map<string, number>();
const simulation = simulatedGateway({
  startAt: created,
  latencyMs: () => 1 + random() * 30,
  lateMs: (what) => (what === 'scheduler' ? random() * 60_000 : 0),
  random,
  fault: randomFaults(random, rates),
  copies() {
    const drawn = random();
    return drawn < lostShare ? 0 : drawn < lostShare + doubledShare ? 2 : 1;
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
  simulation.messages.put(aMessage({ message_id: id }), aSentMessage({ message_id: id }));
}
await simulation.run(2 * 86_400);

const deliveries = await Promise.all(deliveryIds.map((id) => simulation.deliveries.get(id)));
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
const doubled = [...Map.groupBy(simulation.posts, attemptOf)].filter(([, posts]) => posts.length > 1);
const diedInPost = simulation.diedInPost();
const unexcused = doubled.filter(([attempt]) => !diedInPost.has(attempt)).length;

console.log(
  `seed ${seed}: ${total} deliveries, ${simulation.posts.length} POSTs, ${simulation.world.processes.calls.length} calls`,
);
console.log(
  `faults: ${Object.entries(simulation.world.processes.counted)
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
