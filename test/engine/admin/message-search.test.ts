import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dynamoMessageSearch, type MessageFilter } from '../../../shared/admin/message-search.dynamo.ts';
import type { Message } from '../../../shared/message/message.ts';
import { dynamoMessageStore } from '../../../shared/message/store/message-store.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { createTables, type TestTables } from '../../support/engine/tables.ts';
import { aMessage, created } from '../../support/webhook/example-webhook-message.ts';

const messages = Array.from({ length: 60 }, (_, i): Message => {
  const at = addSeconds(created, i);
  return aMessage({
    message_id: newId('msg', at),
    client_id: i % 3 === 0 ? 'client-a' : 'client-b',
    recipient: i % 4 === 0 ? '+447700900001' : '+447700900002',
    ...(i % 5 === 0 ? { reference: 'order 5' } : {}),
    created_at: at.toISOString(),
    queued_at: at.toISOString(),
  });
});
const newestFirst = messages.toReversed();

let tables: TestTables;
const store = () => dynamoMessageStore(tables.dynamo, { tableName: tables.names.messages, retentionDays: 1 });
beforeAll(async () => {
  tables = await createTables(['messages']);
  await store().createMany(messages);
});
afterAll(() => tables.drop());

/** Every page of a search, one after the other. */
async function all(filter: MessageFilter, limit: number): Promise<Message[]> {
  const search = dynamoMessageSearch(tables.dynamo, tables.names.messages, store());
  const found: Message[] = [];
  let cursor: string | undefined;
  do {
    const page = await search.search(filter, limit, cursor);
    found.push(...page.messages);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

describe.each([1, 7, 100])('an administrator’s search, %d messages a page', (limit) => {
  it('finds every message of a client once, newest first', async () => {
    const wanted = newestFirst.filter(({ client_id }) => client_id === 'client-b');
    expect(await all({ clientId: 'client-b' }, limit)).toEqual(wanted);
  });

  it('finds the messages with a reference of one client, and of no other client', async () => {
    const wanted = newestFirst.filter(
      ({ client_id, reference }) => client_id === 'client-a' && reference === 'order 5',
    );
    expect(await all({ clientId: 'client-a', reference: 'order 5' }, limit)).toEqual(wanted);
    expect(await all({ clientId: 'client-a', reference: 'order' }, limit)).toEqual([]);
  });

  it('finds those to a recipient, of all clients', async () => {
    const wanted = newestFirst.filter(({ recipient }) => recipient === '+447700900001');
    expect(await all({ recipient: '+447700900001' }, limit)).toEqual(wanted);
  });
});
