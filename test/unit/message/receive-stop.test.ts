/** STOP and START have effect for the number and for the client that wrote last, wherever a worker dies. */

import { describe, expect, it } from '@jest/globals';
import { unassignedClientId } from '../../../shared/message/find-owner.ts';
import type { Message } from '../../../shared/message/message.ts';
import { type InboundContext, receiveMessage as receive } from '../../../shared/message/receive-message.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { windowOpenedAt } from '../../../shared/message/store/whatsapp-window.dynamo.ts';
import {
  suppressAfterRefusal,
  suppressionOf,
} from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { planDeliveries } from '../../../shared/webhook/plan-deliveries.ts';
import { numbersOwned } from '../../support/doubles/no-senders.ts';
import { withCalls } from '../../support/engine/test-context.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import { isSuppressed } from '../../support/message/hand-overs.ts';
import {
  afterSends,
  anInbound,
  inMemoryReceiver,
  ourNumber,
  person,
  sentBy,
  start,
} from '../../support/message/inbound.ts';

const receiveMessage = (dependencies: InboundContext, inbound: ReturnType<typeof anInbound>) =>
  receive(dependencies, inbound, 1);

describe('STOP on a number that several clients share', () => {
  const clients = ['a', 'b', 'c'];
  async function shared() {
    const world = await afterSends(
      ...clients.map((client, index) => sentBy(client, index, { from: ourNumber })),
      sentBy('waits', 50, { from: ourNumber, status: 'scheduled', sent_at: undefined }),
      sentBy('elsewhere', 60, { from: '+447418000000' }),
    );
    const of = (text: string, seconds: number) => anInbound({ text, receivedAt: addSeconds(start, seconds) });
    const isStopped = (client_id: string, from = ourNumber) =>
      isSuppressed(world.context, aMessage({ client_id, recipient: person }), from);
    /** The messages of a by that number, and of c by that number and by another one. */
    const stopped = () => Promise.all([isStopped('a'), isStopped('c'), isStopped('c', '+447418000000')]);
    return { ...world, of, isStopped, stopped };
  }
  const eventsTold = (messages: readonly Message[]) =>
    messages
      .filter(({ direction }) => direction === 'inbound')
      .flatMap((message) =>
        planDeliveries({
          before: undefined,
          after: message,
          accountUrl: 'https://example.com',
          endpoints: [],
        }).map(({ event, body }) => ({ event, ...JSON.parse(body).data })),
      );

  it('stops all of them by that number, the last by any, and tells the last', async () => {
    const { dependencies, messages, of, isStopped, stopped } = await shared();
    await receiveMessage(dependencies, of('STOP', 100));
    expect(await stopped()).toEqual([true, true, true]);
    expect(await isStopped('a', '+447418000000')).toBe(false);
    expect(eventsTold(messages.all())).toMatchObject([
      { event: 'sms.received', client_id: 'c' },
      { event: 'recipient.opted_out', client_id: 'c', recipient: person, source: 'keyword' },
    ]);
  });

  it('is ended for all of them by START', async () => {
    const { dependencies, messages, of, stopped } = await shared();
    await receiveMessage(dependencies, of('STOP', 100));
    await receiveMessage(dependencies, of('START', 101));
    expect(await stopped()).toEqual([false, false, false]);
    const optedIn = eventsTold(messages.all()).filter(({ event }) => event === 'recipient.opted_in');
    expect(optedIn).toMatchObject([{ client_id: 'c' }]);
  });

  it('is for its client by any number if the number belongs to one', async () => {
    const { dependencies, of, isStopped } = await shared();
    await receiveMessage({ ...dependencies, numbers: numbersOwned(async () => 'b') }, of('STOP', 100));
    expect(await isStopped('b', '+447418000000')).toBe(true);
    expect(await isStopped('c', '+447418000000')).toBe(false);
  });

  it('is for the client that wrote last before it, also if it is notified again', async () => {
    const { context, dependencies, messages, of, isStopped } = await shared();
    const stop = of('STOP', 100);
    await receiveMessage(dependencies, stop);
    await createMessage(context, sentBy('later', 200, { from: ourNumber }));
    const stored = messages.all().length;
    await receiveMessage(dependencies, stop);
    expect(messages.all()).toHaveLength(stored);
    expect(await isStopped('later', '+447418000000')).toBe(false);
  });

  it('has the same result wherever the first attempt died', async () => {
    const { dependencies, of } = await shared();
    const steps = await stepsOf(dependencies, of('STOP', 100));
    for (const when of ['before', 'after'] as const) {
      for (let step = 0; step < steps; step += 1) {
        const world = await shared();
        const stop = world.of('STOP', 100);
        await expect(receiveMessage(dyingAt(world.dependencies, step, when), stop)).rejects.toThrow('died');
        await receiveMessage(world.dependencies, stop);
        expect(await world.stopped()).toEqual([true, true, true]);
        expect(world.messages.all().filter(({ direction }) => direction === 'inbound')).toHaveLength(1);
      }
    }
  });

  it('leaves other words to the last writer alone', async () => {
    const { dependencies, messages, of, stopped } = await shared();
    await receiveMessage(dependencies, of('stop by at 5', 100));
    expect(eventsTold(messages.all())).toMatchObject([{ event: 'sms.received', client_id: 'c' }]);
    expect(await stopped()).toEqual([false, false, false]);
  });
});

