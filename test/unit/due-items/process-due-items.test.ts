import { describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import type { DueItemIndex } from '../../../shared/recovery/due-item-index.dynamo.ts';
import { processDueItems, type ReviewResult, readRows } from '../../../shared/recovery/process-due-items.ts';
import { type InMemoryTables, inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import type { AroundCall } from '../../support/simulation/direct-database.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
const rows = Array.from({ length: 60 }, () => newId('msg', start));
const whenFinished = async (): Promise<ReviewResult> => new Map();
const runOf = (dueItemIndex: DueItemIndex, now = start) => ({
  dueItemIndex,
  clock: () => now,
  budgetMs: 40_000,
});

async function filled(tables?: InMemoryTables) {
  const { dueItemIndex } = inMemoryStores(tables);
  await dueItemIndex.add(
    'deliveries',
    rows.map((id, i) => ({ id, dueAt: addSeconds(start, -i) })),
  );
  return dueItemIndex;
}

const idsIn = (dueItemIndex: { all(): readonly { ids: readonly string[] }[] }) =>
  new Set(dueItemIndex.all().flatMap(({ ids }) => ids));

describe('a run over the due items', () => {
  it('removes finished rows, and moves the others to their next time', async () => {
    const dueItemIndex = await filled();
    const unfinished = rows[7] ?? '';
    const later = addSeconds(start, 300);
    const review = async (ids: readonly string[]): Promise<ReviewResult> =>
      new Map(ids.map((id) => [id, id === unfinished ? later : undefined]));
    expect(await processDueItems(runOf(dueItemIndex), 'deliveries', review)).toEqual({
      cutShort: false,
      failures: [],
    });
    expect(dueItemIndex.all().map(({ ids, position }) => [ids, position.slice(0, 24)])).toEqual([
      [[unfinished], later.toISOString()],
    ]);
  });

  it('does not review a row twice in one run, even if its next time is past', async () => {
    const dueItemIndex = await filled();
    let looks = 0;
    const review = async (ids: readonly string[]): Promise<ReviewResult> => {
      looks += ids.length;
      return new Map(ids.map((id) => [id, addSeconds(start, -100)]));
    };
    await processDueItems(runOf(dueItemIndex), 'deliveries', review);
    expect(looks).toBe(rows.length);
    expect(idsIn(dueItemIndex)).toEqual(new Set(rows));
  });

  it('reviews the other rows if one fails, reports the error, and reviews that row later', async () => {
    const dueItemIndex = await filled();
    const poison = rows[3] ?? '';
    const review = async (ids: readonly string[]): Promise<ReviewResult> =>
      new Map(ids.map((id) => [id, id === poison ? new Error('unreadable') : undefined]));
    const { failures } = await processDueItems(runOf(dueItemIndex), 'deliveries', review);
    expect(failures).toEqual([new Error('unreadable')]);
    expect(idsIn(dueItemIndex)).toEqual(new Set([poison]));
    const again = await processDueItems(
      runOf(dueItemIndex, addSeconds(start, 301)),
      'deliveries',
      whenFinished,
    );
    expect(again.failures).toEqual([]);
    expect(dueItemIndex.all()).toEqual([]);
  });

  it('leaves no unfinished row without an entry, if any call fails or is the last of its run', async () => {
    const later = addSeconds(start, 300);
    const review = async (ids: readonly string[]): Promise<ReviewResult> =>
      new Map(ids.map((id) => [id, later]));
    for (const mode of ['fails', 'fails after it took effect', 'ends the run']) {
      for (let at = 0; at < 12; at += 1) {
        let calls = Number.NEGATIVE_INFINITY;
        const around: AroundCall = (_call, run) => {
          calls += 1;
          const here = calls - 1 === at;
          if (mode === 'ends the run' && calls - 1 >= at) return new Promise(() => {});
          if (mode === 'fails' && here) throw new Error('failed');
          const value = run();
          if (here) throw new Error('the response was lost');
          return value;
        };
        const dueItemIndex = await filled(inMemoryTables({ around }));
        calls = 0;
        const run = processDueItems(runOf(dueItemIndex), 'deliveries', review);
        await Promise.race([run, new Promise((resolve) => setTimeout(resolve, 5))]);
        expect(idsIn(dueItemIndex)).toEqual(new Set(rows));
      }
    }
  });

  it('ends in time, and leaves the rest to the next run', async () => {
    const { dueItemIndex } = inMemoryStores();
    const many = Array.from({ length: 1000 }, () => newId('msg', start));
    await dueItemIndex.add(
      'deliveries',
      many.map((id, i) => ({ id, dueAt: addSeconds(start, -20 * i) })),
    );
    let now = start;
    const review = async (): Promise<ReviewResult> => {
      now = addSeconds(now, 30);
      return new Map();
    };
    const first = await processDueItems(
      { dueItemIndex, clock: () => now, budgetMs: 40_000 },
      'deliveries',
      review,
    );
    expect(first.cutShort).toBe(true);
    while (dueItemIndex.all().length > 0)
      await processDueItems({ dueItemIndex, clock: () => now, budgetMs: 40_000 }, 'deliveries', review);
  });
});

describe('the rows of an entry', () => {
  const idOf = (row: string) => row;

  it('are read consistently before they count as missing', async () => {
    const reader = { get: async (id: string) => id, getMany: async () => ['a'] };
    expect([...(await readRows(reader, ['a', 'b'], idOf)).keys()]).toEqual(['a', 'b']);
  });

  it('are read separately if one cannot be read, so that only this one fails', async () => {
    const reader = {
      get: async (id: string) => {
        if (id === 'b') throw new Error('unreadable');
        return id;
      },
      getMany: async () => {
        throw new Error('one of them is unreadable');
      },
    };
    const read = await readRows(reader, ['a', 'b', 'c'], idOf);
    expect(read.get('a')).toBe('a');
    expect(read.get('b')).toEqual(new Error('unreadable'));
    expect(read.get('c')).toBe('c');
  });
});
