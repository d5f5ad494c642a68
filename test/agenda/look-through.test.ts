import { describe, expect, it } from '@jest/globals';
import type { Agenda } from '../../shared/agenda/agenda.ts';
import { type Looked, lookThrough } from '../../shared/agenda/look-through.ts';
import { readRows } from '../../shared/agenda/read-rows.ts';
import { addSeconds } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { agendaThrough, memoryAgenda } from '../support/memory-agenda.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
const rows = Array.from({ length: 60 }, () => newId('msg', start));
const whenFinished = async (): Promise<Looked> => new Map();
const runOf = (agenda: Agenda, now = start) => ({ agenda, clock: () => now, budgetMs: 40_000 });

async function filled() {
  const agenda = memoryAgenda();
  await agenda.add(
    'messages',
    rows.map((id, i) => ({ id, dueAt: addSeconds(start, -i) })),
  );
  return agenda;
}

const idsIn = (agenda: { all(): readonly { ids: readonly string[] }[] }) =>
  new Set(agenda.all().flatMap(({ ids }) => ids));

describe('a run through the agenda', () => {
  it('takes out what is finished, and moves the rest to its next time', async () => {
    const agenda = await filled();
    const unfinished = rows[7] ?? '';
    const later = addSeconds(start, 300);
    const look = async (ids: readonly string[]): Promise<Looked> =>
      new Map(ids.map((id) => [id, id === unfinished ? later : undefined]));
    expect(await lookThrough(runOf(agenda), 'messages', look)).toEqual({ cutShort: false, failures: [] });
    expect(agenda.all().map(({ ids, position }) => [ids, position.slice(0, 24)])).toEqual([
      [[unfinished], later.toISOString()],
    ]);
  });

  it('never finds in the same run what it put off, even to a time that is over', async () => {
    const agenda = await filled();
    let looks = 0;
    const look = async (ids: readonly string[]): Promise<Looked> => {
      looks += ids.length;
      return new Map(ids.map((id) => [id, addSeconds(start, -100)]));
    };
    await lookThrough(runOf(agenda), 'messages', look);
    expect(looks).toBe(rows.length);
    expect(idsIn(agenda)).toEqual(new Set(rows));
  });

  it('looks at the others when one row cannot be looked at, tells of it, and comes back to it', async () => {
    const agenda = await filled();
    const poison = rows[3] ?? '';
    const look = async (ids: readonly string[]): Promise<Looked> =>
      new Map(ids.map((id) => [id, id === poison ? new Error('unreadable') : undefined]));
    const { failures } = await lookThrough(runOf(agenda), 'messages', look);
    expect(failures).toEqual([new Error('unreadable')]);
    expect(idsIn(agenda)).toEqual(new Set([poison]));
    const again = await lookThrough(runOf(agenda, addSeconds(start, 301)), 'messages', whenFinished);
    expect(again.failures).toEqual([]);
    expect(agenda.all()).toEqual([]);
  });

  it('leaves nothing unfinished without an entry, whichever call fails or is the last of its run', async () => {
    const later = addSeconds(start, 300);
    const look = async (ids: readonly string[]): Promise<Looked> => new Map(ids.map((id) => [id, later]));
    for (const mode of ['fails', 'fails after it took effect', 'ends the run']) {
      for (let at = 0; at < 12; at += 1) {
        const agenda = await filled();
        let calls = 0;
        const through = agendaThrough(agenda, async (_name, act) => {
          calls += 1;
          const here = calls - 1 === at;
          if (mode === 'ends the run' && calls - 1 >= at) return new Promise(() => {});
          if (mode === 'fails' && here) throw new Error('failed');
          const value = await act();
          if (here) throw new Error('the answer was lost');
          return value;
        });
        const run = lookThrough(runOf(through), 'messages', look);
        await Promise.race([run, new Promise((resolve) => setTimeout(resolve, 5))]);
        expect(idsIn(agenda)).toEqual(new Set(rows));
      }
    }
  });

  it('ends in time, and leaves the rest to the next run', async () => {
    const agenda = memoryAgenda();
    const many = Array.from({ length: 1000 }, () => newId('msg', start));
    await agenda.add(
      'messages',
      many.map((id, i) => ({ id, dueAt: addSeconds(start, -20 * i) })),
    );
    let now = start;
    const look = async (): Promise<Looked> => {
      now = addSeconds(now, 30);
      return new Map();
    };
    const first = await lookThrough({ agenda, clock: () => now, budgetMs: 40_000 }, 'messages', look);
    expect(first.cutShort).toBe(true);
    while (agenda.all().length > 0)
      await lookThrough({ agenda, clock: () => now, budgetMs: 40_000 }, 'messages', look);
  });
});

describe('the rows of an entry', () => {
  const idOf = (row: string) => row;

  it('that a reading of a moment ago does not show are asked for surely before they count as gone', async () => {
    const reader = { get: async (id: string) => id, getMany: async () => ['a'] };
    expect([...(await readRows(reader, ['a', 'b'], idOf)).keys()]).toEqual(['a', 'b']);
  });

  it('are read one by one where one among them cannot be, so that it alone fails', async () => {
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
