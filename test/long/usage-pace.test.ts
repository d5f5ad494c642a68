/**
 * Counting keeps up with 5,000 messages a second to 200 countries. Time is virtual: a call takes 15 ms, and a partition
 * writes 1,000 units and reads 3,000 a second.
 */
import { expect, it } from '@jest/globals';
import type { Message, Status } from '../../shared/message/message.ts';
import { usageChanges, usageCounter } from '../../shared/usage/count-changes.ts';
import { addUpNotes, type CountedChange, noteChanges } from '../../shared/usage/count-journal.dynamo.ts';
import { usageRowsOf } from '../../shared/usage/usage-reader.dynamo.ts';
import { inMemoryTables } from '../support/engine/in-memory-tables.ts';
import { testContext } from '../support/engine/test-context.ts';
import { aMessage } from '../support/message/example-message.ts';
import { streamRecords } from '../support/message/stream-records.ts';
import { type Item, itemBytes } from '../support/simulation/aws/attribute-values.ts';
import { virtualTime } from '../support/simulation/virtual-time.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
const messagesPerSecond = 5000;
const trafficSeconds = 65;
const countries = 200;
const clients = 10;
/** As many partitions as the table needs for these writes. */
const shards = 40;
const recordsOfMessage = 4;
const batchMax = 1000;
const windowMs = 60_000;
/** What the function takes to read a full batch. */
const readMs = 100;
const callMs = 15;

interface Found {
  readonly Item?: Item;
  readonly Items?: readonly Item[];
  readonly Responses?: Readonly<Record<string, readonly Item[]>>;
}

/** Calls of the tables take their time, and what their partitions have left of theirs. */
function slowTables(time: ReturnType<typeof virtualTime>) {
  const freeAtMs = new Map<string, number>();
  const used = { writeUnits: 0, readUnits: 0 };
  let writes: { partition: string; bytes: number }[] = [];
  const tables = inMemoryTables({
    onChange({ table, keys, before, after }) {
      const [partition] = Object.values(keys);
      const bytes = Math.max(itemBytes(before ?? {}), itemBytes(after ?? {}));
      writes.push({ partition: `${table} ${JSON.stringify(partition)}`, bytes });
      if (table === 'count_journal' && after === undefined)
        deleted(String(keys.entry && Object.values(keys.entry)[0]));
    },
    async around({ operation, input }, run) {
      await time.sleep(callMs);
      writes = [];
      const output = run();
      const each = operation.startsWith('Transact') ? 2 : 1;
      const taken = writes.map(({ partition, bytes }) => {
        const units = each * Math.max(1, Math.ceil(bytes / 1024));
        used.writeUnits += units;
        return { key: `write ${partition}`, ms: units };
      });
      const { Item, Items = [], Responses = {} } = output as Found;
      const read = [...(Item === undefined ? [] : [Item]), ...Items, ...Object.values(Responses).flat()];
      if (read.length > 0) {
        const units = Math.ceil(read.reduce((sum, item) => sum + itemBytes(item), 0) / 4096);
        used.readUnits += units;
        const { Key, ExpressionAttributeValues } = input as { Key?: Item; ExpressionAttributeValues?: Item };
        const [partition] = Object.values(Key ?? ExpressionAttributeValues ?? {});
        taken.push({ key: `read ${input.TableName} ${JSON.stringify(partition)}`, ms: units / 3 });
      }
      let untilMs = time.now();
      for (const { key, ms } of taken) {
        const free = Math.max(time.now(), freeAtMs.get(key) ?? 0) + ms;
        freeAtMs.set(key, free);
        untilMs = Math.max(untilMs, free - 1000);
      }
      if (untilMs > time.now()) await time.sleep(untilMs - time.now());
      return output;
    },
  });
  let deleted = (_entry: string): void => undefined;
  return {
    tables,
    used,
    onDeleted(listen: typeof deleted) {
      deleted = listen;
    },
  };
}

