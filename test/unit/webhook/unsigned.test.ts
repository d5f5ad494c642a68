/** A webhook that no secret can sign is never posted, and ends: its attempts fail, and a repaired row is used by the next. */

import { expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { derivedId } from '../../../shared/platform/ids.ts';
import { retryDelaysSeconds } from '../../../shared/webhook/delivery.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';

const message_id = 'msg_00000000000000000000000001';

/** Until `repairedAt` the client's row of `client-secrets` is one that a person made invalid. */
async function simulated(repairedAt: number, seconds: number) {
  const simulation = simulatedGateway({
    startAt: created,
    answer: () => ({ afterMs: 50, status: 200 }),
    onSecretsRead(at) {
      if (at.getTime() < repairedAt) z.object({ secret: z.string() }).parse({ secret: 5 });
    },
  });
  simulation.messages.put(aMessage({ message_id }), aSentMessage({ message_id }));
  await simulation.run(seconds);
  const delivery = await simulation.deliveries.get(derivedId('whd', message_id, 'sms.sent'));
  return { simulation, delivery };
}

it('fails for good after its retries, with the reason in its attempts and an entry in the activity log', async () => {
  const { simulation, delivery } = await simulated(Number.POSITIVE_INFINITY, 8 * 3600);
  expect(simulation.posts).toEqual([]);
  expect(delivery).toMatchObject({ state: 'failed' });
  expect(delivery?.attempts.map(({ error }) => error)).toEqual(
    Array.from({ length: retryDelaysSeconds.length + 1 }, () => 'no_secret'),
  );
  expect([...simulation.activities.values()].map(({ kind }) => kind)).toEqual(['webhook_failed']);
});

it('is posted by the next attempt after the row is repaired', async () => {
  const { simulation, delivery } = await simulated(created.getTime() + 60_000, 3600);
  expect(delivery).toMatchObject({ state: 'acknowledged' });
  expect(delivery?.attempts.map(({ error }) => error)).toEqual(['no_secret', 'no_secret', undefined]);
  expect(simulation.posts).toHaveLength(1);
});
