/** An endpoint that has had a success is not disabled, even if the success could not be counted at first (contract 12.5). */
import { describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const idOf = (number: number) => `msg_${String(number).padStart(26, '0')}`;
const daySeconds = 86_400;
const everyTwelveHours = (messages: number) =>
  Array.from({ length: messages }, (_, number) => number * 43_200);

describe.each<[string, readonly number[], number]>([
  ['of the fifth day', everyTwelveHours(15), 8],
  // Another webhook fails some seconds later, when the five days are over.
  [
    'seconds before the end of the five days',
    [...everyTwelveHours(10), 5 * daySeconds - 5, 5 * daySeconds + 5],
    10,
  ],
])('with a success %s', (_when, sentAfter, succeeding) => {
  it.each(['none', 'kill_before', 'fail_before', 'throttle'] as const)(
    'and a fault at the write that ends the failures: %s',
    async (kind) => {
      const succeeds = derivedId('whd', idOf(succeeding), 'sms.sent', 'whe_failing');
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
      for (const [number, seconds] of sentAfter.entries())
        gateway.world.time.at(addSeconds(created, seconds).getTime(), () =>
          gateway.messages.put(
            aMessage({ message_id: idOf(number) }),
            aSentMessage({ message_id: idOf(number) }),
          ),
        );
      await gateway.run((sentAfter.at(-1) ?? 0) + daySeconds);
      expect((await gateway.deliveries.get(succeeds))?.state).toBe('acknowledged');
      expect(await gateway.endpoints.get('client-a', 'whe_failing')).toMatchObject({ enabled: true });
      expect(faults).toBe(kind === 'none' ? 0 : 1);
    },
  );
});
