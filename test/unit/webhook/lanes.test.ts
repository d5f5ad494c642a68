import { describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { startDelayMs } from '../../../shared/webhook/choose-lane.ts';
import { aSentMessage, created } from '../../support/message/example-message.ts';
import { type Answer, webhookWorkers } from '../../support/webhook/webhook-workers.ts';

const hangs: Answer = { afterMs: 5000, error: 'timeout' };
const answers: Answer = { afterMs: 40, status: 200 };

/** Each host is an endpoint. */
function aSimulation(answerOf: (host: string, at: Date) => Answer) {
  const hostOf = (url: string) => new URL(url).host;
  const workers = webhookWorkers({ answer: ({ url, at }) => answerOf(hostOf(url), at) });
  let sent = 0;
  const firstPosts = () =>
    [...Map.groupBy(workers.posts, ({ deliveryId }) => deliveryId).values()].flatMap(
      ([first]) => first ?? [],
    );
  return {
    run: workers.run,
    /** Relays `count` webhooks of a client now. */
    async send(host: string, count = 1, client_id = host) {
      for (let i = 0; i < count; i += 1) {
        const message_id = `msg_${String(++sent).padStart(26, '0')}`;
        const after = aSentMessage({ message_id, client_id, webhook_url: `https://${host}/hook` });
        await workers.relay({ before: undefined, after });
      }
    },
    /** The first attempts at a host: lane, and time since the start. */
    posts: (host: string) =>
      firstPosts()
        .filter(({ url }) => hostOf(url) === host)
        .map(({ lane, at }) => ({ lane, ms: at.getTime() - created.getTime() })),
    inLane: (lane: 'fast' | 'slow') => firstPosts().filter((post) => post.lane === lane).length,
  };
}

describe('an endpoint that hangs', () => {
  it('occupies one worker of the fast lane, and its webhooks are posted without delay in the slow lane', async () => {
    const { run, send, posts } = aSimulation(() => hangs);
    await send('hangs.example', 50);
    await run(4);
    const seen = posts('hangs.example');
    expect(seen).toHaveLength(50);
    expect(seen.filter(({ lane }) => lane === 'fast')).toHaveLength(1);
    expect(Math.max(...seen.map(({ ms }) => ms))).toBeLessThan(500);
  });

  it('occupies at most four workers, with any number of host names', async () => {
    const { run, send, inLane } = aSimulation(() => hangs);
    for (let i = 0; i < 100; i += 1) await send(`r${i}.hangs.example`, 1, 'one client');
    await run(4);
    expect(inLane('fast')).toBeLessThanOrEqual(4);
    expect(inLane('fast') + inLane('slow')).toBe(100);
  });

  it('gets no POST from the fast lane once it is known: its webhooks go on to the slow lane at once', async () => {
    const { run, send, inLane, posts } = aSimulation(() => hangs);
    await send('hangs.example');
    await run(2);
    await send('hangs.example', 30);
    await run(1);
    expect(inLane('fast')).toBe(1);
    expect(inLane('slow')).toBe(30);
    expect(Math.max(...posts('hangs.example').map(({ ms }) => ms))).toBeLessThan(2500);
  });

  it('neither delays webhooks of other clients nor moves their endpoints to the slow lane', async () => {
    const { run, send, posts } = aSimulation((host) => (host === 'good.example' ? answers : hangs));
    for (let second = 0; second < 5; second += 1) {
      await send('hangs.example', 20);
      // Another client's endpoint on the same host.
      await send('hangs.example', 1, 'somebody else');
      await send('good.example', 20);
      await run(1);
    }
    const good = posts('good.example');
    expect(good).toHaveLength(100);
    expect(new Set(good.map(({ lane }) => lane))).toEqual(new Set(['fast']));
    const delays = good.map(({ ms }) => ms % 1000);
    expect(Math.max(...delays.slice(20))).toBeLessThan(100);
    expect(Math.max(...delays)).toBeLessThan(300);
  });

  it('leaves the fast lane as soon as it is detected, if it was healthy before', async () => {
    const turnsAt = addSeconds(created, 5);
    const { run, send, posts } = aSimulation((_host, at) => (at < turnsAt ? answers : hangs));
    for (let tenth = 0; tenth < 100; tenth += 1) {
      await send('turns.example');
      await run(0.1);
    }
    const inFastLane = posts('turns.example').filter(({ lane }) => lane === 'fast');
    expect(Math.max(...inFastLane.map(({ ms }) => ms))).toBeLessThan(5500);
    expect(inFastLane.filter(({ ms }) => ms >= 5000).length).toBeLessThanOrEqual(5);
    expect(posts('turns.example')).toHaveLength(100);
  });

  it('is in the slow lane after 300 ms without a response, and back in the fast lane with the response', async () => {
    const [from, until] = [5, 5.1].map((seconds) => addSeconds(created, seconds));
    const { run, send, posts } = aSimulation((_host, at) =>
      from !== undefined && until !== undefined && at >= from && at < until
        ? { afterMs: 800, status: 200 }
        : answers,
    );
    for (let tenth = 0; tenth < 100; tenth += 1) {
      await send('pauses.example');
      await run(0.1);
    }
    await run(1);
    const inSlowLane = posts('pauses.example').filter(({ lane }) => lane === 'slow');
    expect(posts('pauses.example')).toHaveLength(100);
    expect(inSlowLane.length).toBeGreaterThan(0);
    for (const { ms } of inSlowLane) {
      expect(ms).toBeGreaterThanOrEqual(5300);
      expect(ms).toBeLessThan(6000);
    }
  });

  it('stays in the fast lane if every response takes most of a second, after one pause', async () => {
    const { run, send, posts } = aSimulation(() => ({ afterMs: 700, status: 200 }));
    for (let tenth = 0; tenth < 200; tenth += 1) {
      await send('slow-but-ok.example');
      await run(0.1);
    }
    const inSlowLane = posts('slow-but-ok.example').filter(({ lane }) => lane === 'slow');
    expect(Math.max(...inSlowLane.map(({ ms }) => ms))).toBeLessThan(1000);
  });

  it('returns to the fast lane when it answers quickly again', async () => {
    const mendedAt = addSeconds(created, 10);
    const { run, send, posts } = aSimulation((_host, at) => (at < mendedAt ? hangs : answers));
    for (let second = 0; second < 60; second += 1) {
      await send('mended.example');
      await run(1);
    }
    const lanes = posts('mended.example').map(({ lane }) => lane);
    expect(new Set(lanes.slice(2, 25))).toEqual(new Set(['slow']));
    expect(new Set(lanes.slice(-20))).toEqual(new Set(['fast']));
  });

  it('stays in the slow lane while it hangs from time to time', async () => {
    let posted = 0;
    const { run, send, inLane } = aSimulation(() => (posted++ % 10 === 0 ? hangs : answers));
    await send('moody.example');
    await run(2);
    for (let second = 0; second < 60; second += 1) {
      await send('moody.example');
      await run(1);
    }
    expect(inLane('fast')).toBe(1);
  });
});

describe('an endpoint that is new and healthy', () => {
  it('is in the fast lane from the first webhook on, even in a burst', async () => {
    const { run, send, posts } = aSimulation(() => answers);
    await send('new.example', 50);
    await run(2);
    const seen = posts('new.example');
    expect(seen).toHaveLength(50);
    expect(new Set(seen.map(({ lane }) => lane))).toEqual(new Set(['fast']));
    expect(Math.max(...seen.map(({ ms }) => ms))).toBeLessThan(300);
  });

  it('is in the fast lane even if it refuses connections quickly', async () => {
    const { run, send, inLane } = aSimulation(() => ({ afterMs: 5, error: 'refused' }));
    await send('refuses.example', 20);
    await run(2);
    expect(inLane('fast')).toBe(20);
  });
});

it('posts in the fast lane when the health of endpoints cannot be read', async () => {
  const workers = webhookWorkers({
    answer: () => answers,
    around({ input }, run) {
      if (JSON.stringify(input).includes('"endpoint#')) throw new Error('throttled');
      return run();
    },
  });
  await workers.relay();
  await workers.run(5);
  expect(workers.posts.map(({ lane }) => lane)).toEqual(['fast']);
  expect((await workers.delivery()).state).toBe('acknowledged');
});

it('starts the messages of a slow batch 10 ms apart, and all within half a second', () => {
  expect([0, 1, 9].map((position) => startDelayMs('slow', position, 10))).toEqual([0, 10, 90]);
  expect(startDelayMs('slow', 99, 100)).toBe(495);
  expect(startDelayMs('fast', 9, 10)).toBe(0);
});
