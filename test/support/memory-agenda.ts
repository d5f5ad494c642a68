/** The agenda in memory, held to the same tests as the table. */
import { type Agenda, type AgendaEntry, agendaShards, gathered } from '../../shared/agenda/agenda.ts';
import { shardOf } from '../../shared/shard.ts';

export interface MemoryAgenda extends Agenda {
  /** Everything that stands in it. */
  all(): readonly AgendaEntry[];
}

export function memoryAgenda(): MemoryAgenda {
  const entries = new Map<string, AgendaEntry>();
  const keyOf = ({ list, position }: Pick<AgendaEntry, 'list' | 'position'>) => `${list} ${position}`;

  return {
    all: () => [...entries.values()],

    async add(list, appointments) {
      for (const { dueAt, ids } of gathered(appointments)) {
        const [first = ''] = ids;
        const entry = {
          list: `${list}#${shardOf(first, agendaShards)}`,
          position: `${dueAt.toISOString()}#${first}`,
          ids,
        };
        entries.set(keyOf(entry), entry);
      }
    },

    async *due(list, shard, until) {
      const limit = `${until.toISOString()}~`;
      const due = [...entries.values()].filter(
        (entry) => entry.list === `${list}#${shard}` && entry.position < limit,
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
