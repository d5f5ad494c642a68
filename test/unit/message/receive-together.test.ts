/**
 * What a carrier reports together is of several clients: a row of one person or one message that cannot be read, because
 * somebody edited it in the console, holds no other report back (contract 1.8, 16.5).
 */
import { BatchGetCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import type { Receipt } from '../../../shared/message/dispatch/receipt-decisions.ts';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import { type InboundContext, receiveMessages } from '../../../shared/message/receive-message.ts';
import { storeContact } from '../../../shared/message/store/contacts.dynamo.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { suppressionOf } from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { numbersOwned } from '../../support/doubles/no-senders.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import { anInbound, ourNumber } from '../../support/message/inbound.ts';

const at = created.toISOString();
/** As often as the queue delivers it (lib/capabilities/messaging/messaging.ts). */
const receivesMax = 15;

it('the receipts of thirty messages of which one row cannot be read', async () => {
  const { context, tables } = inMemoryStores();
  const ids = Array.from({ length: 30 }, (_, index) => `msg_${String(index).padStart(26, '0')}`);
  for (const message_id of ids)
    await createMessage(
      context,
      aMessage({ message_id, client_id: `client-${message_id}`, status: 'sent', sent_at: at }),
    );
  const [edited = ''] = ids;
  // The validity was written as a date only.
  const row = tables.rows('messages').find(({ message_id }) => message_id === edited);
  await tables.dynamo.send(
    new PutCommand({ TableName: tables.names.messages, Item: { ...row, expires_at: '2026-11-23' } }),
  );
  const receipts: Receipt[] = ids.map((messageId) => ({
    messageId,
    transition: { to: 'delivered', at: addSeconds(created, 1) },
  }));
  for (let receives = 1; receives <= receivesMax; receives += 1)
    await recordReceipts({ ...context, priceOf: () => undefined }, receipts, receives).catch(() => undefined);
  const undelivered = tables
    .rows('messages')
    .filter(({ message_id, status }) => message_id !== edited && status !== 'delivered');
  expect(undelivered.map(({ message_id }) => message_id)).toEqual([]);
});

it('the receipts of three messages of which DynamoDB refuses one id', async () => {
  const { context, tables } = inMemoryStores();
  const ids = ['msg_a', 'msg_refused', 'msg_b'];
  for (const message_id of ids)
    await createMessage(context, aMessage({ message_id, status: 'sent', sent_at: at }));
  const send = context.db.send.bind(context.db) as (command: object) => Promise<unknown>;
  const refusing = {
    send: (command: object) => {
      const isRead = command instanceof GetCommand || command instanceof BatchGetCommand;
      if (!isRead || !JSON.stringify(command.input).includes('msg_refused')) return send(command);
      return Promise.reject(Object.assign(new Error('a wrong key'), { name: 'ValidationException' }));
    },
  };
  const db = Object.assign(Object.create(context.db), refusing);
  const receipts = ids.map((messageId) => ({
    messageId,
    transition: { to: 'delivered', at: created } as const,
  }));
  await recordReceipts({ ...context, db, priceOf: () => undefined }, receipts, 1);
  const delivered = tables.rows('messages').filter(({ status }) => status === 'delivered');
  expect(delivered.map(({ message_id }) => message_id)).toEqual(['msg_a', 'msg_b']);
});

it('a STOP after a message of somebody else whose contact cannot be read', async () => {
  const { context, tables } = inMemoryStores();
  const [first, second] = ['+447700900001', '+447700900002'];
  for (const [person, clientId] of [
    [first, 'client-a'],
    [second, 'client-b'],
  ] as const)
    await storeContact(context, { channel: 'sms', person }, { clientId, sender: ourNumber, at: created });
  await tables.dynamo.send(
    new PutCommand({
      TableName: tables.names.whatsapp_windows,
      Item: { client_id: `#wrote sms ${first}`, recipient: ourNumber, writer: 'client-a', sender: ourNumber },
    }),
  );
  const dependencies: InboundContext = {
    ...context,
    numbers: numbersOwned(),
  };
  const reported = [anInbound({ person: first }), anInbound({ person: second, text: 'STOP' })];
  for (let receives = 1; receives <= receivesMax; receives += 1)
    await receiveMessages(dependencies, reported, receives).catch(() => undefined);
  expect(await suppressionOf(context, 'client-b', second)).toMatchObject({ scope: 'messages' });
});
