/**
 * A row of webhook-endpoints that a person made invalid for some minutes, and corrected, loses no webhook, as one of
 * client-secrets does not (contract 7.9, 7.12 and 12.1).
 */
import { expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const message_id = 'msg_00000000000000000000000001';
const endpoint = anEndpoint();
const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };
/** In the console, a boolean is easily entered as a text. */
const malformed = [{ enabled: 'true' }, { url: 7 }, { url: '' }, { events: 'sms.sent' }, { created_at: 5 }];

/** The row is invalid from the 60th second to the 300th. */
async function simulated(sentAfterSeconds: number, wrong: object) {
  const edited = { ...endpoint, ...wrong };
  const simulation = simulatedGateway({
    startAt: created,
    answer: (_deliveryId, postNumber) => ({ afterMs: 50, status: postNumber <= 2 ? 500 : 200 }),
  });
  const at = (seconds: number, run: () => unknown) =>
    simulation.world.time.at(addSeconds(created, seconds).getTime(), () => void run());
  await simulation.endpoints.create(endpoint, secret);
  at(sentAfterSeconds, () => simulation.messages.put(aMessage({ message_id }), aSentMessage({ message_id })));
  at(60, () => simulation.endpoints.change(endpoint, edited));
  at(300, () => simulation.endpoints.change(edited, endpoint));
  await simulation.run(86_400);
  const id = derivedId('whd', message_id, 'sms.sent', endpoint.endpoint_id);
  return { simulation, delivery: await simulation.deliveries.get(id) };
}

it.each(malformed)(
  '%j does not end a webhook that is retried meanwhile as one of a deleted endpoint',
  async (wrong) => {
    const { delivery } = await simulated(1, wrong);
    expect(delivery?.attempts.map(({ error }) => error)).not.toContain('endpoint_deleted');
    expect(delivery).toMatchObject({ state: 'acknowledged' });
  },
);

it.each(malformed)('%j does not lose the event of a message that is sent meanwhile', async (wrong) => {
  const { delivery } = await simulated(120, wrong);
  expect(delivery).toMatchObject({ state: 'acknowledged' });
});
