/** One client's messages, of which services refuse everything, delay no other client's by more than a usual wait. */
import { expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import { aMessage } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import { usualFaults } from '../../support/simulation/usual-faults.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
/** The queues of this world show a few messages up to twenty seconds late. */
const withinSeconds = 60;

it('a client whose every webhook its queue refuses, and whose text is odd, leaves the other clients in time', async () => {
  const random = randomFrom(11);
  const simulation = simulatedGateway({
    ...usualFaults(random, 0),
    fault: undefined,
    // None is lost: that would be found after minutes only.
    copies: () => (random() < 0.03 ? 2 : 1),
    startAt: start,
    answer: () => ({ afterMs: 200, status: 200 }),
    clientIds: ['noisy', 'other'],
    refuses: (body) => body.includes('refused-by-the-service'),
  });
  const noisy: string[] = [];
  const others: string[] = [];
  for (let index = 0; index < 120; index += 1) {
    const at = addSeconds(start, index / 8);
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
