/** An endpoint whose success is not counted yet is not disabled by the failure of another webhook (contract 12.5). */
import { expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const idOf = (number: number) => `msg_${String(number).padStart(26, '0')}`;
const daySeconds = 86_400;
/** The one that the endpoint acknowledges, just before the five days since its first failure are over. */
const recovered = 10;
/** Every twelve hours; then the one that is acknowledged, and one that fails some seconds later. */
const sentAfter = [
  ...Array.from({ length: recovered }, (_, number) => number * 43_200),
  5 * daySeconds - 5,
  5 * daySeconds + 5,
];
const acknowledged = derivedId('whd', idOf(recovered), 'sms.sent', 'whe_failing');

it.each(['none', 'kill_before', 'fail_before', 'throttle'] as const)(
  'with a fault at the write that ends the failures: %s',
  async (kind) => {
    let faults = 0;
    const gateway = simulatedGateway({
      random: () => 0.5,
      latencyMs: () => 5,
      startAt: created,
      fault(call) {
        if (kind === 'none' || faults > 0 || !/clearFailures/.test(call)) return undefined;
        faults += 1;
        return kind;
      },
      answer: (deliveryId) => ({ afterMs: 50, status: deliveryId === acknowledged ? 200 : 500 }),
    });
    const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };
    await gateway.endpoints.create(anEndpoint({ client_id: 'client-a', endpoint_id: 'whe_failing' }), secret);
    for (const [number, seconds] of sentAfter.entries())
      gateway.world.time.at(addSeconds(created, seconds).getTime(), () =>
        gateway.messages.put(
          aMessage({ message_id: idOf(number) }),
          aSentMessage({ message_id: idOf(number) }),
        ),
      );
    await gateway.run(5.5 * daySeconds);
    expect((await gateway.deliveries.get(acknowledged))?.state).toBe('acknowledged');
    expect(faults).toBe(kind === 'none' ? 0 : 1);
    // The last success is seconds old, not five days.
    expect(await gateway.endpoints.get('client-a', 'whe_failing')).toMatchObject({ enabled: true });
  },
);
