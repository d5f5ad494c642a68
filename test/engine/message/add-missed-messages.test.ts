/** Messages that the relay never saw are found by their clients' lists, on the real tables. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dynamoClientIds } from '../../../shared/client/client-store.dynamo.ts';
import type { Message } from '../../../shared/message/message.ts';
import { dynamoMessageList } from '../../../shared/message/store/message-list.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { dynamoDueItemIndex } from '../../../shared/recovery/due-item-index.dynamo.ts';
import { addMissedMessages } from '../../../shared/relay/add-missed-messages.ts';
import { expireOverdue } from '../../../shared/relay/expire-messages.ts';
import { dynamoScanProgress } from '../../../shared/relay/scan-progress.dynamo.ts';
import { neverSetAside } from '../../support/doubles/never-set-aside.ts';
import { noLostRecords } from '../../support/doubles/no-lost-records.ts';
import { storesIn } from '../../support/engine/stores.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aMessage } from '../../support/message/example-message.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
let now = start;
const clock = (): Date => now;

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'batches', 'one_time_passwords', 'clients', 'due_items']);
  // Two rows, one of them spoilt by hand: only its key is asked for.
  for (const client_id of ['client-a', 'client-b'])
    await tables.dynamo.send(
      new PutCommand({ TableName: tables.names.clients, Item: { client_id, scopes: 7 } }),
    );
});
afterAll(() => tables.drop());

async function stored(at: Date, change: Partial<Message> = {}): Promise<string> {
  const message = aMessage({
    message_id: newId('msg', at),
    status: 'queued',
    created_at: at.toISOString(),
    queued_at: at.toISOString(),
    expires_at: addSeconds(at, 86_400).toISOString(),
    ...change,
  });
  await storesIn(tables).messages.create(message);
  return message.message_id;
}

/** One run of the function that is called every minute; gives the messages that it put on the outbound queue. */
async function run(): Promise<string[]> {
  const { dynamo, names } = tables;
  const queued: string[] = [];
  const dependencies = {
    dueItemIndex: dynamoDueItemIndex(dynamo, names.due_items),
    messages: storesIn(tables).messages,
    outbound: {
      enqueue: async (entries: readonly { messageId: string }[]) =>
        void queued.push(...entries.map(({ messageId }) => messageId)),
    },
    setAside: neverSetAside,
    clock,
    budgetMs: 10_000,
  };
  await addMissedMessages({
    ...dependencies,
    progress: dynamoScanProgress(dynamo, names.due_items),
    clientIds: dynamoClientIds(dynamo, names.clients),
    list: dynamoMessageList(dynamo, names.messages),
    lostRecords: noLostRecords,
    endsAt: addSeconds(now, 10),
  });
  await expireOverdue(dependencies);
  return queued;
}

it('a message of any client that nothing followed from is queued within forty minutes, once', async () => {
  now = start;
  await run();
  const lost = [
    await stored(addSeconds(start, 60), { client_id: 'client-a' }),
    await stored(addSeconds(start, 61), { client_id: 'client-b' }),
  ];
  const done = await stored(addSeconds(start, 62), { client_id: 'client-a', status: 'delivered' });
  const scheduled = await stored(addSeconds(start, 63), {
    client_id: 'client-b',
    status: 'scheduled',
    scheduled_at: addSeconds(start, 7200).toISOString(),
  });
  const found = new Map<string, number>();
  for (let minute = 1; minute <= 40; minute += 1) {
    now = addSeconds(start, minute * 60);
    for (const messageId of await run()) found.set(messageId, (found.get(messageId) ?? 0) + 1);
  }
  expect([...found].toSorted()).toEqual(lost.map((messageId) => [messageId, 1]).toSorted());
  expect(found.has(done)).toBe(false);
  now = addSeconds(start, 7200 + 60);
  expect(await run()).toContain(scheduled);
});

it('a walk that was broken off goes on where it was, and one that is done is not repeated', async () => {
  const writes: { readonly after: string | undefined; readonly done: boolean }[] = [];
  const asked: (string | undefined)[] = [];
  const progress = {
    read: async () => ({ from: start, until: start, done: true, ...writes.at(-1) }),
    write: async ({ after, done }: { after?: string | undefined; done: boolean }) =>
      void writes.push({ after, done }),
  };
  const dependencies = {
    progress,
    clientIds: async (after: string | undefined) => {
      asked.push(after);
      return { clientIds: [], next: after === undefined ? 'client-m' : undefined };
    },
    list: dynamoMessageList(tables.dynamo, tables.names.messages),
    messages: storesIn(tables).messages,
    dueItemIndex: dynamoDueItemIndex(tables.dynamo, tables.names.due_items),
    lostRecords: noLostRecords,
    clock,
  };
  // Over after the first page.
  let ticks = 0;
  const ticking = () => addSeconds(start, 3600 + 2 * ticks++);
  await addMissedMessages({ ...dependencies, clock: ticking, endsAt: addSeconds(start, 3605) });
  expect(writes).toEqual([{ after: 'client-m', done: false }]);
  now = addSeconds(start, 3700);
  await addMissedMessages({ ...dependencies, endsAt: addSeconds(now, 10) });
  expect(asked).toEqual([undefined, 'client-m']);
  expect(writes.at(-1)).toEqual({ after: undefined, done: true });
});
