/**
 * WhatsApp and carriers name some people by another number than the one that is sent to: of Mexico with a 1 after the country's
 * code, of Brazil without the ninth digit, of Argentina with a 9 or without; and some by an id, without a number. STOP and
 * START count all the same, and so does the window (contract 13.1, 13.2, 13.5).
 */
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { metaReports } from '../../../shared/carrier/meta/meta-reports.ts';
import { clientIdIn } from '../../../shared/contract/mode.ts';
import { canonicalRecipient, recipientsOfPerson } from '../../../shared/contract/phone-number.ts';
import { readBeforeCall } from '../../../shared/message/dispatch/read-before-call.dynamo.ts';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import { unassignedClientId } from '../../../shared/message/find-owner.ts';
import { statusView } from '../../../shared/message/message-response.ts';
import { type InboundContext, receiveMessages } from '../../../shared/message/receive-message.ts';
import { noteContact } from '../../../shared/message/store/contacts.dynamo.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { windowOpenedAt } from '../../../shared/message/store/whatsapp-window.dynamo.ts';
import { storeSuppression, suppressionOf } from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { eventBody } from '../../../shared/webhook/plan-deliveries.ts';
import { numbersOwned } from '../../support/doubles/no-senders.ts';
import { isSuppressed } from '../../support/message/hand-overs.ts';
import { inMemoryReceiver, sentBy, start } from '../../support/message/inbound.ts';

const ourId = '106540352242922';
const whatsapp = { channel: 'whatsapp', sender: { identity: ourId } } as const;

/** What Meta posts when the person with this id writes. */
function textFrom(wa_id: string, body: string, seconds: number, user_id?: string) {
  const receivedAt = addSeconds(start, seconds);
  const message = {
    from: wa_id,
    from_user_id: user_id,
    id: `wamid.${wa_id}-${seconds}`,
    timestamp: String(Math.floor(receivedAt.getTime() / 1000)),
    type: 'text',
    text: { body },
  };
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550001234', phone_number_id: ourId },
    contacts: [{ profile: { name: 'Diego' }, wa_id, user_id }],
    messages: [message],
  };
  const entry = [{ id: '1', changes: [{ value, field: 'messages' }] }];
  const posted = JSON.stringify({ object: 'whatsapp_business_account', entry });
  return metaReports.parse({ body: posted, path: 'events', query: {}, receivedAt }).inbound;
}

describe.each([
  ['Great Britain', '+447700900123', '447700900123'],
  ['Mexico', '+525512345678', '5215512345678'],
  ['Brazil', '+5531987654321', '553187654321'],
  ['Brazil', '+553187654321', '5531987654321'],
  ['Argentina', '+541123456789', '5491123456789'],
  ['Argentina', '+5491123456789', '541123456789'],
])('a person of %s who is sent to at %s and writes as %s', (_country, recipient, wa_id) => {
  it.each(['messages', 'contacts'])('stops the client and starts it again, known from its %s', async (of) => {
    const { dependencies, context } = inMemoryReceiver();
    const sent = sentBy('a', 0, { ...whatsapp, recipient });
    if (of === 'messages') await createMessage(context, sent);
    else await noteContact(context, sent, start);
    const numbers = recipientsOfPerson(recipient);
    const scopes = () =>
      Promise.all(numbers.map(async (each) => (await suppressionOf(context, 'a', each))?.scope));

    const stop = textFrom(wa_id, 'STOP', 100);
    const { received, failures } = await receiveMessages(dependencies, stop, 1);
    expect(failures).toEqual([]);
    expect(received[0]?.message).toMatchObject({ client_id: 'a', recipient });
    expect(await suppressionOf(context, 'a', recipient)).toMatchObject({
      scope: 'messages',
      source: 'keyword',
    });
    expect(await scopes()).toEqual(numbers.map(() => 'messages'));
    for (const each of numbers)
      expect(await windowOpenedAt(context, 'a', each)).toEqual(addSeconds(start, 100));
    expect(await suppressionOf(context, 'b', recipient)).toBeUndefined();

    await receiveMessages(dependencies, textFrom(wa_id, 'START', 200), 1);
    await receiveMessages(dependencies, stop, 1);
    expect(await scopes()).toEqual(numbers.map(() => undefined));
  });
});

