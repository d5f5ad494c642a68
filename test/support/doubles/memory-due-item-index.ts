/** The due-item index in memory; passes the same tests as the table. */
import {
  type DueItemEntry,
  type DueItemIndex,
  type DueItemList,
  dueItemShards,
  entriesOf,
  listKey,
  positionAfter,
} from '../../../shared/due-items/due-item-index.ts';

interface MemoryDueItemIndex extends DueItemIndex {
  /** All entries. */
  all(): readonly DueItemEntry[];
  /** Whether any shard has an entry that is due. */
  isDue(list: DueItemList, until: Date): boolean;
}

export function memoryDueItemIndex(): MemoryDueItemIndex {
  /** By list and shard, then by position. */
  const shards = new Map<string, Map<string, DueItemEntry>>();

  const keysOf = (list: DueItemList) =>
    Array.from({ length: dueItemShards }, (_, shard) => listKey(list, shard));
  const keys = { messages: keysOf('messages'), deliveries: keysOf('deliveries'), resends: keysOf('resends') };

  function dueIn(key: string, until: Date): DueItemEntry[] {
    const end = positionAfter(until);
    return [...(shards.get(key)?.values() ?? [])].filter(({ position }) => position < end);
  }

  return {
    all: () => [...shards.values()].flatMap((entries) => [...entries.values()]),

    isDue(list, until) {
      const positions = keys[list].flatMap((key) => [...(shards.get(key)?.keys() ?? [])]);
      if (positions.length === 0) return false;
      const end = positionAfter(until);
      return positions.some((position) => position < end);
    },

    async add(list, dueItems) {
      for (const entry of entriesOf(list, dueItems)) {
        const entries = shards.get(entry.list) ?? new Map<string, DueItemEntry>();
        shards.set(entry.list, entries.set(entry.position, entry));
      }
    },

    async *due(list, shard, until) {
      yield* dueIn(listKey(list, shard), until).toSorted((a, b) => (a.position < b.position ? -1 : 1));
    },

    async remove(removed) {
      for (const { list, position } of removed) shards.get(list)?.delete(position);
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
