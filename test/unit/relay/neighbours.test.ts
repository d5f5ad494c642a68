/** One client's messages, of which services refuse everything, delay no other client's by more than a usual wait. */
import { expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import {
  messagesBeside,
  runBesideCampaign,
  runStart,
  secondsToHandOver,
} from '../../support/message/campaign-run.ts';
import { aMessage } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import { usualFaults } from '../../support/simulation/usual-faults.ts';

/** The queues of this world show a few messages up to twenty seconds late. */
const withinSeconds = 60;

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
  const noisy: string[] = [];
  const others: string[] = [];
  for (let index = 0; index < 120; index += 1) {
    const at = addSeconds(runStart, index / 8);
    const isNoisy = index % 4 !== 0;
    const message_id = derivedId('msg', String(index));
    (isNoisy ? noisy : others).push(message_id);
    const refused = index % 2 === 0 ? 'refused-by-the-service' : '\uFFFF\uFFFE';
    simulation.world.time.at(at.getTime(), () => {
      void simulation.messages.create(
        aMessage({
          message_id,
          client_id: isNoisy ? 'noisy' : 'other',
          status: 'queued',
          reference: isNoisy ? refused : 'order-42',
          webhook_url: `https://example.com/hook?${isNoisy ? refused : ''}`,
          created_at: at.toISOString(),
          queued_at: at.toISOString(),
          expires_at: addSeconds(at, 7200).toISOString(),
        }),
      );
    });
  }
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
    const { otherSeconds, campaignSeconds, retriesLateSeconds } = await runBesideCampaign(160, fault);
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