describe('of clients that write to a person of Argentina at both numbers', () => {
  const numbers = ['+541123456789', '+5491123456789'] as const;

  it('the one that wrote last gets the answer, and STOP stops both by our number at each number of theirs', async () => {
    for (const [first, second] of [numbers, numbers.toReversed()] as const) {
      const { context, dependencies } = inMemoryReceiver();
      await createMessage(context, sentBy('a', 0, { ...whatsapp, recipient: first }));
      await createMessage(context, sentBy('b', 1, { ...whatsapp, recipient: second }));
      const { received } = await receiveMessages(dependencies, textFrom('5491123456789', 'STOP', 100), 1);
      expect(received[0]?.message).toMatchObject({ client_id: 'b', recipient: second });
      for (const recipient of numbers) {
        expect(await suppressionOf(context, 'b', recipient)).toMatchObject({ scope: 'messages' });
        const message = sentBy('a', 2, { ...whatsapp, recipient });
        expect(await isSuppressed(context, message, ourId)).toBe(true);
      }
    }
  });
});

it.each([
  ['a landline of Brazil', '+551133334444', '5511933334444'],
  ['a mobile number of Brazil that would be a landline', '+5511933334444', '551133334444'],
  ['a number that was never sent to', '+541123456789', '5491123456780'],
])('%s is another person', async (_what, recipient, wa_id) => {
  const { context, dependencies } = inMemoryReceiver();
  await createMessage(context, sentBy('a', 0, { ...whatsapp, recipient }));
  const { received } = await receiveMessages(dependencies, textFrom(wa_id, 'STOP', 100), 1);
  expect(received[0]?.message).toMatchObject({ client_id: unassignedClientId, recipient: `+${wa_id}` });
  expect(await suppressionOf(context, 'a', recipient)).toBeUndefined();
});

it('a number of Mexico with the 1 is sent to without it', () => {
  expect(canonicalRecipient('+5215512345678')).toBe('+525512345678');
  expect(canonicalRecipient('+52155123456789')).toBeUndefined();
});

it.each([
  ['+5531987654321', '+553187654321'],
  ['+5531997654321', '+553197654321'],
  ['+5491123456789', '+541123456789'],
])('%s and %s name each other', (one, other) => {
  expect(recipientsOfPerson(one)).toEqual([one, other]);
  expect(recipientsOfPerson(other)).toEqual([other, one]);
});

