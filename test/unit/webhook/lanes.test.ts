import { describe, expect, it } from '@jest/globals';
import { derivedId } from '../../../shared/platform/ids.ts';
import { memoryDeliveryStore } from '../../support/doubles/memory-delivery-store.ts';
import { aMessage, aSentMessage, created } from '../../support/webhook/example-webhook-message.ts';
import type { Answer } from '../../support/webhook/recorded-posts.ts';
import { createSimulation } from '../../support/webhook/webhook-simulation.ts';

const hangs: Answer = { afterMs: 5000, error: 'timeout' };
const answers: Answer = { afterMs: 40, status: 200 };

/** A world whose receivers are told apart by their hosts; its clock moves only by what it is told to. */
function aSimulation(answerOf: (host: string, at: Date) => Answer) {
  const hosts = new Map<string, string>();
  const simulation = createSimulation({
    store: memoryDeliveryStore(),
    startAt: created,
    answer: (deliveryId) => answerOf(hosts.get(deliveryId) ?? '', simulation.now()),
  });
  return {
    simulation,
    /** So many webhooks of a client, now. */
    send(host: string, count = 1, client = host) {
      for (let i = 0; i < count; i += 1) {
        const message = {
          message_id: `msg_${String(hosts.size).padStart(26, '0')}`,
          client_id: client,
          webhook_url: `https://${host}/hook`,
        };
        hosts.set(derivedId('whd', message.message_id, 'sms.sent'), host);
        simulation.relay(aMessage(message), aSentMessage(message));
      }
    },
    /** First attempts at that host: the lane of each, and how long after the start. */
    posts: (host: string) =>
      simulation.posts
        .filter(({ deliveryId, attempt }) => attempt === 1 && hosts.get(deliveryId) === host)
        .map(({ lane, at }) => ({ lane, ms: at.getTime() - created.getTime() })),
    inLane: (lane: 'fast' | 'slow') =>
      simulation.posts.filter((post) => post.attempt === 1 && post.lane === lane).length,
  };
}

describe('a receiver that hangs', () => {
  it('holds one worker of the fast lane, and is posted to without delay in the slow one', async () => {
    const { simulation, send, posts } = aSimulation(() => hangs);
    send('hangs.example', 50);
    await simulation.run(4);
    const seen = posts('hangs.example');
    expect(seen).toHaveLength(50);
    expect(seen.filter(({ lane }) => lane === 'fast')).toHaveLength(1);
    expect(Math.max(...seen.map(({ ms }) => ms))).toBeLessThan(500);
  });

  it('holds four workers at most, under however many names', async () => {
    const { simulation, send, inLane } = aSimulation(() => hangs);
    for (let i = 0; i < 100; i += 1) send(`r${i}.hangs.example`, 1, 'one client');
    await simulation.run(4);
    expect(inLane('fast')).toBeLessThanOrEqual(4);
    expect(inLane('fast') + inLane('slow')).toBe(100);
  });

  it('holds none at all once it is known: its webhooks begin in the slow lane', async () => {
    const { simulation, send, inLane } = aSimulation(() => hangs);
    send('hangs.example');
    await simulation.run(2);
    send('hangs.example', 30);
    await simulation.run(1);
    expect(inLane('fast')).toBe(1);
    expect(inLane('slow')).toBe(30);
    expect(simulation.outcomes.filter(({ kind }) => kind === 'moved_to_slow_lane')).toHaveLength(0);
  });

  it('delays no webhook of another client, nor takes its receivers out of the fast lane', async () => {
    const { simulation, send, posts } = aSimulation((host) => (host === 'good.example' ? answers : hangs));
    for (let second = 0; second < 5; second += 1) {
      send('hangs.example', 20);
      // The same host as another client's that hangs there.
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

  it('is in the fast lane for no longer than it takes to see, if it was quick before', async () => {
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

  it('is left to the slow lane while it takes 300 ms over an answer, and is back at once when that comes', async () => {
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

  it('keeps to the fast lane if it takes most of a second over every answer: that costs it one pause', async () => {
    const { simulation, send, posts } = aSimulation(() => ({ afterMs: 700, status: 200 }));
    for (let tenth = 0; tenth < 200; tenth += 1) {
      send('leisurely.example');
      await simulation.run(0.1);
    }
    const inSlowLane = posts('leisurely.example').filter(({ lane }) => lane === 'slow');
    expect(Math.max(...inSlowLane.map(({ ms }) => ms))).toBeLessThan(1000);
  });

  it('is back in the fast lane when it answers quickly again', async () => {
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

  it('stays in the slow lane while it hangs now and then', async () => {
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

describe('a receiver that is new and quick', () => {
  it('is served in the fast lane from the first webhook on, burst or not', async () => {
    const { simulation, send, posts } = aSimulation(() => answers);
    send('new.example', 50);
    await simulation.run(2);
    const seen = posts('new.example');
    expect(seen).toHaveLength(50);
    expect(new Set(seen.map(({ lane }) => lane))).toEqual(new Set(['fast']));
    expect(Math.max(...seen.map(({ ms }) => ms))).toBeLessThan(300);
  });

  it('is served in the fast lane too where it refuses: an answer that comes quickly holds nobody', async () => {
    const { simulation, send, inLane } = aSimulation(() => ({ afterMs: 5, error: 'refused' }));
    send('refuses.example', 20);
    await simulation.run(2);
    expect(inLane('fast')).toBe(20);
  });
});

it('posts in the fast lane when the memory of receivers is out of order', async () => {
  const store = memoryDeliveryStore();
  const simulation = createSimulation({
    store,
    startAt: created,
    fault: (name) => (name === 'health' ? 'fail_before' : undefined),
    answer: () => answers,
  });
  simulation.relay(aMessage(), aSentMessage());
  await simulation.run(5);
  expect(simulation.posts.map(({ lane }) => lane)).toEqual(['fast']);
  expect((await store.get(simulation.posts[0]?.deliveryId ?? ''))?.state).toBe('acknowledged');
});
