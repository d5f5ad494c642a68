/** What the tables know about a person: the messages in both directions, and when the person last wrote by WhatsApp. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Message } from '../../../shared/message/message.ts';
import { receiveMessage as receive } from '../../../shared/message/receive-message.ts';
import { contactsOf, noteContact, storeContact } from '../../../shared/message/store/contacts.dynamo.ts';
import { newestMessagesWith } from '../../../shared/message/store/conversations.dynamo.ts';
import { transitionMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { listPosition } from '../../../shared/message/store/message-row.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { openWindow, windowOpenedAt } from '../../../shared/message/store/whatsapp-window.dynamo.ts';
import { suppressionOf } from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { numbersOwned } from '../../support/doubles/no-senders.ts';
import { createTables } from '../../support/engine/tables.ts';
import { type TestContext, testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { isSuppressed } from '../../support/message/hand-overs.ts';
import { anInbound, ourNumber } from '../../support/message/inbound.ts';

const receiveMessage = (dependencies: Parameters<typeof receive>[0], inbound: ReturnType<typeof anInbound>) =>
  receive(dependencies, inbound, 1);

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'suppressions', 'whatsapp_windows', 'activity_log']);
});
afterAll(() => tables.drop());

const at = new Date('2026-11-20T12:00:00.000Z');
let people = 0;
function aPerson(): string {
  people += 1;
  return `+44770090${String(people).padStart(4, '0')}`;
}

function onTables() {
  return { ...testContext(tables), numbers: numbersOwned() };
}

function sentTo(recipient: string, seconds: number, change: Partial<Message> = {}): Message {
  const time = addSeconds(at, seconds).toISOString();
  return {
    message_id: newId('msg', new Date(time)),
    client_id: 'client-a',
    channel: 'sms',
    status: 'sent',
    recipient,
    type: 'transactional',
    text: 'Hello',
    created_at: time,
    queued_at: time,
    sent_at: time,
    expires_at: addSeconds(at, 86_400).toISOString(),
    ...change,
  };
}

describe('the messages with a person', () => {
  it('are those of both directions and all clients with the person, newest first', async () => {
    const context = onTables();
    const person = aPerson();
    const first = sentTo(person, 0);
    const second = sentTo(person, 20, { client_id: 'client-b' });
    for (const message of [first, second, sentTo(aPerson(), 10)]) await createMessage(context, message);
    const inbound = anInbound({ person, receivedAt: addSeconds(at, 30) });
    const { message } = await receiveMessage(context, inbound);
    const all = await newestMessagesWith(context, person, 10);
    const ids = all.messages.map(({ message_id }) => message_id);
    expect(ids).toEqual([message.message_id, second.message_id, first.message_id]);
    expect(all.nextBefore).toBeUndefined();
    const newest = await newestMessagesWith(context, person, 1);
    expect(newest).toEqual({ messages: [message], nextBefore: listPosition(message) });
    expect(await newestMessagesWith(context, person, 1, newest.nextBefore)).toMatchObject({
      messages: [{ message_id: second.message_id }],
    });
  });

  it('name the client to whom a reply belongs, once: a repeat finds the row', async () => {
    const dependencies = onTables();
    const person = aPerson();
    await createMessage(dependencies, sentTo(person, 0, { from: ourNumber }));
    const inbound = anInbound({ person, receivedAt: addSeconds(at, 10), text: 'Stop' });
    const { message, outcome } = await receiveMessage(dependencies, inbound);
    expect({ outcome, client: message.client_id }).toEqual({ outcome: 'received', client: 'client-a' });
    // Another client writes before the notification is repeated.
    await createMessage(dependencies, sentTo(person, 5, { client_id: 'client-b', from: ourNumber }));
    expect(await receiveMessage(dependencies, inbound)).toEqual({ message, outcome: 'repeated' });
    expect(await suppressionOf(dependencies, 'client-a', person)).toMatchObject({ source: 'keyword' });
    expect(await suppressionOf(dependencies, 'client-b', person)).toBeUndefined();
  });
});

const anAttempt = { number: 1, carrier: 'twilio', at: at.toISOString(), deadline: at.toISOString() };

describe('a STOP after a message that its carrier sent from a default of its own', () => {
  it.each([
    ['another number', '+447418000999', false],
    ['that number', ourNumber, true],
  ])('without a response to %s', async (_which, number, isSuppressed) => {
    const dependencies = onTables();
    const person = aPerson();
    const { sent_at: _unknown, ...rest } = sentTo(person, 0);
    const attempts = [{ ...anAttempt, from: ourNumber }];
    await createMessage(dependencies, { ...rest, status: 'sending', attempts });
    const inbound = anInbound({ person, number, receivedAt: addSeconds(at, 10), text: 'STOP' });
    const { message } = await receiveMessage(dependencies, inbound);
    expect(message.client_id).toBe(isSuppressed ? 'client-a' : 'nobody');
    const suppression = await suppressionOf(dependencies, 'client-a', person);
    expect(suppression !== undefined).toBe(isSuppressed);
  });

  it.each([
    ['another number', '+447418000999', false],
    ['that number', ourNumber, true],
  ])('to %s', async (_which, number, isSuppressed) => {
    const dependencies = onTables();
    const person = aPerson();
    const { sent_at: _notYet, ...rest } = sentTo(person, 0);
    const message: Message = { ...rest, status: 'sending' };
    await createMessage(dependencies, message);
    const sent = await transitionMessage(dependencies, message.message_id, {
      to: 'sent',
      at,
      carrierMessageId: newId('msg', at),
      attempts: [{ ...anAttempt, from: ourNumber, outcome: 'accepted' }],
    });
    await noteContact(dependencies, sent ?? message, at);
    const inbound = anInbound({ person, number, receivedAt: addSeconds(at, 10), text: 'STOP' });
    await receiveMessage(dependencies, inbound);
    const suppression = await suppressionOf(dependencies, 'client-a', person);
    expect(suppression !== undefined).toBe(isSuppressed);
  });
});

it('a reply is for the client whose message was taken before one whose response is lost, and a STOP stops both by that number', async () => {
  const dependencies = onTables();
  const person = aPerson();
  const { sent_at: _unknown, ...rest } = sentTo(person, 5, { client_id: 'client-b', from: ourNumber });
  await createMessage(dependencies, sentTo(person, 0, { from: ourNumber }));
  await createMessage(dependencies, { ...rest, status: 'sending', attempts: [anAttempt] });
  const wrote = async (text: string, seconds: number) =>
    (await receiveMessage(dependencies, anInbound({ person, text, receivedAt: addSeconds(at, seconds) })))
      .message;
  expect(await wrote('Hello', 10)).toMatchObject({ client_id: 'client-a' });
  expect(await wrote('STOP', 20)).toMatchObject({ client_id: 'client-a' });
  for (const client_id of ['client-a', 'client-b']) {
    const message = sentTo(person, 30, { client_id });
    expect(await isSuppressed(dependencies, message, ourNumber)).toBe(true);
  }
});

describe('the contacts of a person', () => {
  const number = '+447418000000';
  const noted = async (context: TestContext, person: string) =>
    Object.fromEntries(
      (await contactsOf(context, { channel: 'sms', person }))
        .toSorted((one, other) => one.at.getTime() - other.at.getTime())
        .map(({ clientId, at }) => [clientId, at.toISOString()]),
    );
  const wrote = (clientId: string, seconds: number, more: object = {}) => ({
    clientId,
    sender: number,
    at: addSeconds(at, seconds),
    ...more,
  });

  it('have the client that wrote last, in any order', async () => {
    const context = testContext(tables);
    const person = aPerson();
    const to = { channel: 'sms', person } as const;
    for (const [clientId, seconds] of [
      ['a', 0],
      ['b', 20],
      ['c', 5],
      ['a', 10],
    ] as const)
      await storeContact(context, to, wrote(clientId, seconds));
    expect(await noted(context, person)).toEqual({ b: addSeconds(at, 20).toISOString() });
    expect(await contactsOf(context, { channel: 'whatsapp', person })).toEqual([]);
    expect(await contactsOf(context, { channel: 'sms', person: aPerson() })).toEqual([]);
  });

  it('have the client that wrote last of many at the same moment', async () => {
    const context = testContext(tables);
    const person = aPerson();
    const clients = Array.from({ length: 12 }, (_, index) => `client-${index}`);
    for (let times = 0; times < 2; times += 1)
      await Promise.all(
        clients.map((clientId, index) =>
          storeContact(context, { channel: 'sms', person }, wrote(clientId, index)),
        ),
      );
    expect(Object.keys(await noted(context, person))).toEqual(['client-11']);
  });

  it('are written once for any number of messages of one client, and renewed after a month', async () => {
    const context = testContext(tables);
    const person = aPerson();
    const to = { channel: 'sms', person } as const;
    for (const seconds of [0, 10, 86_400 * 29]) await storeContact(context, to, wrote('a', seconds));
    expect(await noted(context, person)).toEqual({ a: at.toISOString() });
    await storeContact(context, to, wrote('a', 86_400 * 31));
    expect(await noted(context, person)).toEqual({ a: addSeconds(at, 86_400 * 31).toISOString() });
    const more = { sender: '+447418000001', via: 'pool-1' };
    await storeContact(context, to, { ...wrote('a', 86_400 * 31), ...more });
    expect(await contactsOf(context, to)).toContainEqual(expect.objectContaining(more));
  });
});

describe('the window of WhatsApp', () => {
  it('begins with the last message of the person, in whatever order the notifications arrive', async () => {
    const context = testContext(tables);
    const person = aPerson();
    expect(await windowOpenedAt(context, 'client-a', person)).toBeUndefined();
    for (const seconds of [20, 0, 10]) await openWindow(context, 'client-a', person, addSeconds(at, seconds));
    expect(await windowOpenedAt(context, 'client-a', person)).toEqual(addSeconds(at, 20));
    expect(await windowOpenedAt(context, 'client-b', person)).toBeUndefined();
  });
});