describe('a person who hides the number', () => {
  const id = 'US.13491208655302741918';
  const number = '+447700900123';

  it('is known by the id, for the client to which our number belongs', async () => {
    const { dependencies, context } = inMemoryReceiver();
    const owned = { ...dependencies, numbers: numbersOwned(async () => 'a') };
    const { received } = await receiveMessages(owned, textFrom(id, 'STOP', 100), 1);
    const [one] = received;
    if (one === undefined) throw new Error('nothing was received');
    const { message } = one;
    expect(message).toMatchObject({ client_id: 'a', opt_keyword: 'opt_out' });
    expect(statusView(message)).toMatchObject({ from: id, recipient: '+15550001234' });
    const { event, data } = JSON.parse(eventBody(message, 'received')) as { event: string; data: object };
    expect({ event, ...data }).toMatchObject({ event: 'whatsapp.received', from: id, text: 'STOP' });
    expect(await suppressionOf(context, 'a', id)).toMatchObject({ scope: 'messages', source: 'keyword' });
    expect(await windowOpenedAt(context, 'a', id)).toEqual(addSeconds(start, 100));
    await receiveMessages(owned, textFrom(id, 'START', 200), 1);
    expect((await suppressionOf(context, 'a', id))?.scope).toBeUndefined();
  });

  /** Receives what Meta posts, at a number of ours that belongs to a client, or to nobody. */
  function world(owner?: string, mode?: 'test') {
    const { dependencies, context } = inMemoryReceiver();
    const clientId = clientIdIn(mode ?? 'live', 'a');
    const receive = async (posted: ReturnType<typeof textFrom>, ctx: InboundContext = dependencies) => {
      const numbers = numbersOwned(async () => owner);
      const inbound = posted.map((each) => (mode === undefined ? each : { ...each, mode }));
      const { received, failures } = await receiveMessages({ ...ctx, numbers }, inbound, 1);
      expect(failures).toEqual([]);
      return received[0]?.message;
    };
    return {
      dependencies,
      context,
      clientId,
      receive,
      hidden: (text: string, seconds: number) => receive(textFrom(id, text, seconds)),
      shown: (text: string, seconds: number) => receive(textFrom(number.slice(1), text, seconds, id)),
      /** A receipt that names both, of a message of the client to the number. */
      async receipt(seconds: number, writer = clientId, from = ourId) {
        const sent = sentBy(writer, seconds, { ...whatsapp, recipient: number });
        await createMessage(context, sent);
        const transition = { to: 'delivered', at: addSeconds(start, seconds) } as const;
        const receipt = { messageId: sent.message_id, whatsAppUser: id, from, transition };
        await recordReceipts({ ...context, priceOf: () => undefined }, [receipt], 1);
      },
      scopeOf: async (recipient: string) => (await suppressionOf(context, clientId, recipient))?.scope,
      stops: (recipient: string, writer: string) =>
        isSuppressed(context, sentBy(writer, 300, { ...whatsapp, recipient }), ourId),
    };
  }

  it('is the one with the number to which a client wrote, once a receipt has named the id', async () => {
    const { receipt, hidden, scopeOf } = world();
    await receipt(0);
    expect(await hidden('STOP', 100)).toMatchObject({ client_id: 'a', recipient: number });
    expect([await scopeOf(number), await scopeOf(id)]).toEqual(['messages', 'messages']);
  });

  it('keeps it from a client that did not write to it', async () => {
    const { receipt, hidden, scopeOf } = world('a');
    await receipt(0, 'b');
    expect(await hidden('STOP', 100)).toMatchObject({ client_id: 'a', recipient: id });
    expect(await scopeOf(id)).toBe('messages');
  });

  type World = ReturnType<typeof world>;
  const orders: Readonly<Record<string, (person: World) => Promise<unknown>>> = {
    'shows the number, and hides it before the STOP': async ({ shown, hidden }) => {
      await shown('Hi', 50);
      await hidden('STOP', 100);
    },
    'shows the number after the STOP': async ({ shown, hidden }) => {
      await hidden('STOP', 100);
      await shown('Hi', 150);
    },
    'shows the number with the STOP': ({ shown }) => shown('STOP', 100),
    'is named by a receipt before the STOP': async ({ receipt, hidden }) => {
      await receipt(50);
      await hidden('STOP', 100);
    },
    'is named by a receipt after the STOP': async ({ receipt, hidden }) => {
      await hidden('STOP', 100);
      await receipt(150);
    },
    'is named by a receipt while the STOP is written': async ({ receipt, receive, dependencies }) => {
      let isNamed = false;
      const { db } = dependencies;
      const send = async (command: TransactWriteCommand) => {
        if (command instanceof TransactWriteCommand && !isNamed) {
          isNamed = true;
          await receipt(50);
        }
        return db.send(command);
      };
      const racing = { ...dependencies, db: Object.assign(Object.create(db), { send }) };
      await receive(textFrom(id, 'STOP', 100), racing);
    },
  };

  it.each(Object.entries(orders))(
    'who %s is stopped by the number on every channel',
    async (_what, order) => {
      for (const mode of [undefined, 'test'] as const) {
        const person = world('a', mode);
        await order(person);
        expect([await person.scopeOf(number), await person.scopeOf(id)]).toEqual(['messages', 'messages']);
        // Every client shares the sender, but only in live data.
        if (mode === undefined) expect(await person.stops(number, 'b')).toBe(true);
      }
    },
  );

  it('is not stopped by the number if a START by the number is newer, or at another number of ours', async () => {
    const person = world('a');
    await person.hidden('STOP', 100);
    await person.receive(textFrom(number.slice(1), 'START', 150));
    await person.receipt(200);
    expect(await person.scopeOf(number)).toBeUndefined();
    expect(await person.stops(number, 'b')).toBe(false);
    const elsewhere = world('a');
    await elsewhere.receipt(50, 'a', '106540352242999');
    await elsewhere.hidden('STOP', 100);
    expect(await elsewhere.scopeOf(number)).toBeUndefined();
  });

  it('gets no message to the id if the number is suppressed', async () => {
    const { context, receipt } = world('a');
    const wanted = {
      client_id: 'a',
      recipient: number,
      scope: 'messages',
      source: 'client',
      at: start,
    } as const;
    await storeSuppression(context, wanted);
    const message = sentBy('a', 300, { ...whatsapp, recipient: id });
    const read = () => readBeforeCall(context, message, ourId);
    expect(await read()).toMatchObject({ isSuppressed: false });
    await receipt(50);
    expect(await read()).toMatchObject({ isSuppressed: true });
  });
});
