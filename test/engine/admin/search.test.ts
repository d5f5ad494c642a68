/** An administrator's search for whatever is at hand: what it finds, and where the dashboard shows it. */

import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SearchResult, search } from '../../../shared/admin/find-anything.ts';
import type { Client } from '../../../shared/client/client.ts';
import { storeClient } from '../../../shared/client/client-store.dynamo.ts';
import { unassignedClientId } from '../../../shared/message/find-owner.ts';
import type { Message } from '../../../shared/message/message.ts';
import { createBatch } from '../../../shared/message/store/batches.dynamo.ts';
import { transitionMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { createMessage, createMessages } from '../../../shared/message/store/messages.dynamo.ts';
import type { OneTimePassword } from '../../../shared/otp/otp.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { newDelivery } from '../../../shared/webhook/delivery.ts';
import { storeDelivery } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const recipient = '+447700900104';
const ids = {
  batch: newId('bat', created),
  otp: newId('otp', created),
  delivery: newId('whd', created),
  ofOtp: newId('msg', addSeconds(created, 1)),
  ofOrder: newId('msg', created),
  received: newId('msg', created),
};
const client = (client_id: string, name: string): Client => ({
  client_id,
  name,
  scopes: ['messages'],
  disabled: false,
  secrets: [],
  created_at: created.toISOString(),
});
const message = (message_id: string, more: Partial<Message>): Message => aMessage({ message_id, ...more });
const at = created.toISOString();

let tables: TestTables;
let dependencies: Parameters<typeof search>[0];
beforeAll(async () => {
  tables = await createTables([
    'clients',
    'messages',
    'batches',
    'one_time_passwords',
    'webhook_deliveries',
    'rate_counters',
  ]);
  const context = testContext(tables, { env: { RETENTION_DAYS: 1, COUNTRY: 'GB' } });
  dependencies = {
    ...context,
    mode: 'live',
    clock: () => created,
  } as never;
  for (const each of [
    client('client-a', 'Web Shop'),
    client('client-b', 'Shop'),
    client('client-c', 'The Shopping Club'),
  ])
    await storeClient(context, each);
  const otp = { otp_id: ids.otp, code_length: 6, expires_at: at, attempts_remaining: 5 };
  await createMessages(context, [
    message(ids.ofOrder, { client_id: 'client-a', recipient: '+447700900111' }),
    message(ids.ofOtp, { otp, recipient, created_at: addSeconds(created, 1).toISOString() }),
    message(ids.received, {
      client_id: unassignedClientId,
      direction: 'inbound',
      status: 'received',
      recipient: '+447700900112',
    }),
    message(newId('msg', addSeconds(created, 2)), {
      recipient,
      created_at: addSeconds(created, 2).toISOString(),
    }),
  ]);
  await createBatch(testContext(tables), {
    batch_id: ids.batch,
    client_id: 'client-a',
    state: 'stored',
    storing_until: at,
    total: 10,
    accepted: 9,
    errors: [],
    created_at: at,
    expires_at: at,
    stored_by: 'work-1',
  });
  const Item: OneTimePassword = {
    otp_id: ids.otp,
    client_id: 'client-a',
    recipient,
    country: 'GB',
    message_id: ids.ofOtp,
    channel: 'sms',
    sms_sends: 1,
    purpose: 'login',
    code_length: 6,
    max_attempts: 5,
    attempts: 0,
    status: 'pending',
    created_at: at,
    expires_at: addSeconds(created, 300).toISOString(),
  };
  await tables.dynamo.send(new PutCommand({ TableName: tables.names.one_time_passwords, Item }));
  await storeDelivery(
    context,
    newDelivery(
      {
        delivery_id: ids.delivery,
        client_id: 'client-a',
        message_id: ids.ofOrder,
        event: 'sms.sent',
        url: 'https://endpoint.example.com/hook',
        body: '{}',
      },
      created,
      1,
      randomUUID(),
    ),
  );
});
afterAll(() => tables.drop());

const find = async (text: string): Promise<readonly SearchResult[]> =>
  (await search(dependencies, text)).results;

describe('a search', () => {
  it('finds a message by its id, in any case and within other text', async () => {
    const wanted: SearchResult = {
      kind: 'message',
      id: ids.ofOrder,
      title: 'SMS to +447700900111, queued',
      client_id: 'client-a',
      href: `#/messages/${ids.ofOrder}`,
    };
    for (const text of [
      ids.ofOrder,
      ` ${ids.ofOrder.toLowerCase()} `,
      `"message_id":"${ids.ofOrder}",`,
      `https://gateway.example.com/admin#/messages/${ids.ofOrder}`,
    ])
      expect(await find(text)).toEqual([wanted]);
  });

  it('leads to test data in its mode', async () => {
    const context = testContext(tables, { env: { RETENTION_DAYS: 1, COUNTRY: 'GB' } });
    const id = newId('msg', created);
    await createMessage(context, message(id, { client_id: 'client-a-test' }));
    expect(await find(id)).toMatchObject([{ client_id: 'client-a-test', href: `#/test/messages/${id}` }]);
    const { results } = await search({ ...dependencies, mode: 'test' }, 'web shop');
    expect(results).toMatchObject([{ title: 'Web Shop (test)', href: '#/test/clients/client-a-test' }]);
  });

  it.each(['sms', 'whatsapp'] as const)(
    'finds a message by the id that its carrier gave it: %s',
    async (channel) => {
      const context = testContext(tables, { env: { RETENTION_DAYS: 1, COUNTRY: 'GB' } });
      const id = newId('msg', created);
      const carrierMessageId = `SM${randomUUID()}`;
      await createMessage(context, message(id, { channel, status: 'sending', client_id: 'client-a' }));
      expect(await find(carrierMessageId)).toEqual([]);
      await transitionMessage(context, id, { to: 'sent', at: created, carrierMessageId });
      expect(await find(` ${carrierMessageId}`)).toMatchObject([
        { kind: 'message', id, client_id: 'client-a' },
      ]);
    },
  );

  it('finds a message of a person that belongs to no client, by its id and by the number', async () => {
    expect(await find(ids.received)).toEqual([
      {
        kind: 'message',
        id: ids.received,
        title: 'SMS from +447700900112, received',
        href: `#/messages/${ids.received}`,
      },
    ]);
    expect(await find('07700 900112')).toMatchObject([{ kind: 'recipient', id: '+447700900112' }]);
  });

  it('finds a batch, and leads to its messages', async () => {
    expect(await find(ids.batch)).toEqual([
      {
        kind: 'batch',
        id: ids.batch,
        title: 'Bulk request of 10 recipients, 9 accepted',
        client_id: 'client-a',
        href: `#/messages?${new URLSearchParams({ client_id: 'client-a', since: at, until: at })}`,
      },
    ]);
  });

  it('finds a one-time password, and leads to the messages to its recipient', async () => {
    expect(await find(ids.otp)).toEqual([
      {
        kind: 'one_time_password',
        id: ids.otp,
        title: `One-time password to ${recipient}, pending`,
        client_id: 'client-a',
        href: '#/messages?recipient=%2B447700900104',
      },
    ]);
    const later = { ...dependencies, clock: () => addSeconds(created, 301) };
    expect(await search(later, ids.otp)).toMatchObject({
      results: [{ title: `One-time password to ${recipient}, no longer valid` }],
    });
  });

  it('finds a webhook', async () => {
    expect(await find(ids.delivery)).toMatchObject([
      { kind: 'webhook_delivery', client_id: 'client-a', href: `#/webhooks/${ids.delivery}` },
    ]);
  });

  it.each(['+447700900104', '0044 7700 900104', '07700-900-104'])(
    'finds the recipient %s',
    async (written) => {
      expect(await find(written)).toContainEqual({
        kind: 'recipient',
        id: recipient,
        title: `Messages with ${recipient}`,
        href: '#/messages?recipient=%2B447700900104',
      });
    },
  );

  it('finds no recipient that no message went to', async () => {
    expect(await find('07700 900999')).toEqual([]);
  });

  it('finds a client by its id, and by any part of its name: whole names first', async () => {
    expect(await find('client-b')).toEqual([
      { kind: 'client', id: 'client-b', title: 'Shop', client_id: 'client-b', href: '#/clients/client-b' },
    ]);
    expect((await find('shop')).map(({ title }) => title)).toEqual(['Shop', 'The Shopping Club', 'Web Shop']);
    expect((await find('web')).map(({ title }) => title)).toEqual(['Web Shop']);
  });

  it('says that there are more clients of such a name than it shows', async () => {
    const chain = Array.from({ length: 21 }, (_, index) => client(`chain-${index}`, `Branch ${index}`));
    for (const each of chain.slice(1)) await storeClient(dependencies, each);
    const found = async () => {
      const { results, more_clients } = await search(dependencies, 'branch');
      return [results.length, more_clients];
    };
    expect(await found()).toEqual([20, false]);
    for (const each of chain.slice(0, 1)) await storeClient(dependencies, each);
    expect(await found()).toEqual([20, true]);
  });

  it.each([
    'nothing',
    newId('msg', created),
    newId('bat', created),
    newId('otp', created),
    newId('whd', created),
  ])('finds nothing for %s', async (text) => {
    expect(await search(dependencies, text)).toEqual({ results: [], more_clients: false });
  });
});
