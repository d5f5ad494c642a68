/** The agenda in memory, held to the same tests as the table. */
import {
  type Agenda,
  type AgendaEntry,
  entriesOf,
  listKey,
  positionAfter,
} from '../../shared/agenda/agenda.ts';

interface MemoryAgenda extends Agenda {
  /** Everything that stands in it. */
  all(): readonly AgendaEntry[];
}

export function memoryAgenda(): MemoryAgenda {
  const entries = new Map<string, AgendaEntry>();
  const keyOf = ({ list, position }: Pick<AgendaEntry, 'list' | 'position'>) => `${list} ${position}`;

  return {
    all: () => [...entries.values()],

    async add(list, appointments) {
      for (const entry of entriesOf(list, appointments)) entries.set(keyOf(entry), entry);
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

/** An agenda each of whose calls goes through `call`, which may fail it. */
export function agendaThrough(
  agenda: Agenda,
  call: <T>(name: string, act: () => Promise<T>) => Promise<T>,
): Agenda {
  return {
    add: (...added) => call('agenda add', () => agenda.add(...added)),
    remove: (entries) => call('agenda remove', () => agenda.remove(entries)),
    async *due(...asked) {
      yield* await call('agenda due', async () => {
        const found: AgendaEntry[] = [];
        for await (const entry of agenda.due(...asked)) found.push(entry);
        return found;
      });
    },
  };
}
