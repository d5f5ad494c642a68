/** An event goes to endpoints that were enabled when it happened, and to none that is enabled afterwards (contract 12.1). */
import { expect, it } from '@jest/globals';
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { asOf, changed } from '../../../shared/webhook/webhook-endpoint.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const message_id = 'msg_00000000000000000000000001';
const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };

const withoutUrl = ({ webhook_url: _url, ...message }: Message): Message => message;

it('where the client replaces its endpoints by one that was disabled, within the minute after the event', async () => {
  const simulation = simulatedGateway({
    startAt: created,
    answer: () => ({ afterMs: 50, status: 200 }),
  });
  const { endpoints, world } = simulation;
  const [old, older] = [anEndpoint({ endpoint_id: 'whe_old' }), anEndpoint({ endpoint_id: 'whe_older' })];
  const next = anEndpoint({ endpoint_id: 'whe_next', enabled: false });
  for (const endpoint of [old, older, next]) await endpoints.create(endpoint, secret);
  const at = (seconds: number, run: () => unknown) =>
    world.time.at(addSeconds(created, seconds).getTime(), () => void run());
  at(1, () =>
    simulation.messages.put(withoutUrl(aMessage({ message_id })), withoutUrl(aSentMessage({ message_id }))),
  );
  at(30, async () => {
    for (const { client_id, endpoint_id } of [old, older]) await endpoints.delete(client_id, endpoint_id);
    await endpoints.change(next, changed(next, { enabled: true }, world.now(), 'second'));
  });
  await simulation.run(3600);
  expect(simulation.posts.map(({ at }) => at.getTime() < addSeconds(created, 30).getTime())).toEqual([
    true,
    true,
  ]);
});

it.each([
  [-1, false],
  [0, true],
  [10, false],
  [19, false],
  [20, true],
])('an endpoint that was disabled from 10 s to 20 s was enabled at %i s: %s', (seconds, isEnabled) => {
  const at = (afterSeconds: number) => addSeconds(created, afterSeconds).toISOString();
  const endpoint = anEndpoint({ last_disabled: { from: at(10), until: at(20) } });
  expect(asOf(endpoint, at(seconds)).enabled).toBe(isEnabled);
});
