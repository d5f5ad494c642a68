import { describe, expect, it } from '@jest/globals';
import { derivedId } from '../../../shared/platform/ids.ts';
import { receiveFurtherMs } from '../../../shared/webhook/choose-lane.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import type { Answer } from '../../support/simulation/outside-calls.ts';

const hangs: Answer = { afterMs: 5000, error: 'timeout' };
const answers: Answer = { afterMs: 40, status: 200 };
const hangingEndpoints = 20;
const seconds = 40;

/**
 * One endpoint that answers 5 webhooks a second, and twenty that hang from a second on, with one webhook a second each.
 * Five workers are what Lambda starts with for a queue, in either lane; they do not become more.
 */
async function delaysBeside(hangFromSecond: number, further = receiveFurtherMs) {
  const sentTo = new Map<string, { readonly host: string; readonly atMs: number }>();
  const simulation = simulatedGateway({
    startAt: created,
    // As cold functions have it: each call takes some milliseconds.
    latencyMs: () => 8,
    workers: {
      fast: { count: 5, batchSize: 10, receiveFurtherMs: (random) => further('fast', random) },
      slow: { count: 5, batchSize: 10, receiveFurtherMs: (random) => further('slow', random) },
    },
    answer(deliveryId) {
      const secondsNow = (simulation.now().getTime() - created.getTime()) / 1000;
      const good = sentTo.get(deliveryId)?.host === 'good.example';
      return good || secondsNow < hangFromSecond ? answers : hangs;
    },
  });
  function send(host: string): void {
    const message = {
      message_id: `msg_${String(sentTo.size).padStart(26, '0')}`,
      client_id: host,
      webhook_url: `https://${host}/hook`,
    };
    sentTo.set(derivedId('whd', message.message_id, 'sms.sent'), { host, atMs: simulation.now().getTime() });
    simulation.messages.put(aMessage(message), aSentMessage(message));
  }
  for (let tick = 0; tick < seconds * hangingEndpoints; tick += 1) {
    send(`hangs-${tick % hangingEndpoints}.example`);
    if (tick % 4 === 0) send('good.example');
    await simulation.run(1 / hangingEndpoints);
  }
  await simulation.run(60);
  const delays = { good: [] as number[], hanging: [] as number[] };
  for (const [deliveryId, { host, atMs }] of sentTo) {
    const first = simulation.posts.find((post) => post.deliveryId === deliveryId);
    const delayMs = first === undefined ? Number.POSITIVE_INFINITY : first.at.getTime() - atMs;
    delays[host === 'good.example' ? 'good' : 'hanging'].push(delayMs);
  }
  const deliveries = await Promise.all([...sentTo.keys()].map((id) => simulation.deliveries.get(id)));
  const retries = deliveries.flatMap((delivery) => delivery?.attempts.slice(1) ?? []);
  return {
    good: Math.max(...delays.good),
    hanging: Math.max(...delays.hanging),
    latenessMax: Math.max(...retries.map(({ lateness_ms }) => lateness_ms)),
  };
}

describe('five workers in each lane, and twenty endpoints that hang at once', () => {
  it.each([
    ['from their first webhook on', 0],
    ['after they have answered', 10],
  ])(
    '%s: no webhook to another endpoint waits a second, theirs are tried within 30 s, retries on time',
    async (_, from) => {
      const { good, hanging, latenessMax } = await delaysBeside(from);
      expect(good).toBeLessThan(1000);
      expect(hanging).toBeLessThan(30_000);
      expect(latenessMax).toBeLessThan(2000);
    },
  );

  it('would wait for seconds if workers received nothing while they wait', async () => {
    const { good } = await delaysBeside(10, () => 0);
    expect(good).toBeGreaterThan(2000);
  });
});
