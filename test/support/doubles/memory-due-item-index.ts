/** The due-item index in memory; passes the same tests as the table. */
import {
  type DueItemEntry,
  type DueItemIndex,
  entriesOf,
  listKey,
  positionAfter,
} from '../../../shared/due-items/due-item-index.ts';

interface MemoryDueItemIndex extends DueItemIndex {
  /** All entries. */
  all(): readonly DueItemEntry[];
}

export function memoryDueItemIndex(): MemoryDueItemIndex {
  const entries = new Map<string, DueItemEntry>();
  const keyOf = ({ list, position }: Pick<DueItemEntry, 'list' | 'position'>) => `${list} ${position}`;

  return {
    all: () => [...entries.values()],

    async add(list, dueItems) {
      for (const entry of entriesOf(list, dueItems)) entries.set(keyOf(entry), entry);
    },

    async *due(list, shard, until) {
      const due = [...entries.values()].filter(
        (entry) => entry.list === listKey(list, shard) && entry.position < positionAfter(until),
      );
      yield* due.toSorted((a, b) => (a.position < b.position ? -1 : 1));
    },

    async remove(removed) {
      for (const entry of removed) entries.delete(keyOf(entry));
    },
  };
}

/** A due-item index whose calls go through `call`, which may fail them. */
export function dueItemThrough(
  dueItemIndex: DueItemIndex,
  call: <T>(name: string, act: () => Promise<T>) => Promise<T>,
): DueItemIndex {
  return {
    add: (...added) => call('dueItemIndex add', () => dueItemIndex.add(...added)),
    remove: (entries) => call('dueItemIndex remove', () => dueItemIndex.remove(entries)),
    async *due(...asked) {
      yield* await call('dueItemIndex due', async () => {
        const found: DueItemEntry[] = [];
        for await (const entry of dueItemIndex.due(...asked)) found.push(entry);
        return found;
      });
    },
  };
}
