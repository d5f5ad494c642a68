/** One client's messages, of which services refuse everything, delay no other client's by more than a usual wait. */
import { expect, it } from '@jest/globals';
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import { aMessage } from '../../support/message/example-message.ts';
import { type Gateway, simulatedGateway } from '../../support/simulation/gateway.ts';
import { usualFaults } from '../../support/simulation/usual-faults.ts';

const runStart = new Date('2026-11-20T10:00:00.000Z');
/** The queues of this world show a few messages up to twenty seconds late. */
const withinSeconds = 60;

/** Eight messages a second, three in four of a noisy client; returns the ids of each. */
function messagesBeside(
  simulation: Gateway,
  messages: number,
  change: (isNoisy: boolean, at: Date, index: number) => Partial<Message> = () => ({}),
): { readonly noisy: readonly string[]; readonly others: readonly string[] } {
  const ids = { noisy: [] as string[], others: [] as string[] };
  for (let index = 0; index < messages; index += 1) {
    const at = addSeconds(runStart, index / 8);
    const isNoisy = index % 4 !== 0;
    const message_id = derivedId('msg', String(index));
    (isNoisy ? ids.noisy : ids.others).push(message_id);
    const { webhook_url: _url, ...message } = aMessage({
      message_id,
      client_id: isNoisy ? 'noisy' : 'other',
      status: 'queued',
      created_at: at.toISOString(),
      queued_at: at.toISOString(),
      expires_at: addSeconds(at, 40_000).toISOString(),
    });
    const changed = { ...message, ...change(isNoisy, at, index) };
    simulation.world.time.at(at.getTime(), () => void simulation.messages.create(changed));
  }
  return ids;
}

/** Seconds from the creation of each message, or from its scheduled time, to its hand-over. */
async function secondsToHandOver(simulation: Gateway, ids: readonly string[]): Promise<number[]> {
  const rows = await Promise.all(ids.map((id) => simulation.messages.get(id)));
  return rows.map((row) => {
    const from = row?.scheduled_at ?? row?.created_at ?? '';
    return (Date.parse(row?.sent_at ?? '') - Date.parse(from)) / 1000;
  });
}

it('a client whose every webhook its queue refuses, and whose text is odd, leaves the other clients in time', async () => {
  const random = randomFrom(11);
  const simulation = simulatedGateway({
    ...usualFaults(random, 0),
    fault: undefined,
    // None is lost: that would be found after minutes only.
    copies: () => (random() < 0.03 ? 2 : 1),
    startAt: runStart,
    answer: () => ({ afterMs: 200, status: 200 }),
    clientIds: ['noisy', 'other'],
    refuses: (body) => body.includes('refused-by-the-service'),
  });
  const { noisy, others } = messagesBeside(simulation, 120, (isNoisy, _at, index) => {
    const refused = index % 2 === 0 ? 'refused-by-the-service' : '\uFFFF\uFFFE';
    return {
      reference: isNoisy ? refused : 'order-42',
      webhook_url: `https://example.com/hook?${isNoisy ? refused : ''}`,
    };
  });
  const toldAt = async (messageId: string): Promise<number> => {
    const created = Date.parse((await simulation.messages.get(messageId))?.created_at ?? '');
    const delivery = await simulation.deliveries.get(derivedId('whd', messageId, 'sms.delivered'));
    return (Date.parse(delivery?.finished_at ?? '') - created) / 1000;
  };
  await simulation.run(90);
  const late: string[] = [];
  for (const messageId of others) if (!((await toldAt(messageId)) < withinSeconds)) late.push(messageId);
  expect(late).toEqual([]);
  const refused = new Set([...simulation.refused.keys()]);
  for (const messageId of noisy) {
    expect((await simulation.messages.get(messageId))?.status).toBe('delivered');
    // Odd text alone is refused by nobody: it is told like any other.
    if (!refused.has(messageId)) expect(await toldAt(messageId)).toBeLessThan(withinSeconds);
  }
  expect(refused.size).toBe(noisy.length / 3);
});

it.each(['throttle', 'fail_before', 'fail_after'] as const)(
  'a client with a campaign delays no other where no schedule can be created (%s), and comes in time itself',
  async (fault) => {
    const dueAt = addSeconds(runStart, 7200.4);
    const simulation = simulatedGateway({
      startAt: runStart,
      fault: (call) => (call === 'schedule' ? fault : undefined),
      // Each webhook of the campaign waits for its retries after hours too.
      answer: (_deliveryId, _postNumber, clientId) => ({
        afterMs: 50,
        status: clientId === 'noisy' ? 500 : 200,
      }),
      accountUrlOf: (clientId) => `https://${clientId}.example.com/hook`,
      clientIds: ['noisy', 'other'],
    });
    const { noisy, others } = messagesBeside(simulation, 160, (isNoisy) =>
      isNoisy ? { status: 'scheduled', scheduled_at: dueAt.toISOString() } : {},
    );
    // Until the last retry, six hours and more after the event.
    await simulation.run(7200 + 27_000);
    const otherSeconds = await secondsToHandOver(simulation, others);
    const campaignSeconds = await secondsToHandOver(simulation, noisy);
    const deliveries = await Promise.all(
      noisy.map((id) => simulation.deliveries.get(derivedId('whd', id, 'sms.sent'))),
    );
    const retries = deliveries.flatMap((delivery) => delivery?.attempts.slice(1) ?? []);
    const retriesLateSeconds = retries.map(({ lateness_ms }) => lateness_ms / 1000);
    expect(Math.max(...otherSeconds)).toBeLessThan(1);
    expect(Math.min(...campaignSeconds)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...campaignSeconds)).toBeLessThan(2);
    expect(retriesLateSeconds).toHaveLength(5 * campaignSeconds.length);
    expect(Math.min(...retriesLateSeconds)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...retriesLateSeconds)).toBeLessThan(2);
  },
);

it('a client whose destinations cannot be read delays no other, and its webhooks come when they can', async () => {
  const readableAt = addSeconds(runStart, 300);
  const simulation = simulatedGateway({
    startAt: runStart,
    answer: () => ({ afterMs: 50, status: 200 }),
    accountUrlOf(clientId) {
      if (clientId === 'noisy' && simulation.now() < readableAt) throw new Error('throttled');
      return `https://${clientId}.example.com/hook`;
    },
    clientIds: ['noisy', 'other'],
  });
  const { noisy, others } = messagesBeside(simulation, 120);
  const posted = (ids: readonly string[]) =>
    ids.filter((id) =>
      ['sms.sent', 'sms.delivered'].every((event) =>
        simulation.posts.some(({ deliveryId }) => deliveryId === derivedId('whd', id, event)),
      ),
    );
  await simulation.run(60);
  expect(Math.max(...(await secondsToHandOver(simulation, [...noisy, ...others])))).toBeLessThan(1);
  expect(posted(others)).toEqual(others);
  expect(posted(noisy)).toEqual([]);
  await simulation.run(1200);
  expect(posted(noisy)).toEqual(noisy);
});
