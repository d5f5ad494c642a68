/** The bounds of the run of each minute: how much it queues, what it leaves, and that a bad row delays no other. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { sendKinds } from '../../../shared/contract/channels.ts';
import { type DueRows, dueRowsOf, rowsDueLater } from '../../../shared/due/due-rows.dynamo.ts';
import { type DueRun, queueDueRows } from '../../../shared/due/queue-due-rows.ts';
import { dueEntryOf, type OutboundEntry } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { refusal } from '../../support/engine/strict-sqs.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { virtualTime } from '../../support/simulation/virtual-time.ts';

const start = new Date('2026-11-20T10:00:00.000Z');

function usualRun(change: Partial<DueRun<OutboundEntry>> = {}) {
  const tables = inMemoryTables();
  const queued: string[] = [];
  const bad: unknown[] = [];
  const context = testContext(tables, {
    clock: () => start,
    log: { info: () => {}, warn: () => {}, error: (_text, { message_id } = {}) => void bad.push(message_id) },
  });
  const run: DueRun<OutboundEntry> = {
    rows: dueRowsOf(context, tables.names.messages, 'message_id'),
    entryOf: dueEntryOf,
    enqueue: async (entries) => void queued.push(...entries.map(({ messageId }) => messageId)),
    kinds: sendKinds,
    waiting: async () => 0,
    ...change,
  };
  return {
    tables,
    context,
    queued,
    bad,
    run: () => queueDueRows(context, run),
    put: (message_id: string, more: object = {}) =>
      tables.dynamo.send(
        new PutCommand({
          TableName: tables.names.messages,
          Item: {
            ...{ message_id, client_id: 'client-a', due_shard: '7', due_at: start.toISOString() },
            ...more,
          },
        }),
      ),
    row: (id: string) => tables.rows('messages').find(({ message_id }) => message_id === id),
  };
}

it('1,000 rows that cannot be read, at the head of a shard, and one that its queue refuses delay no other', async () => {
  const { queued, bad, run, put, row } = usualRun({
    enqueue: async (entries) => {
      if (entries.some(({ messageId }) => messageId === 'refused')) throw refusal('InvalidMessageContents');
      queued.push(...entries.map(({ messageId }) => messageId));
    },
  });
  const earlier = addSeconds(start, -60).toISOString();
  for (let index = 0; index < 1000; index += 1) await put(`bad-${index}`, { client_id: 17, due_at: earlier });
  await put('refused');
  for (let index = 0; index < 100; index += 1) await put(`good-${index}`);
  expect(await run()).toMatchObject({ queued: 100, bad: 1001, failures: [] });
  expect(new Set(queued).size).toBe(100);
  expect(bad).toHaveLength(1001);
  for (const id of ['bad-0', 'refused']) expect(row(id)?.due_at).toBe(addSeconds(start, 3600).toISOString());
  expect(await run()).toMatchObject({ queued: 0, bad: 0 });
});

it('while more than 10,000 messages wait in a queue, no row is queued there a second time', async () => {
  let waiting = 10_001;
  const { queued, run, put } = usualRun({ waiting: async (kind) => (kind === 'bulk' ? waiting : 0) });
  await put('bulk-first', { batch_id: 'bat_1' });
  await put('bulk-again', { batch_id: 'bat_1', due_looks: 1 });
  await put('otp-again', { otp: { otp_id: 'otp_1' }, due_looks: 1 });
  expect(await run()).toMatchObject({ queued: 2, left: 1 });
  expect(queued.toSorted()).toEqual(['bulk-first', 'otp-again']);
  waiting = 9000;
  expect(await run()).toMatchObject({ queued: 1, left: 0 });
});

it('a row that is finished, or moved by a worker, after it was read stays as it is', async () => {
  const { run, put, row } = usualRun({
    enqueue: async () => {
      await put('finished', { due_shard: undefined, due_at: undefined });
      await put('moved', { due_at: addSeconds(start, 500).toISOString() });
    },
  });
  await put('finished');
  await put('moved');
  expect(await run()).toMatchObject({ queued: 2, failures: [] });
  expect(row('finished')?.due_at).toBeUndefined();
  expect(row('moved')).toMatchObject({ due_at: addSeconds(start, 500).toISOString() });
});

/** The release tests take a million. They are handed over in 1,000 s. */
const dueRows = Number(process.env.DUE_ROWS ?? 100_000);

