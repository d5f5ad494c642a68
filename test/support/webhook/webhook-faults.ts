/** Runs one delivery with every fault at every call, and returns the violations. */

import { aMessage, aSentMessage, created } from '../message/example-message.ts';
import { type Gateway, simulatedGateway } from '../simulation/gateway.ts';
import { attemptOf } from '../simulation/outside-calls.ts';
import { crashFaults, type Fault } from '../simulation/processes.ts';

let messages = 0;

/** One message to an endpoint that refuses the first `refusals` attempts, with one fault at one call. */
export async function walk(refusals: number, at: number, fault: Fault, seconds: number): Promise<Gateway> {
  messages += 1;
  const id = `msg_01KAG000000000000000${String(messages).padStart(6, '0')}`;
  const simulation = simulatedGateway({
    startAt: created,
    fault: (_call, index) => (index === at ? fault : undefined),
    answer: (_deliveryId, postNumber) => ({ afterMs: 100, status: postNumber <= refusals ? 500 : 200 }),
  });
  simulation.messages.put(aMessage({ message_id: id }), aSentMessage({ message_id: id }));
  await simulation.run(seconds);
  return simulation;
}

/** Repeats the run with each fault at each call. */
export async function everyFault(refusals: number, seconds: number): Promise<string[]> {
  const undisturbed = await walk(refusals, -1, 'kill_before', seconds);
  const wrong: string[] = [];
  for (const [at, name] of undisturbed.world.processes.calls.entries()) {
    for (const fault of crashFaults) {
      const simulation = await walk(refusals, at, fault, seconds);
      const where = `${fault} of call ${at} (${name})`;
      const id = simulation.posts[0]?.deliveryId ?? '';
      const delivery = await simulation.deliveries.get(id);
      if (delivery?.state !== 'acknowledged') wrong.push(`${where}: ${delivery?.state ?? 'lost'}`);
      const diedInPost = simulation.diedInPost();
      for (const [attempt, posts] of Map.groupBy(simulation.posts, attemptOf)) {
        if (posts.length > (diedInPost.has(attempt) ? 2 : 1))
          wrong.push(`${where}: ${attempt} posted ${posts.length} times`);
      }
      for (const attempt of delivery?.attempts ?? []) {
        if (attempt.lateness_ms < 0) wrong.push(`${where}: attempt ${attempt.number} early`);
      }
    }
  }
  return wrong;
}