describe('STOP', () => {
  it('suppresses the person for the client; START ends that', async () => {
    const { context, dependencies } = await afterSends(sentBy('a', 0));
    // The row is read at each hand-over, so it must not grow with what surrounds the word.
    await receiveMessage(dependencies, anInbound({ text: ` Stop${'.'.repeat(4000)} ` }));
    expect(await suppressionOf(context, 'a', person)).toMatchObject({
      scope: 'messages',
      source: 'keyword',
      reason: 'The recipient answered STOP',
    });
    expect(await suppressionOf(context, 'b', person)).toBeUndefined();
    const receivedAt = new Date('2026-11-20T12:00:01.000Z');
    await receiveMessage(dependencies, anInbound({ text: 'START', receivedAt }));
    expect(await suppressionOf(context, 'a', person)).toBeUndefined();
  });

  it.each<[string, Partial<ReturnType<typeof anInbound>>]>([
    ['a button', { content: { type: 'button_reply', button_reply: { id: 'leave', title: 'Stop ⛔️' } } }],
    ['a text with emoji', { text: 'STOP‼️' }],
  ])('counts as %s of WhatsApp', async (_what, said) => {
    const { context, dependencies } = await afterSends(sentBy('a', 0, { channel: 'whatsapp' }));
    const { text: _text, ...inbound } = anInbound({ channel: 'whatsapp' });
    await receiveMessage(dependencies, { ...inbound, ...said });
    expect(await suppressionOf(context, 'a', person)).toMatchObject({
      reason: 'The recipient answered STOP',
    });
  });

  it.each<[string, Partial<ReturnType<typeof anInbound>>]>([
    [
      'the payload of a button',
      { content: { type: 'button_reply', button_reply: { id: 'STOP', title: 'No' } } },
    ],
    ['a chosen list entry', { content: { type: 'list_reply', list_reply: { id: '1', title: 'Cancel' } } }],
    ['a caption', { content: { type: 'image', media: { id: '1', caption: 'STOP' } } }],
  ])('is not read from %s', async (_what, said) => {
    const { context, dependencies } = await afterSends(sentBy('a', 0, { channel: 'whatsapp' }));
    const { text: _text, ...inbound } = anInbound({ channel: 'whatsapp' });
    await receiveMessage(dependencies, { ...inbound, ...said });
    expect(await suppressionOf(context, 'a', person)).toBeUndefined();
  });

  it('has the same result wherever the first attempt died', async () => {
    const inbound = anInbound({ text: 'STOP', channel: 'whatsapp' });
    const { dependencies } = await afterSends(sentBy('a', 0, { channel: 'whatsapp' }));
    const steps = await stepsOf(dependencies, inbound);
    expect(steps).toBeGreaterThanOrEqual(4);
    for (const when of ['before', 'after'] as const) {
      for (let step = 0; step < steps; step += 1) {
        const receiver = await afterSends(sentBy('a', 0, { channel: 'whatsapp' }));
        const dying = dyingAt(receiver.dependencies, step, when);
        await expect(receiveMessage(dying, inbound)).rejects.toThrow('died');
        await receiveMessage(receiver.dependencies, inbound);
        const { context, messages } = receiver;
        expect(await suppressionOf(context, 'a', person)).toMatchObject({ scope: 'messages' });
        expect(await windowOpenedAt(context, 'a', person)).toEqual(inbound.receivedAt);
        expect(messages.all()).toHaveLength(2);
      }
    }
  });
});

