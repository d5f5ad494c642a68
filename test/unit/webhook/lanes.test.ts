import { describe, expect, it } from '@jest/globals';
import { derivedId } from '../../../shared/platform/ids.ts';
import { startDelayMs } from '../../../shared/webhook/choose-lane.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import type { Answer } from '../../support/simulation/outside-calls.ts';

const hangs: Answer = { afterMs: 5000, error: 'timeout' };
const answers: Answer = { afterMs: 40, status: 200 };

/** A simulation in which each host is an endpoint. */
function aSimulation(answerOf: (host: string, at: Date) => Answer) {
  const hosts = new Map<string, string>();
  const simulation = simulatedGateway({
    startAt: created,
    answer: (deliveryId) => answerOf(hosts.get(deliveryId) ?? '', simulation.now()),
  });
  return {
    simulation,
    /** Relays `count` webhooks of a client now. */
    send(host: string, count = 1, client = host) {
      for (let i = 0; i < count; i += 1) {
        const message = {
          message_id: `msg_${String(hosts.size).padStart(26, '0')}`,
          client_id: client,
          webhook_url: `https://${host}/hook`,
        };
        hosts.set(derivedId('whd', message.message_id, 'sms.sent'), host);
        simulation.messages.put(aMessage(message), aSentMessage(message));
      }
    },
    /** The first attempts at a host: lane, and time since the start. */
    posts: (host: string) =>
      simulation.posts
        .filter(({ deliveryId, attempt }) => attempt === 1 && hosts.get(deliveryId) === host)
        .map(({ lane, at }) => ({ lane, ms: at.getTime() - created.getTime() })),
    inLane: (lane: 'fast' | 'slow') =>
      simulation.posts.filter((post) => post.attempt === 1 && post.lane === lane).length,
  };
}