it('many messages of one minute are queued at most 1.5 times each, and another client waits 3 s at most', async () => {
  const count = dueRows;
  const dueMs = start.getTime() + 120_000;
  const time = virtualTime(start.getTime());
  const looks = new Uint8Array(count);
  const dueAtMs = new Float64Array(count).fill(dueMs);
  const done = new Uint8Array(count);
  const again: number[][] = Array.from({ length: 32 }, () => []);
  let queuedMessages = 0;
  let handedOver = 0;
  const big: number[] = [];
  let head = 0;
  /** The other client's messages: the time of each send, and its wait. */
  const sent: number[] = [];
  const waitsMs: number[] = [];
  const rowOf = (index: number) => ({
    message_id: String(index),
    client_id: 'big',
    due_at: new Date(dueAtMs[index] ?? 0).toISOString(),
    ...(looks[index] === 0 ? {} : { due_looks: looks[index] }),
  });
  const rows: DueRows = {
    async *pages(shard, until, which) {
      const all =
        which === 'again'
          ? (again[shard] ?? [])
          : Array.from({ length: count / 32 }, (_, index) => index * 32 + shard).filter(
              (index) => looks[index] === 0,
            );
      const due = all.filter((index) => done[index] === 0 && (dueAtMs[index] ?? 0) <= until.getTime());
      for (let from = 0; from < due.length; from += 4000) yield due.slice(from, from + 4000).map(rowOf);
    },
    async move({ message_id }, dueAt, seen) {
      const index = Number(message_id);
      if (done[index] === 1) return;
      if (looks[index] === 0) again[index % 32]?.push(index);
      looks[index] = seen;
      dueAtMs[index] = dueAt.getTime();
    },
  };
  const run: DueRun<OutboundEntry> = {
    rows,
    entryOf: dueEntryOf,
    async enqueue(entries) {
      queuedMessages += entries.length;
      const [{ delaySeconds } = { delaySeconds: 0 }] = entries;
      const indexes = entries.map(({ messageId }) => Number(messageId));
      time.at(time.now() + delaySeconds * 1000, () => void big.push(...indexes));
    },
    kinds: sendKinds,
    waiting: async () => big.length - head,
  };
  const context = testContext(undefined, { clock: () => new Date(time.now()), sleep: time.sleep });
  /** SQS takes the clients in turns. */
  function handOver(): void {
    for (let taken = 0; taken < count / 10_000; taken += 1) {
      const sentAtMs = sent.shift();
      if (sentAtMs !== undefined) waitsMs.push(time.now() - sentAtMs);
      const index = big[head];
      if (index === undefined) break;
      head += 1;
      if (done[index] === 1) continue;
      done[index] = 1;
      handedOver += 1;
    }
    if (handedOver < count) time.at(time.now() + 100, handOver);
  }
  const failures: unknown[] = [];
  function runEachMinute(): void {
    queueDueRows(context, run).then((ended) => failures.push(...ended.failures));
    time.at(time.now() + 60_000, runEachMinute);
  }
  function sendOne(): void {
    sent.push(time.now());
    time.at(time.now() + 10_000, sendOne);
  }
  handOver();
  runEachMinute();
  sendOne();
  await time.runUntil(dueMs + 1_200_000);
  expect(failures).toEqual([]);
  expect(handedOver).toBe(count);
  expect(queuedMessages / count).toBeLessThanOrEqual(1.5);
  expect(Math.max(...waitsMs)).toBeLessThanOrEqual(3000);
}, 600_000);

it('rows that are due later are found in each shard, the earliest first and no more than asked for', async () => {
  const { context, put, tables } = usualRun();
  for (let index = 0; index < 5; index += 1)
    await put(`row-${index}`, {
      due_shard: index < 4 ? '7' : '8',
      due_at: addSeconds(start, index * 60).toISOString(),
    });
  const between = { from: addSeconds(start, 60), until: addSeconds(start, 240), rowsPerShard: 2 };
  const rows = await rowsDueLater(context, tables.names.messages, between);
  expect(rows.map(({ message_id }) => message_id)).toEqual(['row-1', 'row-2', 'row-4']);
});