/** What the changes of a message add, for each client and country. */
function changesOfMessages(): (readonly CountedChange[])[] {
  const stream = streamRecords(() => start);
  return Array.from({ length: clients * countries }, (_, n) => {
    const country = `${String.fromCharCode(65 + (n % 20))}${String.fromCharCode(65 + (Math.floor(n / 20) % 10))}`;
    const first = aMessage({
      client_id: `client-${Math.floor(n / countries)}`,
      country,
      segments: 1,
      created_at: start.toISOString(),
    });
    const cost = { cost: 0.0042, currency: 'USD' };
    const rows: Message[] = (['queued', 'sending', 'sent', 'delivered'] as Status[]).map((status, i) => ({
      ...first,
      ...(i < 2 ? {} : cost),
      status,
    }));
    return usageChanges(rows.flatMap((row, i) => stream.change(rows[i - 1], row)));
  });
}

it('is less than a minute behind, and counts each message once', async () => {
  const time = virtualTime(start.getTime());
  const { tables, used, onDeleted } = slowTables(time);
  const clock = () => new Date(time.now());
  const counter = usageCounter(testContext(tables, { clock, sleep: time.sleep }));
  const changes = changesOfMessages();
  const endMs = start.getTime() + trafficSeconds * 1000;
  const everyMs = (1000 * shards) / (messagesPerSecond * recordsOfMessage);
  const oldestMs = new Map<string, number>();
  let behindMs = 0;
  onDeleted((entry) => {
    const since = oldestMs.get(entry);
    if (since === undefined) throw new Error(`no batch has ${entry}`);
    behindMs = Math.max(behindMs, time.now() - since);
    oldestMs.delete(entry);
  });
  let messages = 0;

  /** The records of a shard come one after the other, those of a message too. */
  async function readShard(shard: number): Promise<void> {
    let records = 0;
    let of: readonly CountedChange[] = [];
    const next = (): CountedChange => {
      if (records % recordsOfMessage === 0) {
        of = changes[(messages * 7919) % changes.length] ?? [];
        messages += 1;
      }
      const groups = of[records % recordsOfMessage]?.groups ?? new Map();
      records += 1;
      return { sequence: String(records), groups };
    };
    const arrivalMs = (record: number): number => start.getTime() + shard + record * everyMs;
    for (let windowEnds = start.getTime() + windowMs; ; windowEnds += windowMs) {
      const ends = Math.min(windowEnds, endMs);
      while (arrivalMs(records) < ends) {
        const oldest = arrivalMs(records);
        const full = arrivalMs(records + batchMax - 1);
        await time.sleep(Math.max(0, Math.min(full, ends) - time.now()));
        const batch: CountedChange[] = [];
        while (batch.length < batchMax && arrivalMs(records) <= Math.min(time.now(), ends))
          batch.push(next());
        const last = batch.findLast(({ groups }) => groups.size > 0)?.sequence;
        oldestMs.set(`note#shard-${shard}#${last}`, oldest);
        await time.sleep((readMs * batch.length) / batchMax);
        await noteChanges(counter, `shard-${shard}`, batch);
        await addUpNotes(counter, { waits: false });
      }
      await addUpNotes(counter, { waits: true });
      if (ends === endMs) return;
    }
  }

  let ended = false;
  const reading = Promise.all(Array.from({ length: shards }, (_, shard) => readShard(shard))).then(() => {
    ended = true;
  });
  while (!ended) await time.runUntil(time.now() + 1000);
  await reading;
  const [row] = await readNow(time, usageRowsOf(testContext(tables), '*', ['2026-11-20T10']));
  const counted = [...(row?.amounts ?? [])].reduce((n, [name, m]) => n + (name.endsWith('.m') ? m : 0), 0);
  expect(counted).toBe(messages);
  expect(oldestMs.size).toBe(0);
  expect(behindMs).toBeLessThan(60_000);
  expect(used.writeUnits / messages).toBeLessThan(0.06);
});

async function readNow<Value>(time: ReturnType<typeof virtualTime>, reading: Promise<Value>): Promise<Value> {
  await time.runUntil(time.now() + 10_000);
  return reading;
}
