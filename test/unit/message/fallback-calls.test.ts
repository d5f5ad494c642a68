/** What a message with `fallback` costs at its hand-over and in the relay; one without costs no call more. */
import { expect, it } from '@jest/globals';
import type { DispatchDependencies } from '../../../shared/message/dispatch/call-carrier.ts';
import { dispatchQueued } from '../../../shared/message/dispatch/dispatch-message.ts';
import { nextLegDueAfter } from '../../../shared/message/dispatch/fallback.ts';
import { nextLegEntryOf, queuedMessageOf } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { dispatchDependencies } from '../../support/doubles/dispatch-dependencies.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage, created, onlyCarrier } from '../../support/message/example-message.ts';
import { portThrough } from '../../support/simulation/processes.ts';

const fallback: Message['fallback'] = [{ channel: 'whatsapp', after_seconds: 30, text: 'Hello' }];

async function handedOver(message: Message, more: Partial<DispatchDependencies> = {}, seconds = 1) {
  const calls: string[] = [];
  const { messages: store } = inMemoryStores();
  await store.create(message);
  const clock = () => addSeconds(created, seconds);
  const dependencies = dispatchDependencies({
    messages: portThrough(store, (method, act) => {
      calls.push(method);
      return act();
    }),
    carriersFor: onlyCarrier({ handOver: async () => ({ outcome: 'accepted', carrierMessageId: 'c-1' }) }),
    clock,
    ...more,
  });
  return { calls, store, dependencies };
}

it('a message without `fallback`, and a first leg in its time, are handed over with three calls', async () => {
  for (const message of [aMessage(), aMessage({ fallback })]) {
    const { calls, dependencies } = await handedOver(message);
    expect((await dispatchQueued(dependencies, { message_id: message.message_id })).outcome).toBe('sent');
    expect(calls).toEqual(['claim', 'recordAttempt', 'transition']);
  }
});

it('only a first leg with a time, or one that ends, needs another queue message', () => {
  const change = (message: Message) => nextLegDueAfter({ before: undefined, after: message });
  expect(change(aMessage())).toBeUndefined();
  expect(change(aMessage({ fallback: [{ channel: 'sms', text: 'Hello' }] }))).toBeUndefined();
  expect(change(aMessage({ fallback }))).toEqual(addSeconds(created, 30));
  for (const status of ['scheduled', 'sent', 'delivered', 'canceled'] as const)
    expect(change(aMessage({ fallback, status }))).toBeUndefined();
});

it('a leg starts with two reads and one write, and a delivered message needs one read', async () => {
  const first = aMessage({ fallback, status: 'sent' });
  const start = queuedMessageOf(nextLegEntryOf(first, created, created));
  const late = await handedOver(first, {}, 31);
  expect((await dispatchQueued(late.dependencies, start)).outcome).toBe('leg_started');
  expect(late.calls).toEqual(['get', 'get', 'createLeg']);
  expect((await dispatchQueued(late.dependencies, start)).outcome).toBe('leg_exists');
  const arrived = await handedOver({ ...first, status: 'delivered' }, {}, 31);
  expect((await dispatchQueued(arrived.dependencies, start)).outcome).toBe('no_leg_needed');
  expect(arrived.calls).toEqual(['get']);
});
