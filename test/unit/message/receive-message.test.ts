/** A message from a person is stored once, reaches the right client, and does what it asks for, whatever fails. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findOwner, nobody } from '../../../shared/message/receive/find-owner.ts';
import { type ReceiveDependencies, receiveMessage } from '../../../shared/message/receive/receive-message.ts';
import { windowEnd } from '../../../shared/message/receive/whatsapp-window.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { aMessage } from '../../support/message/example-message.ts';
import { anInbound, memoryReceiver, ourNumber, person } from '../../support/message/inbound.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
const timeAfter = (seconds: number) => addSeconds(start, seconds).toISOString();

function sentBy(client_id: string, seconds: number, change: object = {}) {
  const at = timeAfter(seconds);
  return aMessage({
    client_id,
    message_id: `msg_of_${client_id}_${seconds}`,
    recipient: person,
    status: 'sent',
    created_at: at,
    sent_at: at,
    ...change,
  });
}

async function afterSends(...messages: readonly ReturnType<typeof sentBy>[]) {
  const receiver = memoryReceiver();
  for (const message of messages) await receiver.messages.create(message);
  return receiver;
}

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
    const ownerOf = (change: object = {}) => findOwner({ ...dependencies, ownerOfNumber }, anInbound(change));
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
        { ...dependencies, ownerOfNumber },
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

  it('is whose message waits to be sent, where nothing was sent yet', async () => {
    expect(await ownerAfter([sentBy('b', 1, { status: 'queued', sent_at: undefined })])).toEqual({
      clientId: 'b',
    });
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
        const { dependencies, messages } = memoryReceiver();
        const lastWriter = new Map<string, string>();
        for (const [second, step] of all.entries()) {
          if ('sends' in step) {
            await messages.create(sentBy(step.sends, second, { recipient: step.to }));
            lastWriter.set(step.to, step.sends);
          } else {
            const receivedAt = addSeconds(start, second);
            const inbound = anInbound({ person: step.replies, receivedAt });
            const { message } = await receiveMessage(dependencies, inbound);
            expect(message.client_id).toBe(lastWriter.get(step.replies) ?? nobody);
          }
        }
      }),
      { numRuns: 100 },
    );
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

  it('that is notified again is the same message, of the same owner, whoever wrote in between', async () => {
    const { dependencies, messages } = await afterSends(sentBy('a', 0));
    const inbound = anInbound();
    const first = await receiveMessage(dependencies, inbound);
    await messages.create(sentBy('b', 60));
    const again = await receiveMessage(dependencies, inbound);
    expect(again).toEqual({ message: first.message, outcome: 'repeated' });
  });

  it('that belongs to nobody is stored, and entered in the activity log once', async () => {
    const { dependencies, messages, entries } = memoryReceiver();
    const inbound = anInbound({ text: 'STOP' });
    for (let times = 0; times < 2; times += 1) await receiveMessage(dependencies, inbound);
    expect(messages.all()).toMatchObject([{ client_id: nobody }]);
    expect([...entries.values()]).toMatchObject([{ kind: 'inbound_unassigned' }]);
    expect(JSON.stringify([...entries.values()])).not.toContain(person);
  });

  it('by WhatsApp opens the window of 24 hours', async () => {
    const { dependencies, windows } = await afterSends(sentBy('a', 0, { channel: 'whatsapp' }));
    const { receivedAt } = anInbound();
    await receiveMessage(dependencies, anInbound({ channel: 'whatsapp' }));
    const opened = await windows.openedAt('a', person);
    expect(windowEnd(opened, addSeconds(receivedAt, 86_399))).toEqual(addSeconds(receivedAt, 86_400));
    expect(windowEnd(opened, addSeconds(receivedAt, 86_400))).toBeUndefined();
    expect(await windows.openedAt('b', person)).toBeUndefined();
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
    ownerOfNumber,
    suppressions,
    windows,
    activityLog,
    optOutWords,
  }: ReceiveDependencies,
  call: <T>(act: () => Promise<T>) => Promise<T>,
): ReceiveDependencies {
  return {
    optOutWords,
    messages: { create: (message) => call(() => messages.create(message)) },
    conversations: { newestWith: (...given) => call(() => conversations.newestWith(...given)) },
    ownerOfNumber: (...given) => call(() => ownerOfNumber(...given)),
    suppressions: { change: (change) => call(() => suppressions.change(change)) },
    windows: { open: (...given) => call(() => windows.open(...given)) },
    activityLog: { add: (entry) => call(() => activityLog.add(entry)) },
  };
}
