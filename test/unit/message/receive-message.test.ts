/** A message from a person is stored once, reaches the right client, and does what it asks for, whatever fails. */

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findOwner as find, unassignedClientId } from '../../../shared/message/find-owner.ts';
import {
  type InboundContext,
  receiveMessage as receive,
  receiveMessages,
} from '../../../shared/message/receive-message.ts';
import { contactsOf, noteContact } from '../../../shared/message/store/contacts.dynamo.ts';
import { transitionMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { windowEnd, windowOpenedAt } from '../../../shared/message/store/whatsapp-window.dynamo.ts';
import { suppressionOf } from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { numbersOwned } from '../../support/doubles/no-senders.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { type TestContext, withCalls } from '../../support/engine/test-context.ts';
import {
  afterSends,
  anInbound,
  inMemoryReceiver,
  ourNumber,
  person,
  sentBy,
  start,
} from '../../support/message/inbound.ts';

const findOwner = async (dependencies: Parameters<typeof find>[0], inbound: ReturnType<typeof anInbound>) =>
  (await find(dependencies, inbound)).owner;
const receiveMessage = (dependencies: InboundContext, inbound: ReturnType<typeof anInbound>) =>
  receive(dependencies, inbound, 1);

describe('the owner of a message from a person', () => {
  const ownerAfter = async (messages: readonly ReturnType<typeof sentBy>[], change: object = {}) => {
    const { dependencies } = await afterSends(...messages);
    return findOwner(dependencies, anInbound(change));
  };

  it('is who last wrote to that person', async () => {
    expect(await ownerAfter([sentBy('a', 0), sentBy('b', 2), sentBy('c', 1)])).toEqual({ clientId: 'b' });
  });

  it('is whose message the carrier names, even if another wrote later', async () => {
    const named = sentBy('a', 0, { carrier_message_id: 'sms-1' });
    expect(await ownerAfter([named, sentBy('b', 1)], { repliesTo: 'sms-1' })).toEqual({
      clientId: 'a',
      inReplyTo: named.message_id,
    });
  });

  it.each<[string, object]>([
    ['by another channel', { channel: 'whatsapp' }],
    ['from another number', { from: '+447418000000' }],
    ['from a name, to which nobody can reply', { from: 'ACME' }],
    ['but the carrier did not take it', { status: 'failed', sent_at: undefined }],
    ['but it is only scheduled', { status: 'scheduled', sent_at: undefined }],
  ])('is not who wrote later %s', async (_why, change) => {
    expect(await ownerAfter([sentBy('a', 0), sentBy('b', 1, change)])).toEqual({ clientId: 'a' });
  });

  it('is the client to which the number belongs, even if another wrote to that person', async () => {
    const answered = sentBy('a', 0, { carrier_message_id: 'sms-1' });
    const { dependencies } = await afterSends(answered, sentBy('b', 1, { carrier_message_id: 'sms-2' }));
    const ownerOfNumber = async (number: string) => (number === ourNumber ? 'a' : undefined);
    const ownerOf = (change: object = {}) =>
      findOwner({ ...dependencies, numbers: numbersOwned(ownerOfNumber) }, anInbound(change));
    expect(await ownerOf()).toEqual({ clientId: 'a' });
    expect(await ownerOf({ repliesTo: 'sms-1' })).toEqual({
      clientId: 'a',
      inReplyTo: answered.message_id,
    });
    expect(await ownerOf({ repliesTo: 'sms-2' })).toEqual({ clientId: 'a' });
    expect(await ownerOf({ number: '+447418000000' })).toEqual({ clientId: 'b' });
  });

  it('can have written from a pool, but not from another number', async () => {
    const from = (identity: string) => ({ sender: { identity } });
    const pool = 'pool-0123456789abcdef0123456789abcdef';
    expect(await ownerAfter([sentBy('a', 0), sentBy('b', 1, from(pool))])).toEqual({ clientId: 'b' });
    expect(await ownerAfter([sentBy('a', 0), sentBy('b', 1, from(ourNumber))])).toEqual({ clientId: 'b' });
    expect(await ownerAfter([sentBy('a', 0), sentBy('b', 1, from('+447418000000'))])).toEqual({
      clientId: 'a',
    });
  });

  it('is not who wrote from an unknown number or a pool, where rows give the number to others', async () => {
    const from = (identity: string) => ({ sender: { identity } });
    const pool = 'pool-0123456789abcdef0123456789abcdef';
    const unknown = { sender: undefined, from: undefined };
    for (const later of [from(pool), unknown]) {
      const sent = [sentBy('a', 0, from(ourNumber)), sentBy('b', 1, later)];
      const { dependencies } = await afterSends(...sent);
      const ownerWith = (...holders: string[]) =>
        findOwner({ ...dependencies, numbers: numbersOwned(undefined, new Set(holders)) }, anInbound());
      expect(await ownerWith('a')).toEqual({ clientId: 'a' });
      expect(await ownerWith('a', 'b')).toEqual({ clientId: 'b' });
      expect(await ownerWith('*')).toEqual({ clientId: 'b' });
    }
  });

  it('of WhatsApp is known by the id of the number, which sends name', async () => {
    const whatsapp = { channel: 'whatsapp' } as const;
    const by = (clientId: string, second: number, identity: string) =>
      sentBy(clientId, second, { ...whatsapp, sender: { identity } });
    const sent = [by('a', 0, 'phone-number-id-1'), by('b', 1, 'phone-number-id-2')];
    expect(await ownerAfter(sent, { ...whatsapp, numberId: 'phone-number-id-1' })).toEqual({ clientId: 'a' });
    const { dependencies } = await afterSends(...sent);
    const ownerOfNumber = async (number: string) => (number === 'phone-number-id-3' ? 'c' : undefined);
    expect(
      await findOwner(
        { ...dependencies, numbers: numbersOwned(ownerOfNumber) },
        anInbound({ ...whatsapp, numberId: 'phone-number-id-3' }),
      ),
    ).toEqual({ clientId: 'c' });
  });

  it('is found behind any number of messages that wait to be sent', async () => {
    const waiting = Array.from({ length: 1000 }, (_, index) =>
      sentBy('b', 10 + index, { status: 'scheduled', sent_at: undefined }),
    );
    expect(await ownerAfter([sentBy('a', 0), ...waiting])).toEqual({ clientId: 'a' });
  });

  it.each(['scheduled', 'queued', 'sending', 'canceled', 'failed'] as const)(
    'is nobody where the only message is %s, and no carrier took it',
    async (status) => {
      const { context, dependencies } = await afterSends(sentBy('b', 1, { status, sent_at: undefined }));
      const { message } = await receive(dependencies, anInbound({ text: 'STOP' }), 99);
      expect(message.client_id).toBe(unassignedClientId);
      expect(await suppressionOf(context, 'b', person)).toBeUndefined();
    },
  );

  it('is waited for while the only message is being handed over, and is then its client', async () => {
    const { sent_at: _sentAt, ...sending } = sentBy('a', 0, { status: 'sending' });
    const { context, dependencies, messages } = await afterSends(sending);
    const inbound = anInbound({ text: 'STOP' });
    expect(await receiveMessages(dependencies, [inbound], 1)).toMatchObject({
      received: [],
      retryAfterSeconds: 15,
    });
    expect(messages.all()).toHaveLength(1);
    await transitionMessage(context, sending.message_id, { to: 'sent', at: start });
    const { received, retryAfterSeconds } = await receiveMessages(dependencies, [inbound], 2);
    expect([received[0]?.message.client_id, retryAfterSeconds]).toEqual(['a', undefined]);
    expect(await suppressionOf(context, 'a', person)).toMatchObject({ scope: 'messages' });
  });

  it('is nobody where no client wrote to that person', async () => {
    expect(await ownerAfter([])).toBeUndefined();
  });

  it('stays the same through any number of replies', async () => {
    const { dependencies, messages } = await afterSends(sentBy('a', 0));
    for (let reply = 0; reply < 120; reply += 1) {
      const receivedAt = addSeconds(start, 10 + reply);
      const { message } = await receiveMessage(dependencies, anInbound({ receivedAt }));
      expect(message.client_id).toBe('a');
    }
    expect(messages.all()).toHaveLength(121);
  });

  it('is the last writer for ten clients that share a pool, against a model', async () => {
    const clients = Array.from({ length: 10 }, (_, index) => `client-${index}`);
    const people = ['+447700900001', '+447700900002', '+447700900003'];
    const steps = fc.array(
      fc.oneof(
        fc.record({ sends: fc.constantFrom(...clients), to: fc.constantFrom(...people) }),
        fc.record({ replies: fc.constantFrom(...people) }),
      ),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { context, dependencies } = inMemoryReceiver();
        const lastWriter = new Map<string, string>();
        for (const [second, step] of all.entries()) {
          if ('sends' in step) {
            await createMessage(context, sentBy(step.sends, second, { recipient: step.to }));
            lastWriter.set(step.to, step.sends);
          } else {
            const receivedAt = addSeconds(start, second);
            const inbound = anInbound({ person: step.replies, receivedAt });
            const { message } = await receiveMessage(dependencies, inbound);
            expect(message.client_id).toBe(lastWriter.get(step.replies) ?? unassignedClientId);
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('with 5,000 messages of another client that wait', () => {
  /** Only the contact tells of the one that was sent: the row is behind the others, or is gone. */
  async function aCrowd() {
    const waiting = Array.from({ length: 5000 }, (_, index) =>
      sentBy('b', index, { status: index % 2 ? 'scheduled' : 'canceled', sent_at: undefined }),
    );
    const world = await afterSends(...waiting);
    await noteContact(world.context, sentBy('a', 0, { from: ourNumber }), start);
    return world;
  }

  it('the reply and STOP are of the client whose message a carrier took', async () => {
    const { context, dependencies } = await aCrowd();
    const { message } = await receiveMessage(dependencies, anInbound({ text: 'STOP' }));
    expect(message).toMatchObject({ client_id: 'a' });
    expect(await suppressionOf(context, 'a', person)).toMatchObject({ scope: 'messages' });
    expect(await suppressionOf(context, 'b', person)).toBeUndefined();
  });

  it('only the newest of them are read', async () => {
    const { dependencies } = await aCrowd();
    let read = 0;
    const counting = withCalls(dependencies, async ({ input }, run) => {
      if (input.IndexName === 'by-recipient') read += Number(input.Limit);
      return run();
    });
    for (const text of ['Hello', 'STOP']) await receiveMessage(counting, anInbound({ text }));
    expect(read).toBe(2 * 100);
  });
});

describe.each([
  ['a pool', 'pool-0123456789abcdef0123456789abcdef'],
  ['a Messaging Service', 'MG0123456789abcdef0123456789abcdef'],
])('%s', (_what, pool) => {
  const otherNumber = '+447418000000';
  const fromPool = (client: string, seconds: number) =>
    sentBy(client, seconds, { sender: { identity: pool } });
  const found = async (context: TestContext, number: string) => {
    const inbound = anInbound({ number });
    const { owner, senders } = await find({ ...inMemoryReceiver().dependencies, ...context }, inbound);
    return [owner?.clientId, senders.includes(pool)];
  };

  it('counts for any of its numbers until a receipt names one', async () => {
    const { context } = inMemoryStores();
    expect(await found(context, ourNumber)).toEqual([undefined, false]);
    for (const [index, client] of ['a', 'b'].entries())
      await noteContact(context, fromPool(client, index), addSeconds(start, index));
    expect(await found(context, ourNumber)).toEqual(['b', true]);
    await noteContact(context, fromPool('b', 1), addSeconds(start, 1), { from: otherNumber });
    await noteContact(context, sentBy('a', 0, { from: ourNumber }), start);
    expect(await found(context, ourNumber)).toEqual(['a', false]);
    expect(await found(context, otherNumber)).toEqual(['b', true]);
    // Nobody is known by this number; better the pool than nobody.
    expect(await found(context, '+447418111111')).toEqual(['b', true]);
  });

  it('counts beside a number that the client names in other messages', async () => {
    const { context } = inMemoryStores();
    await noteContact(context, sentBy('a', 0, { from: otherNumber }), start);
    await noteContact(context, fromPool('a', 1), start);
    expect(await found(context, ourNumber)).toEqual(['a', true]);
  });

  it('of names has no contacts: nobody can reply to one', async () => {
    const { context } = inMemoryStores();
    await noteContact(context, sentBy('a', 0, { from: 'ACME' }), start);
    expect(await contactsOf(context, { channel: 'sms', person })).toEqual([]);
  });
});

describe('a message from a person', () => {
  it('is stored with both parties, its text and its time', async () => {
    const { dependencies } = await afterSends(sentBy('a', 0));
    const { message, outcome } = await receiveMessage(dependencies, anInbound({ text: 'Is it ready?' }));
    expect(outcome).toBe('received');
    expect(message).toMatchObject({
      client_id: 'a',
      direction: 'inbound',
      status: 'received',
      recipient: person,
      from: ourNumber,
      text: 'Is it ready?',
      received_at: '2026-11-20T12:00:00.000Z',
    });
  });

  it('that is notified again is the same message, of the same owner, no matter who wrote in between', async () => {
    const { context, dependencies } = await afterSends(sentBy('a', 0));
    const inbound = anInbound();
    const first = await receiveMessage(dependencies, inbound);
    await createMessage(context, sentBy('b', 60));
    const again = await receiveMessage(dependencies, inbound);
    expect(again).toEqual({ message: first.message, outcome: 'repeated' });
  });

  it('that belongs to nobody is stored, and entered in the activity log once', async () => {
    const { dependencies, messages, entries } = inMemoryReceiver();
    const inbound = anInbound({ text: 'STOP' });
    for (let times = 0; times < 2; times += 1) await receiveMessage(dependencies, inbound);
    expect(messages.all()).toMatchObject([{ client_id: unassignedClientId }]);
    expect(entries()).toMatchObject([{ kind: expect.stringContaining('inbound_unassigned') }]);
    expect(JSON.stringify(entries())).not.toContain(person);
  });

  it('by WhatsApp opens the window of 24 hours', async () => {
    const { context, dependencies } = await afterSends(sentBy('a', 0, { channel: 'whatsapp' }));
    const { receivedAt } = anInbound();
    await receiveMessage(dependencies, anInbound({ channel: 'whatsapp' }));
    const opened = await windowOpenedAt(context, 'a', person);
    expect(windowEnd(opened, addSeconds(receivedAt, 86_399))).toEqual(addSeconds(receivedAt, 86_400));
    expect(windowEnd(opened, addSeconds(receivedAt, 86_400))).toBeUndefined();
    expect(await windowOpenedAt(context, 'b', person)).toBeUndefined();
  });
});
