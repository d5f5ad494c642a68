/** STOP and START of a person have effect for every client that wrote from the number, wherever a worker dies. */

import { describe, expect, it } from '@jest/globals';
import { unassignedClientId } from '../../../shared/message/find-owner.ts';
import type { Message } from '../../../shared/message/message.ts';
import {
  type ReceiveDependencies,
  receiveMessage as receive,
} from '../../../shared/message/receive-message.ts';
import { optOutAtCarrier } from '../../../shared/message/suppression/suppression.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { eventsOf } from '../../../shared/webhook/plan-deliveries.ts';
import { numbersOwned } from '../../support/doubles/no-senders.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import {
  afterSends,
  anInbound,
  inMemoryReceiver,
  ourNumber,
  person,
  sentBy,
  start,
} from '../../support/message/inbound.ts';

const receiveMessage = (dependencies: ReceiveDependencies, inbound: ReturnType<typeof anInbound>) =>
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
    const scopes = async () =>
      Promise.all(
        [...clients, 'waits', 'elsewhere'].map(
          async (id) => (await world.suppressions.get(id, person))?.scope,
        ),
      );
    return { ...world, of, scopes };
  }
  const eventsTold = (messages: readonly Message[]) =>
    messages
      .filter(({ direction }) => direction === 'inbound')
      .flatMap((message) =>
        eventsOf(message).map(({ event, body }) => ({ event, ...JSON.parse(body()).data })),
      );

  it('suppresses the person for all of them, tells each, and the message itself only the last', async () => {
    const { dependencies, messages, of, scopes } = await shared();
    await receiveMessage(dependencies, of('STOP', 100));
    expect(await scopes()).toEqual(['messages', 'messages', 'messages', undefined, undefined]);
    const told = eventsTold(messages.all());
    expect(told.filter(({ event }) => event === 'sms.received').map(({ client_id }) => client_id)).toEqual([
      'c',
    ]);
    const optedOut = told.filter(({ event }) => event === 'recipient.opted_out');
    expect(optedOut.map(({ client_id }) => client_id).toSorted()).toEqual(clients);
    for (const { recipient, source } of optedOut) expect([recipient, source]).toEqual([person, 'keyword']);
    expect(new Set(optedOut.map(({ message_id }) => message_id)).size).toBe(3);
  });

  it('is ended for all of them by START', async () => {
    const { dependencies, messages, of, scopes } = await shared();
    await receiveMessage(dependencies, of('STOP', 100));
    await receiveMessage(dependencies, of('START', 101));
    expect(await scopes()).toEqual([undefined, undefined, undefined, undefined, undefined]);
    const optedIn = eventsTold(messages.all()).filter(({ event }) => event === 'recipient.opted_in');
    expect(optedIn).toHaveLength(3);
  });

  it('is for its client where the number belongs to one', async () => {
    const { dependencies, of, scopes } = await shared();
    await receiveMessage({ ...dependencies, numbers: numbersOwned(async () => 'b') }, of('STOP', 100));
    expect(await scopes()).toEqual([undefined, 'messages', undefined, undefined, undefined]);
  });

  it('is for those that wrote before it, also where it is notified again', async () => {
    const { dependencies, messages, of, suppressions } = await shared();
    const stop = of('STOP', 100);
    await receiveMessage(dependencies, stop);
    await messages.create(sentBy('later', 200, { from: ourNumber }));
    const stored = messages.all().length;
    await receiveMessage(dependencies, stop);
    expect(messages.all()).toHaveLength(stored);
    expect(await suppressions.get('later', person)).toBeUndefined();
  });

  it('reaches all of them wherever the first attempt died', async () => {
    const { dependencies, of } = await shared();
    const steps = await stepsOf(dependencies, of('STOP', 100));
    for (const when of ['before', 'after'] as const) {
      for (let step = 0; step < steps; step += 1) {
        const world = await shared();
        const stop = world.of('STOP', 100);
        await expect(receiveMessage(dyingAt(world.dependencies, step, when), stop)).rejects.toThrow('died');
        await receiveMessage(world.dependencies, stop);
        expect(await world.scopes()).toEqual(['messages', 'messages', 'messages', undefined, undefined]);
        expect(world.messages.all().filter(({ direction }) => direction === 'inbound')).toHaveLength(3);
      }
    }
  });

  it('leaves other words to the last writer alone', async () => {
    const { dependencies, messages, of } = await shared();
    await receiveMessage(dependencies, of('stop by at 5', 100));
    expect(eventsTold(messages.all())).toMatchObject([{ event: 'sms.received', client_id: 'c' }]);
  });
});

