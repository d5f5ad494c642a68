/** A malformed contact stops nobody's work (contract 1.8, 13.1). */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { contactsOf, storeContact } from '../../../shared/message/store/contacts.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
const person = '+447700900001';

const contact = { clientId: 'a', sender: '*', at: start };

async function spoilContact({ tables }: Pick<ReturnType<typeof inMemoryStores>, 'tables'>): Promise<void> {
  await tables.dynamo.send(
    new PutCommand({
      TableName: tables.names.whatsapp_windows,
      Item: {
        ...{ client_id: `#wrote sms ${person}`, recipient: '*' },
        ...{ writer: 'a', sender: '*', wrote_at: 'today' },
      },
    }),
  );
}

it('the next message replaces it', async () => {
  const stores = inMemoryStores();
  const addressee = { channel: 'sms', person } as const;
  await storeContact(stores.context, addressee, contact);
  await spoilContact(stores);
  expect(await contactsOf(stores.context, addressee)).toEqual([]);
  await storeContact(stores.context, addressee, { ...contact, clientId: 'b', at: addSeconds(start, 60) });
  expect(await contactsOf(stores.context, addressee)).toMatchObject([{ clientId: 'b' }]);
});