describe('an endpoint that hangs', () => {
  it('occupies one worker of the fast lane, and its webhooks are posted without delay in the slow lane', async () => {
    const { simulation, send, posts } = aSimulation(() => hangs);
    send('hangs.example', 50);
    await simulation.run(4);
    const seen = posts('hangs.example');
    expect(seen).toHaveLength(50);
    expect(seen.filter(({ lane }) => lane === 'fast')).toHaveLength(1);
    expect(Math.max(...seen.map(({ ms }) => ms))).toBeLessThan(500);
  });

  it('occupies at most four workers, with any number of host names', async () => {
    const { simulation, send, inLane } = aSimulation(() => hangs);
    for (let i = 0; i < 100; i += 1) send(`r${i}.hangs.example`, 1, 'one client');
    await simulation.run(4);
    expect(inLane('fast')).toBeLessThanOrEqual(4);
    expect(inLane('fast') + inLane('slow')).toBe(100);
  });

  it('gets no POST from the fast lane once it is known: its webhooks go on to the slow lane at once', async () => {
    const { simulation, send, inLane, posts } = aSimulation(() => hangs);
    send('hangs.example');
    await simulation.run(2);
    send('hangs.example', 30);
    await simulation.run(1);
    expect(inLane('fast')).toBe(1);
    expect(inLane('slow')).toBe(30);
    expect(Math.max(...posts('hangs.example').map(({ ms }) => ms))).toBeLessThan(2500);
  });

  it('neither delays webhooks of other clients nor moves their endpoints to the slow lane', async () => {
    const { simulation, send, posts } = aSimulation((host) => (host === 'good.example' ? answers : hangs));
    for (let second = 0; second < 5; second += 1) {
      send('hangs.example', 20);
      // Another client's endpoint on the same host.
      send('hangs.example', 1, 'somebody else');
      send('good.example', 20);
      await simulation.run(1);
    }
    const good = posts('good.example');
    expect(good).toHaveLength(100);
    expect(new Set(good.map(({ lane }) => lane))).toEqual(new Set(['fast']));
    const delays = good.map(({ ms }) => ms % 1000);
    expect(Math.max(...delays.slice(20))).toBeLessThan(100);
    expect(Math.max(...delays)).toBeLessThan(300);
  });

  it('leaves the fast lane as soon as it is detected, if it was healthy before', async () => {
    const turnsAt = new Date(created.getTime() + 5000);
    const { simulation, send, posts } = aSimulation((_host, at) => (at < turnsAt ? answers : hangs));
    for (let tenth = 0; tenth < 100; tenth += 1) {
      send('turns.example');
      await simulation.run(0.1);
    }
    const inFastLane = posts('turns.example').filter(({ lane }) => lane === 'fast');
    expect(Math.max(...inFastLane.map(({ ms }) => ms))).toBeLessThan(5500);
    expect(inFastLane.filter(({ ms }) => ms >= 5000).length).toBeLessThanOrEqual(5);
    expect(posts('turns.example')).toHaveLength(100);
  });

  it('is in the slow lane after 300 ms without a response, and back in the fast lane with the response', async () => {
    const [from, until] = [5, 5.1].map((seconds) => new Date(created.getTime() + seconds * 1000));
    const { simulation, send, posts } = aSimulation((_host, at) =>
      from !== undefined && until !== undefined && at >= from && at < until
        ? { afterMs: 800, status: 200 }
        : answers,
    );
    for (let tenth = 0; tenth < 100; tenth += 1) {
      send('pauses.example');
      await simulation.run(0.1);
    }
    await simulation.run(1);
    const inSlowLane = posts('pauses.example').filter(({ lane }) => lane === 'slow');
    expect(posts('pauses.example')).toHaveLength(100);
    expect(inSlowLane.length).toBeGreaterThan(0);
    for (const { ms } of inSlowLane) {
      expect(ms).toBeGreaterThan(5300);
      expect(ms).toBeLessThan(6000);
    }
  });

  it('stays in the fast lane if every response takes most of a second, after one pause', async () => {
    const { simulation, send, posts } = aSimulation(() => ({ afterMs: 700, status: 200 }));
    for (let tenth = 0; tenth < 200; tenth += 1) {
      send('slow-but-ok.example');
      await simulation.run(0.1);
    }
    const inSlowLane = posts('slow-but-ok.example').filter(({ lane }) => lane === 'slow');
    expect(Math.max(...inSlowLane.map(({ ms }) => ms))).toBeLessThan(1000);
  });

  it('returns to the fast lane when it answers quickly again', async () => {
    const mendedAt = new Date(created.getTime() + 10_000);
    const { simulation, send, posts } = aSimulation((_host, at) => (at < mendedAt ? hangs : answers));
    for (let second = 0; second < 60; second += 1) {
      send('mended.example');
      await simulation.run(1);
    }
    const lanes = posts('mended.example').map(({ lane }) => lane);
    expect(new Set(lanes.slice(2, 25))).toEqual(new Set(['slow']));
    expect(new Set(lanes.slice(-20))).toEqual(new Set(['fast']));
  });

  it('stays in the slow lane while it hangs from time to time', async () => {
    let posted = 0;
    const { simulation, send, inLane } = aSimulation(() => (posted++ % 10 === 0 ? hangs : answers));
    send('moody.example');
    await simulation.run(2);
    for (let second = 0; second < 60; second += 1) {
      send('moody.example');
      await simulation.run(1);
    }
    expect(inLane('fast')).toBe(1);
  });
});

describe('an endpoint that is new and healthy', () => {
  it('is in the fast lane from the first webhook on, even in a burst', async () => {
    const { simulation, send, posts } = aSimulation(() => answers);
    send('new.example', 50);
    await simulation.run(2);
    const seen = posts('new.example');
    expect(seen).toHaveLength(50);
    expect(new Set(seen.map(({ lane }) => lane))).toEqual(new Set(['fast']));
    expect(Math.max(...seen.map(({ ms }) => ms))).toBeLessThan(300);
  });

  it('is in the fast lane even if it refuses connections quickly', async () => {
    const { simulation, send, inLane } = aSimulation(() => ({ afterMs: 5, error: 'refused' }));
    send('refuses.example', 20);
    await simulation.run(2);
    expect(inLane('fast')).toBe(20);
  });
});

it('posts in the fast lane when the health of endpoints cannot be read', async () => {
  const simulation = simulatedGateway({
    startAt: created,
    fault: (call) => (call.startsWith('health ') ? 'fail_before' : undefined),
    answer: () => answers,
  });
  simulation.messages.put(aMessage(), aSentMessage());
  await simulation.run(5);
  expect(simulation.posts.map(({ lane }) => lane)).toEqual(['fast']);
  expect((await simulation.deliveries.get(simulation.posts[0]?.deliveryId ?? ''))?.state).toBe(
    'acknowledged',
  );
});

it('starts the messages of a slow batch 10 ms apart, and all within half a second', () => {
  expect([0, 1, 9].map((position) => startDelayMs('slow', position, 10))).toEqual([0, 10, 90]);
  expect(startDelayMs('slow', 99, 100)).toBe(495);
  expect(startDelayMs('fast', 9, 10)).toBe(0);
});
