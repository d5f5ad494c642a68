import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AdminContext } from '../../../shared/admin/admin-context.ts';
import { dynamoMessageSearch, type MessageFilter } from '../../../shared/admin/message-search.dynamo.ts';
import type { Message } from '../../../shared/message/message.ts';
import { createMessages } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext, withCalls } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const messages = Array.from({ length: 60 }, (_, i): Message => {
  const at = addSeconds(created, i);
  return aMessage({
    message_id: newId('msg', at),
    client_id: i % 3 === 0 ? 'client-a' : 'client-b',
    recipient: i % 4 === 0 ? '+447700900001' : '+447700900002',
    ...(i % 5 === 0 ? { reference: 'order 5' } : {}),
    created_at: at.toISOString(),
    queued_at: at.toISOString(),
    ...(i % 6 === 0 ? { status: 'failed', error_code: i % 12 === 0 ? 'unreachable' : 'blocked' } : {}),
  });
});
const newestFirst = messages.toReversed();

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages']);
  await createMessages(testContext(tables), messages);
});
afterAll(() => tables.drop());

/** Every page of a search, one after the other. */
async function all(
  filter: MessageFilter,
  limit: number,
  options: Omit<Parameters<AdminContext['messages']['search']>[1], 'limit' | 'cursor'> = {},
): Promise<Message[]> {
  const search = dynamoMessageSearch(testContext(tables));
  const found: Message[] = [];
  let cursor: string | undefined;
  do {
    const page = await search.search(filter, { limit, cursor, ...options });
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

  it('finds those of several clients, each once', async () => {
    expect(await all({ clientIds: ['client-a', 'client-b', 'client-c'] }, limit)).toEqual(newestFirst);
    expect(await all({ clientIds: [] }, limit)).toEqual([]);
  });

  it('finds those in a state, with an error code, and in a time whose ends are included', async () => {
    const failed = newestFirst.filter(({ status }) => status === 'failed');
    const both = { clientIds: ['client-a', 'client-b'] };
    expect(await all(both, limit, { condition: { status: 'failed' } })).toEqual(failed);
    const unreachable = failed.filter(({ error_code }) => error_code === 'unreachable');
    expect(await all(both, limit, { condition: { error_code: 'unreachable' } })).toEqual(unreachable);
    expect(await all(both, limit, { condition: { status: 'failed', channel: 'whatsapp' } })).toEqual([]);
    const times = { since: messages[10]?.created_at, until: messages[20]?.created_at };
    expect(await all(both, limit, times)).toEqual(messages.slice(10, 21).toReversed());
    expect(await all(both, limit, { since: times.until, until: times.since })).toEqual([]);
  });
});

it('finds the messages of a person and those to them, together and apart, by client and by number', async () => {
  const person = '+447700900003';
  const talk = Array.from({ length: 6 }, (_, i): Message => {
    const at = addSeconds(created, i).toISOString();
    return aMessage({
      message_id: newId('msg', new Date(at)),
      client_id: i < 4 ? 'client-talks' : 'client-other',
      recipient: person,
      created_at: at,
      ...(i % 2 === 0 ? {} : { direction: 'inbound', status: 'received', received_at: at }),
    });
  });
  await createMessages(testContext(tables), talk);
  const all6 = talk.toReversed();
  const isInbound = ({ direction }: Message) => direction === 'inbound';
  const ofClient = all6.filter(({ client_id }) => client_id === 'client-talks');
  const [byClient, byNumber] = [{ clientId: 'client-talks' }, { recipient: person }];
  expect(await all(byNumber, 2)).toEqual(all6);
  expect(await all(byNumber, 2, { direction: 'inbound' })).toEqual(all6.filter(isInbound));
  expect(await all(byNumber, 2, { direction: 'outbound' })).toEqual(all6.filter((one) => !isInbound(one)));
  expect(await all(byNumber, 2, { condition: { client_id: 'client-talks' } })).toEqual(ofClient);
  expect(await all(byClient, 2)).toEqual(ofClient);
  expect(await all(byClient, 2, { direction: 'inbound' })).toEqual(ofClient.filter(isInbound));
  expect(await all({ clientIds: ['client-talks'] }, 2, { direction: 'outbound' })).toEqual(
    ofClient.filter((one) => !isInbound(one)),
  );
});

it('ends a page after a bounded number of messages where few match, and continues there', async () => {
  const read: number[] = [];
  const many = Array.from({ length: 1100 }, (_, i) => {
    const at = addSeconds(created, i);
    return aMessage({
      message_id: newId('msg', at),
      client_id: 'client-many',
      created_at: at.toISOString(),
      ...(i < 5 ? { status: 'failed' } : {}),
    });
  });
  await createMessages(testContext(tables), many);
  const counting = withCalls(testContext(tables), async ({ operation, input }, run) => {
    const [asked] = Object.values((input.RequestItems ?? {}) as Record<string, { Keys: unknown[] }>);
    if (operation === 'BatchGet') read.push(asked?.Keys.length ?? 0);
    return run();
  });
  const { search } = dynamoMessageSearch(counting);
  const filter = { clientIds: ['client-many'] };
  const page = await search(filter, { limit: 25, condition: { status: 'failed' } });
  expect(page.messages).toEqual([]);
  expect(read.reduce((sum, count) => sum + count, 0)).toBe(1000);
  const next = await search(filter, { limit: 25, cursor: page.nextCursor, condition: { status: 'failed' } });
  expect(next.messages).toEqual(many.slice(0, 5).toReversed());
  expect(next.nextCursor).toBeUndefined();
});
