/** A failed webhook has its entry in the activity log from the moment on at which it is failed: resends find it by that. */
import { expect, it } from '@jest/globals';
import { derivedId } from '../../../shared/platform/ids.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';

const message_id = 'msg_00000000000000000000000001';
const deliveryId = derivedId('whd', message_id, 'sms.sent');

async function simulated() {
  const seenAtFailure: string[][] = [];
  const simulation = simulatedGateway({
    startAt: created,
    deliveriesThrough: (deliveries) => ({
      ...deliveries,
      async replace(seen, next) {
        if (next.state === 'failed' && seen.state === 'attempting') {
          seenAtFailure.push([...simulation.activities.values()].map(({ delivery_id = '' }) => delivery_id));
        }
        return deliveries.replace(seen, next);
      },
    }),
    answer: () => ({ afterMs: 50, status: 500 }),
  });
  simulation.messages.put(aMessage({ message_id }), aSentMessage({ message_id }));
  await simulation.run(8 * 3600);
  return { simulation, seenAtFailure, delivery: await simulation.deliveries.get(deliveryId) };
}

it('and has one entry and one alert in the end', async () => {
  const { simulation, seenAtFailure, delivery } = await simulated();
  expect(seenAtFailure).toEqual([[deliveryId]]);
  expect(simulation.activities.size).toBe(1);
  expect(simulation.failuresReported).toEqual([deliveryId]);
  expect(delivery).toMatchObject({ state: 'failed' });
  expect(delivery).not.toHaveProperty('alert_pending', true);
});
