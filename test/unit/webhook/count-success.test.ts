/** An endpoint that has had a success is not disabled, even if the success could not be counted at first (contract 12.5). */
import { expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const idOf = (number: number) => `msg_${String(number).padStart(26, '0')}`;
/** Of twelve hours each. */
const messages = 15;
const succeeds = derivedId('whd', idOf(8), 'sms.sent', 'whe_failing');

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
      answer: (deliveryId) => ({ afterMs: 50, status: deliveryId === succeeds ? 200 : 500 }),
    });
    const endpoint = { client_id: 'client-a', endpoint_id: 'whe_failing' };
    const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };
    await gateway.endpoints.create(anEndpoint(endpoint), secret);
    for (let number = 0; number < messages; number += 1)
      gateway.world.time.at(addSeconds(created, number * 43_200).getTime(), () =>
        gateway.messages.put(
          aMessage({ message_id: idOf(number) }),
          aSentMessage({ message_id: idOf(number) }),
        ),
      );
    await gateway.run(8 * 86_400);
    expect((await gateway.deliveries.get(succeeds))?.state).toBe('acknowledged');
    expect((await gateway.endpoints.get('client-a', 'whe_failing'))?.enabled).toBe(true);
    expect(faults).toBe(kind === 'none' ? 0 : 1);
  },
);