describe('START', () => {
  const client = 'client-a';
  const refusedAfter = async (status: object) => {
    const { context, dependencies, messages } = inMemoryReceiver();
    // The carrier refused the only message of the client, which began a suppression.
    const at = created.toISOString();
    await createMessage(
      context,
      aMessage({
        client_id: client,
        recipient: person,
        status: 'failed',
        created_at: at,
        failed_at: at,
        ...status,
      }),
    );
    await suppressAfterRefusal(
      context,
      aMessage({ client_id: client, recipient: person, ...status }),
      created,
    );
    return { dependencies, messages, suppression: () => suppressionOf(context, client, person) };
  };
  const refused = { error_code: 'recipient_opted_out' };

  it('also ends what a refusal of the carrier began for a client that never reached the person', async () => {
    const { dependencies, messages, suppression } = await refusedAfter(refused);
    await receiveMessage(dependencies, anInbound({ text: 'STOP' }));
    expect((await suppression())?.scope).toBe('messages');
    const receivedAt = new Date('2026-11-20T12:00:01.000Z');
    const saidStart = anInbound({ text: 'START', carrierMessageId: 'start', receivedAt });
    const { message } = await receiveMessage(dependencies, saidStart);
    expect(message.client_id).toBe(unassignedClientId);
    expect(await suppression()).toBeUndefined();
    await receiveMessage(dependencies, saidStart);
    expect(messages.all()).toHaveLength(3);
  });

  it('has no effect on a client whose message was refused to another number', async () => {
    const { dependencies, suppression } = await refusedAfter({ ...refused, from: '+447418000000' });
    await receiveMessage(dependencies, anInbound({ text: 'START' }));
    expect((await suppression())?.scope).toBe('messages');
  });

  it('ends the suppression of the client that wrote last before the STOP, although another one wrote since', async () => {
    const { context, dependencies } = await afterSends(sentBy('a', 0, { from: ourNumber }));
    await receiveMessage(dependencies, anInbound({ text: 'STOP' }));
    await createMessage(context, sentBy('b', 100_000, { from: ourNumber }));
    const receivedAt = new Date('2026-11-20T12:00:01.000Z');
    const { message } = await receiveMessage(dependencies, anInbound({ text: 'START', receivedAt }));
    expect(message.client_id).toBe('b');
    expect(await suppressionOf(context, 'a', person)).toBeUndefined();
    // The same STOP, later.
    await receiveMessage(dependencies, anInbound({ text: 'STOP' }));
    expect(await suppressionOf(context, 'b', person)).toBeUndefined();
  });
});

/** How many calls of the database receiving takes. */
async function stepsOf(dependencies: InboundContext, inbound: ReturnType<typeof anInbound>) {
  let calls = 0;
  const counting = withCalls(dependencies, (_call, run) => {
    calls += 1;
    return run();
  });
  await receiveMessage(counting, inbound);
  return calls;
}

function dyingAt(dependencies: InboundContext, step: number, when: 'before' | 'after') {
  let calls = 0;
  return withCalls(dependencies, async (_call, run) => {
    const dies = calls++ === step;
    if (dies && when === 'before') throw new Error('died');
    const result = await run();
    if (dies) throw new Error('died');
    return result;
  });
}
