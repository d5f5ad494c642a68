/**
 * What must be looked at again, and when: a message until it is final, a webhook until it is acknowledged or has failed.
 * Nothing unfinished is ever without an entry here, so whatever a queue, a schedule or a worker loses is found.
 *
 * An entry names up to 25 rows that are due about the same time, so it costs each of them a small part of a write
 * unit, where an index on the row would cost two whole ones. Nobody moves an entry when its rows change: whoever looks
 * asks the rows themselves.
 */
export type AgendaList = 'messages' | 'deliveries';

export interface Appointment {
  /** The row to look at. */
  readonly id: string;
  readonly dueAt: Date;
}

export interface AgendaEntry {
  /** The list and its shard: `messages#0`. */
  readonly list: string;
  /** When it is due, and the first of its ids: `2026-11-20T10:00:00.000Z#msg_…`. */
  readonly position: string;
  readonly ids: readonly string[];
}

export interface Agenda {
  /** Repeating it does no harm. @throws when any of them is not surely entered. */
  add(list: AgendaList, appointments: readonly Appointment[]): Promise<void>;
  /** The entries of one shard that are due, oldest first, page by page. */
  due(list: AgendaList, shard: number, until: Date): AsyncIterable<AgendaEntry>;
  remove(entry: AgendaEntry): Promise<void>;
}

/** Each carries 1,000 writes a second, which is 25,000 rows at best. */
export const agendaShards = 4;

/** With ids of 30 characters an entry stays below one kilobyte, one write unit. */
const idsPerEntry = 25;
/** How much later than promised a row may be looked at for the company of others. */
const togetherWithinMs = 15_000;

export interface Gathered {
  /** That of the last of its rows: none is looked at too early. */
  readonly dueAt: Date;
  readonly ids: readonly string[];
}

/** Gathers what is due about the same time: the same appointments always make the same entries. */
export function gathered(appointments: readonly Appointment[]): Gathered[] {
  const entries: { from: number; dueAt: Date; ids: string[] }[] = [];
  const inOrder = appointments.toSorted(
    (a, b) => a.dueAt.getTime() - b.dueAt.getTime() || (a.id < b.id ? -1 : 1),
  );
  for (const { id, dueAt } of inOrder) {
    const open = entries.at(-1);
    const fits = open !== undefined && dueAt.getTime() - open.from <= togetherWithinMs;
    if (fits && open.ids.length < idsPerEntry) {
      open.dueAt = dueAt;
      open.ids.push(id);
    } else {
      entries.push({ from: dueAt.getTime(), dueAt, ids: [id] });
    }
  }
  return entries;
}
