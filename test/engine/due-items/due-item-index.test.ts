import { type BatchWriteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import {
  type DueItemEntry,
  type DueItemIndex,
  dueItemShards,
  dynamoDueItemIndex,
  dynamoDueItemReader,
  entriesOf,
  packDueItems,
} from '../../../shared/recovery/due-item-index.dynamo.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
let tables: TestTables;
// One for each test: a row that a test broke on purpose must not reach another.
beforeEach(async () => {
  tables = await createTables(['due_items']);
});
afterEach(() => tables.drop());

const newIds = (count: number) => Array.from({ length: count }, () => newId('msg', start));

async function due(dueItemIndex: DueItemIndex, until: Date): Promise<DueItemEntry[]> {
  const found: DueItemEntry[] = [];
  for (let shard = 0; shard < dueItemShards; shard += 1)
    for await (const entry of dueItemIndex.due('resends', shard, until)) found.push(entry);
  return found;
}

describe.each<[string, () => DueItemIndex]>([
  ['in memory', () => inMemoryStores().dueItemIndex],
  ['in the table', () => dynamoDueItemIndex(tables.dynamo, tables.names.due_items)],
])('the due-item index %s', (_where, newDueItemIndex) => {
  it('shows a row from its time on until it is taken out, and never before', async () => {
    const dueItemIndex = newDueItemIndex();
    const [id = ''] = newIds(1);
    const dueAt = addSeconds(start, 60);
    await dueItemIndex.add('resends', [{ id, dueAt }]);
    await dueItemIndex.add('resends', [{ id, dueAt }]);
    const mine = async (until: Date) =>
      (await due(dueItemIndex, until)).filter((entry) => entry.ids.includes(id));
    expect(await mine(addSeconds(dueAt, -0.001))).toEqual([]);
    const [entry, ...more] = await mine(dueAt);
    expect(more).toEqual([]);
    await dueItemIndex.remove([entry as DueItemEntry]);
    expect(await mine(addSeconds(dueAt, 1000))).toEqual([]);
  });

  it('keeps every row where two entries are due at one time and begin with the same row', async () => {
    const dueItemIndex = newDueItemIndex();
    const [first = '', second = '', third = ''] = newIds(3).toSorted();
    const dueAt = start;
    for (const other of [second, third])
      await dueItemIndex.add('resends', [
        { id: first, dueAt },
        { id: other, dueAt },
      ]);
    const shown = await due(dueItemIndex, dueAt);
    expect(shown.flatMap(({ ids }) => ids).toSorted()).toEqual([first, first, second, third]);
  });

  it('keeps its lists apart', async () => {
    const dueItemIndex = newDueItemIndex();
    const [id = ''] = newIds(1);
    await dueItemIndex.add('deliveries', [{ id, dueAt: start }]);
    expect((await due(dueItemIndex, start)).flatMap((entry) => entry.ids)).not.toContain(id);
  });

  it('shows everything of a list that is longer than a page, oldest first in each shard', async () => {
    const dueItemIndex = newDueItemIndex();
    const rows = newIds(1000).map((id, i) => ({ id, dueAt: addSeconds(start, 20 * i) }));
    await dueItemIndex.add('resends', rows);
    const shown = await due(dueItemIndex, addSeconds(start, 20_000));
    const ids = new Set(shown.flatMap((entry) => entry.ids));
    expect(rows.filter(({ id }) => !ids.has(id))).toEqual([]);
    for (const list of new Set(shown.map((entry) => entry.list))) {
      const positions = shown.filter((entry) => entry.list === list).map(({ position }) => position);
      expect(positions).toEqual(positions.toSorted());
    }
    await dueItemIndex.remove(shown);
    expect(await due(dueItemIndex, addSeconds(start, 20_000))).toEqual([]);
  });
});

it('an entry that was damaged by hand hides no other entry, and is reported', async () => {
  const dueItemIndex = dynamoDueItemIndex(tables.dynamo, tables.names.due_items);
  const broken = { list: 'resends#0', position: `${start.toISOString()}#a`, ids: 7 };
  await tables.dynamo.send(new PutCommand({ TableName: tables.names.due_items, Item: broken }));
  const good = { list: 'resends#0', position: `${start.toISOString()}#b`, ids: ['b'] };
  await tables.dynamo.send(new PutCommand({ TableName: tables.names.due_items, Item: good }));
  const shown: DueItemEntry[] = [];
  const reading = async () => {
    for await (const entry of dueItemIndex.due('resends', 0, start)) shown.push(entry);
  };
  await expect(reading()).rejects.toThrow('1 due-item entries cannot be read');
  expect(shown).toEqual([good]);
  // The other tests read the same table, in whatever order they come.
  await dueItemIndex.remove([{ ...broken, ids: [] }, good]);
});

it('gathers every row once, none before its time nor more than 15 s after it, and keeps entries within a write unit', () => {
  const anAppointment = fc.record({
    id: fc.constantFrom('msg', 'whd').map((prefix) => newId(prefix as 'msg' | 'whd', start)),
    dueAt: fc.integer({ min: 0, max: 90 }).map((seconds) => addSeconds(start, seconds)),
  });
  fc.assert(
    fc.property(fc.array(anAppointment, { maxLength: 120 }), (dueItems) => {
      const entries = packDueItems(dueItems);
      const entered = entries.flatMap((entry) => entry.ids);
      expect(entered.toSorted()).toEqual(dueItems.map(({ id }) => id).toSorted());
      for (const { id, dueAt } of dueItems) {
        const entry = entries.find((candidate) => candidate.ids.includes(id));
        const lateMs = (entry?.dueAt.getTime() ?? Number.NaN) - dueAt.getTime();
        expect(lateMs).toBeGreaterThanOrEqual(0);
        expect(lateMs).toBeLessThanOrEqual(15_000);
      }
      for (const row of entriesOf('deliveries', dueItems))
        expect(JSON.stringify(row).length).toBeLessThan(1000);
    }),
  );
});

it('takes out every entry, also those that a throttled table leaves undone at first', async () => {
  const entries = Array.from({ length: 60 }, (_, i) => ({ list: 'resends#0', position: `p${i}`, ids: [] }));
  const sizes: number[] = [];
  const removed: unknown[] = [];
  const client = {
    send: async ({ input }: BatchWriteCommand) => {
      const deletes = input.RequestItems?.due_items ?? [];
      sizes.push(deletes.length);
      const done = deletes.length > 20 ? 15 : deletes.length;
      removed.push(...deletes.slice(0, done).map(({ DeleteRequest }) => DeleteRequest?.Key?.position));
      return { UnprocessedItems: { due_items: deletes.slice(done) } };
    },
  } as unknown as DynamoDBDocumentClient;
  await dynamoDueItemIndex(client, 'due_items').remove(entries);
  expect(sizes).toEqual([25, 10, 25, 10, 10]);
  expect(removed).toEqual(entries.map(({ position }) => position));
});

it('a look at a range has the earliest entries of each shard in it, and no more than asked for', async () => {
  const dueItemIndex = dynamoDueItemIndex(tables.dynamo, tables.names.due_items);
  const reader = dynamoDueItemReader(tables.dynamo, tables.names.due_items);
  const [tooEarly = '', tooLate = '', ...inside] = newIds(30);
  await dueItemIndex.add('resends', [
    { id: tooEarly, dueAt: addSeconds(start, -30) },
    { id: tooLate, dueAt: addSeconds(start, 930) },
    // More than 15 s apart, so each has an entry of its own.
    ...inside.map((id, index) => ({ id, dueAt: addSeconds(start, 30 * index) })),
  ]);
  const range = { from: start, until: addSeconds(start, 900) };
  const all = await reader.earliestIn('resends', range, 100);
  expect(all.toSorted()).toEqual(inside.toSorted());
  const some = await reader.earliestIn('resends', range, 1);
  expect(some.length).toBeLessThanOrEqual(dueItemShards);
  expect(some).toContain(inside[0]);
  expect(await reader.earliestIn('deliveries', range, 100)).toEqual([]);
});
