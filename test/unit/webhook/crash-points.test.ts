import { describe, expect, it } from '@jest/globals';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { type Gateway, simulatedGateway } from '../../support/simulation/gateway.ts';
import { attemptOf } from '../../support/simulation/outside-calls.ts';
import { crashFaults, type Fault } from '../../support/simulation/processes.ts';

/** Seconds until the sixth attempt, 25,950 s after the first one, and for the sweeps after a fault of it. */
const allAttempts = 27_500;
let messages = 0;

/** One message to an endpoint that refuses the first `refusals` attempts, with one fault at one call. */
async function walk(refusals: number, at: number, fault: Fault, seconds: number): Promise<Gateway> {
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
async function everyFault(refusals: number, seconds: number): Promise<string[]> {
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

describe('a worker that dies, or an AWS call that fails, at any step', () => {
  it('loses nothing, and posts twice only if the worker dies in the POST: acknowledged at once', async () => {
    expect(await everyFault(0, 900)).toEqual([]);
  });

  it('loses nothing, and posts twice only if the worker dies in the POST: acknowledged by the last retry', async () => {
    expect(await everyFault(5, allAttempts)).toEqual([]);
  });

  it('reports a failed delivery and writes one entry, at whichever line the worker dies', async () => {
    const undisturbed = await walk(99, -1, 'kill_before', allAttempts);
    const wrong: string[] = [];
    for (const [at, name] of undisturbed.world.processes.calls.entries()) {
      if (name !== 'activity' && name !== 'deliveries replace') continue;
      for (const fault of crashFaults) {
        const simulation = await walk(99, at, fault, allAttempts);
        const entries = [...simulation.activities.values()].filter(({ kind }) => kind === 'webhook_failed');
        if (entries.length !== 1 || simulation.failuresReported.length === 0)
          wrong.push(`${fault} of call ${at} (${name})`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('a queue that loses or doubles messages', () => {
  /** One webhook, refused once; the n-th queue message arrives `copiesOf(n)` times. */
  async function deliverThrough(copiesOf: (message: number) => number) {
    let sent = 0;
    const simulation = simulatedGateway({
      startAt: created,
      answer: (_id, postNumber) => ({ afterMs: 100, status: postNumber === 1 ? 500 : 200 }),
      copies: () => copiesOf(sent++),
    });
    simulation.messages.put(aMessage(), aSentMessage());
    await simulation.run(3600);
    return { simulation, delivery: await simulation.deliveries.get(simulation.posts[0]?.deliveryId ?? '') };
  }

  it('delays a webhook by minutes: lost before a worker claims it, it is rebuilt from its message', async () => {
    const { simulation, delivery } = await deliverThrough((message) => (message === 0 ? 0 : 1));
    expect(delivery?.attempts.map(({ trigger, status }) => [trigger, status])).toEqual([
      ['sweep', 500],
      ['automatic', 200],
    ]);
    expect(simulation.posts[0]?.at.getTime()).toBeLessThan(created.getTime() + 181_000);
  });

  it('delays a retry by minutes if its queue message is lost', async () => {
    const { delivery } = await deliverThrough((message) => (message === 1 ? 0 : 1));
    expect(delivery?.attempts.map(({ trigger, status }) => [trigger, status])).toEqual([
      ['automatic', 500],
      ['sweep', 200],
    ]);
  });

  it('posts a webhook once per attempt, even if every queue message arrives three times', async () => {
    const { simulation, delivery } = await deliverThrough(() => 3);
    expect(simulation.posts).toHaveLength(2);
    expect(delivery?.state).toBe('acknowledged');
  });
});
