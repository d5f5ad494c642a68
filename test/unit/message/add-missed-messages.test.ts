/** The scan for missed messages continues where it was, within a client too, and no client waits for a large one. */
import { expect, it } from '@jest/globals';
import type { Message } from '../../../shared/message/message.ts';
import type { ListRange } from '../../../shared/message/store/message-list.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import type { DueItem } from '../../../shared/recovery/due-item-index.dynamo.ts';
import {
  type AddMissedDependencies,
  addMissedMessages,
  type ScanProgress,
} from '../../../shared/relay/add-missed-messages.ts';
import { noLostRecords } from '../../support/doubles/no-lost-records.ts';
import { aMessage } from '../../support/message/example-message.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
const runSeconds = 40;
const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });

interface World {
  /** How many messages of each client wait in the window, one each millisecond. */
  readonly clients: Readonly<Record<string, number>>;
  /** How long each read of a hundred keys takes. */
  readonly secondsPerPage: number;
  readonly refuses?: (clientId: string) => Error | undefined;
  /** What each message has. */
  readonly row?: Partial<Message>;
}

function scanOf({ clients, secondsPerPage, refuses = () => undefined, row = {} }: World) {
  let now = start;
  let stored: ScanProgress | undefined = {
    from: addSeconds(start, -7200),
    until: addSeconds(start, -3600),
    done: true,
  };
  const added = new Map<string, number>();
  const timed: DueItem[] = [];
  const ids = Object.keys(clients);

  async function* keys({ clientId, from, before }: ListRange, pageSize: number) {
    const fault = refuses(clientId);
    if (fault !== undefined) throw fault;
    const sentFrom = addSeconds(start, -3000).getTime();
    for (let index = (clients[clientId] ?? 0) - 1; index >= 0; index -= 1) {
      const messageId = `${clientId} ${String(index).padStart(7, '0')}`;
      const position = `${new Date(sentFrom + index).toISOString()}#${messageId}`;
      if (position >= before || position < from) continue;
      if (index % pageSize === 0) now = addSeconds(now, secondsPerPage);
      yield { messageId, position };
    }
  }

  const reading: { fault: Error | undefined } = { fault: undefined };
  const dependencies: Omit<AddMissedDependencies, 'endsAt'> = {
    clock: () => now,
    progress: {
      read: async () => structuredClone(stored),
      write: async (progress) => {
        stored = structuredClone(progress);
      },
    },
    // Three in a page.
    clientIds: async (after) => {
      const first = after === undefined ? 0 : ids.indexOf(after) + 1;
      const clientIds = ids.slice(first, first + 3);
      return { clientIds, next: first + 3 < ids.length ? clientIds.at(-1) : undefined };
    },
    list: { keys },
    messages: {
      get: async () => {
        throw reading.fault ?? new Error('not there');
      },
      getMany: async (messageIds) => {
        if (reading.fault !== undefined) throw reading.fault;
        return messageIds.map((message_id) => aMessage({ message_id, status: 'queued', ...row }));
      },
    },
    lostRecords: noLostRecords,
    dueItemIndex: {
      add: async (list, items) => {
        for (const item of items) {
          if (list === 'scheduled') timed.push(item);
          else added.set(item.id, (added.get(item.id) ?? 0) + 1);
        }
      },
      due: () => {
        throw new Error('not read');
      },
      remove: async () => {},
    },
  };

  return {
    added,
    timed,
    reading,
    progress: () => stored,
    countOf: (clientId: string) => [...added.keys()].filter((id) => id.startsWith(`${clientId} `)).length,
    /** @param killedAfterSeconds - the process is gone then; the first call after that never returns */
    async run(killedAfterSeconds = Number.POSITIVE_INFINITY) {
      const killedAt = now.getTime() + killedAfterSeconds * 1000;
      const killed = new Error('killed');
      const alive =
        <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
        async (...args: Args) => {
          if (now.getTime() > killedAt) throw killed;
          return call(...args);
        };
      const { progress, messages, dueItemIndex } = dependencies;
      return addMissedMessages({
        ...dependencies,
        progress: { read: alive(progress.read), write: alive(progress.write) },
        messages: { get: alive(messages.get), getMany: alive(messages.getMany) },
        dueItemIndex: { ...dueItemIndex, add: alive(dueItemIndex.add) },
        endsAt: addSeconds(now, runSeconds),
      }).catch((error: unknown) => {
        if (error !== killed) throw error;
        return { added: 0, failures: [] };
      });
    },
  };
}

it('a scheduled message, and a leg that follows, come from the list of what is due at a time, as the relay enters it', async () => {
  const scheduled = addSeconds(start, 86_400);
  const scheduling = scanOf({
    clients: { a: 1 },
    secondsPerPage: 0,
    row: { status: 'scheduled', scheduled_at: scheduled.toISOString() },
  });
  await scheduling.run();
  expect(scheduling.timed).toEqual([{ id: 'a 0000000', dueAt: addSeconds(scheduled, -840) }]);
  const plain = scanOf({ clients: { a: 1 }, secondsPerPage: 0 });
  await plain.run();
  expect([plain.added.size, plain.timed]).toEqual([1, []]);
});

it('a client with more messages than a run reads is read to its end, and no client waits for it', async () => {
  const scan = scanOf({
    clients: { large: 30_000, b: 5, c: 5, d: 5, e: 5, f: 5, g: 5, h: 5 },
    secondsPerPage: 0.5,
  });
  await scan.run();
  for (const small of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) expect(scan.countOf(small)).toBe(5);
  expect(scan.progress()?.done).toBe(false);
  for (let runs = 0; runs < 10 && scan.progress()?.done === false; runs += 1) await scan.run();
  expect(scan.progress()?.done).toBe(true);
  expect(scan.added.size).toBe(30_035);
  // Nothing is read again but for what one call may repeat.
  expect([...scan.added.values()].every((times) => times === 1)).toBe(true);
});

it('runs that are killed early make progress, and omit nothing', async () => {
  const scan = scanOf({ clients: { large: 10_000, b: 5 }, secondsPerPage: 0.5 });
  await scan.run(12);
  expect(scan.progress()?.open?.before.large).toBeDefined();
  for (let runs = 0; runs < 20 && scan.progress()?.done === false; runs += 1) await scan.run(12);
  expect(scan.progress()?.done).toBe(true);
  expect(scan.added.size).toBe(10_005);
});

it('a client whose list cannot be read delays nobody, and is read when it can be', async () => {
  let isThrottled = true;
  const scan = scanOf({
    clients: { a: 5, throttled: 5, c: 5, d: 5, e: 5 },
    secondsPerPage: 0.5,
    refuses: (clientId) => (clientId === 'throttled' && isThrottled ? throttled : undefined),
  });
  expect((await scan.run()).failures).toEqual([throttled]);
  expect(scan.added.size).toBe(20);
  expect(scan.progress()?.done).toBe(false);
  isThrottled = false;
  await scan.run();
  expect(scan.progress()?.done).toBe(true);
  expect(scan.added.size).toBe(25);
});

it('a message that cannot be read at this moment is read by the next run', async () => {
  const scan = scanOf({ clients: { a: 5 }, secondsPerPage: 0.5 });
  scan.reading.fault = throttled;
  expect((await scan.run()).failures).toHaveLength(1);
  scan.reading.fault = undefined;
  await scan.run();
  expect(scan.added.size).toBe(5);
});