describe('STOP', () => {
  it('suppresses the person for the client; START ends that', async () => {
    const { dependencies, suppressions } = await afterSends(sentBy('a', 0));
    // The row is read at each hand-over, so it must not grow with what surrounds the word.
    await receiveMessage(dependencies, anInbound({ text: ` Stop${'.'.repeat(4000)} ` }));
    expect(await suppressions.get('a', person)).toMatchObject({
      scope: 'messages',
      source: 'keyword',
      reason: 'The recipient answered STOP',
    });
    expect(await suppressions.get('b', person)).toBeUndefined();
    const receivedAt = new Date('2026-11-20T12:00:01.000Z');
    await receiveMessage(dependencies, anInbound({ text: 'START', receivedAt }));
    expect(await suppressions.get('a', person)).toBeUndefined();
  });

  it.each<[string, Partial<ReturnType<typeof anInbound>>]>([
    ['a button', { content: { type: 'button_reply', button_reply: { id: 'leave', title: 'Stop ⛔️' } } }],
    ['a text with emoji', { text: 'STOP‼️' }],
  ])('counts as %s of WhatsApp', async (_what, said) => {
    const { dependencies, suppressions } = await afterSends(sentBy('a', 0, { channel: 'whatsapp' }));
    const { text: _text, ...inbound } = anInbound({ channel: 'whatsapp' });
    await receiveMessage(dependencies, { ...inbound, ...said });
    expect(await suppressions.get('a', person)).toMatchObject({ reason: 'The recipient answered STOP' });
  });

  it.each<[string, Partial<ReturnType<typeof anInbound>>]>([
    [
      'the payload of a button',
      { content: { type: 'button_reply', button_reply: { id: 'STOP', title: 'No' } } },
    ],
    ['a chosen list entry', { content: { type: 'list_reply', list_reply: { id: '1', title: 'Cancel' } } }],
    ['a caption', { content: { type: 'image', media: { id: '1', caption: 'STOP' } } }],
  ])('is not read from %s', async (_what, said) => {
    const { dependencies, suppressions } = await afterSends(sentBy('a', 0, { channel: 'whatsapp' }));
    const { text: _text, ...inbound } = anInbound({ channel: 'whatsapp' });
    await receiveMessage(dependencies, { ...inbound, ...said });
    expect(await suppressions.get('a', person)).toBeUndefined();
  });

  it('that arrives after the START that the person sent later has no effect', async () => {
    const { dependencies, suppressions } = await afterSends(sentBy('a', 0));
    const receivedAt = new Date('2026-11-20T12:00:01.000Z');
    await receiveMessage(dependencies, anInbound({ text: 'START', receivedAt }));
    await receiveMessage(dependencies, anInbound({ text: 'STOP' }));
    expect(await suppressions.get('a', person)).toBeUndefined();
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
        const { suppressions, windows, messages } = receiver;
        expect(await suppressions.get('a', person)).toMatchObject({ scope: 'messages' });
        expect(await windows.openedAt('a', person)).toEqual(inbound.receivedAt);
        expect(messages.all()).toHaveLength(2);
      }
    }
  });
});

describe('START', () => {
  const client = 'client-a';
  const refusedAfter = async (status: object) => {
    const { dependencies, messages, suppressions } = inMemoryReceiver();
    // The carrier refused the only message of the client, which began a suppression.
    const at = created.toISOString();
    await messages.create(
      aMessage({
        client_id: client,
        recipient: person,
        status: 'failed',
        created_at: at,
        failed_at: at,
        ...status,
      }),
    );
    await optOutAtCarrier(suppressions)(aMessage({ client_id: client, recipient: person }), created);
    return { dependencies, messages, suppression: () => suppressions.get(client, person) };
  };
  const refused = { error_code: 'recipient_opted_out' };

  it('also ends what a refusal of the carrier began for a client that never reached the person', async () => {
    const { dependencies, messages, suppression } = await refusedAfter(refused);
    await receiveMessage(dependencies, anInbound({ text: 'STOP' }));
    expect((await suppression())?.scope).toBe('messages');
    const saidStart = anInbound({ text: 'START', carrierMessageId: 'start' });
    const { message } = await receiveMessage(dependencies, saidStart);
    expect(message.client_id).toBe(unassignedClientId);
    expect((await suppression())?.scope).toBeUndefined();
    const copy = messages.all().find(({ copy_of }) => copy_of === message.message_id);
    expect(copy).toMatchObject({ client_id: client, opt_keyword: 'opt_in' });
    await receiveMessage(dependencies, saidStart);
    expect(messages.all()).toHaveLength(4);
  });

  it('has no effect on a client whose message was refused for another reason, or to another number', async () => {
    for (const status of [
      { error_code: 'carrier_rejected' },
      { ...refused, suppressed: true },
      { ...refused, from: '+447418000000' },
    ]) {
      const { dependencies, suppression } = await refusedAfter(status);
      await receiveMessage(dependencies, anInbound({ text: 'START' }));
      expect((await suppression())?.scope).toBe('messages');
    }
  });
});

/** How many calls receiving takes. */
async function stepsOf(dependencies: ReceiveDependencies, inbound: ReturnType<typeof anInbound>) {
  let calls = 0;
  await receiveMessage(
    through(dependencies, async (act) => {
      calls += 1;
      return act();
    }),
    inbound,
  );
  return calls;
}

function dyingAt(dependencies: ReceiveDependencies, step: number, when: 'before' | 'after') {
  let calls = 0;
  return through(dependencies, async (act) => {
    const dies = calls++ === step;
    if (dies && when === 'before') throw new Error('died');
    const result = await act();
    if (dies) throw new Error('died');
    return result;
  });
}

function through(
  {
    messages,
    conversations,
    numbers,
    suppressions,
    windows,
    activityLog,
    optOutWords,
    contacts,
  }: ReceiveDependencies,
  call: <T>(act: () => Promise<T>) => Promise<T>,
): ReceiveDependencies {
  return {
    optOutWords,
    contacts: { of: (...given) => call(() => contacts.of(...given)) },
    messages: { create: (message) => call(() => messages.create(message)) },
    conversations: { newestWith: (...given) => call(() => conversations.newestWith(...given)) },
    numbers: {
      ownerOf: (...given) => call(() => numbers.ownerOf(...given)),
      holdersOf: (...given) => call(() => numbers.holdersOf(...given)),
    },
    suppressions: { change: (change) => call(() => suppressions.change(change)) },
    windows: { open: (...given) => call(() => windows.open(...given)) },
    activityLog: { add: (entry) => call(() => activityLog.add(entry)) },
  };
}
