/**
 * Adds what records of a stream amount to, each record exactly once. A stream repeats records, in other batches, also
 * while an earlier worker still runs, and a worker may die at any line. Therefore the sums and the ids of the records in
 * them are written by one transaction:
 *
 *   read the ids that are counted of a minute ─ crash → nothing is written; the stream repeats the batch
 *   one transaction: the next part of that minute's ids, and the sums ─ crash → it is written as a whole or not at all,
 *                    and the repeated batch finds its ids
 *
 * The parts of a minute are numbered and written once: who did not see the latest part cannot write the next one, and
 * reads again. A record's minute is the one of its change, so every repetition looks at the same ids. They are kept
 * longer than the 24 hours of the stream.
 */
import { createHash } from 'node:crypto';
import type { Sleep } from '../platform/clock.ts';
import { retry } from '../platform/retry.ts';
import type { Amounts } from './amounts.ts';

/** The addition to one row. */
interface Addition {
  readonly amounts: Amounts;
}

export interface StreamRecordIdentity {
  /** Unique for the record, the same each time it is repeated. */
  readonly eventId: string;
  /** The time at which the row changed, the same on each repetition; exact to the second or better. */
  readonly changedAt: Date;
}

/** One record of a stream, with what it adds. */
interface CountedRecord<Row extends Addition> extends StreamRecordIdentity {
  readonly additions: readonly Row[];
  /** Records of the same group are next to each other in the transactions, because their rows are the same. */
  readonly group: string;
}

export interface OnceCounter<Row extends Addition> {
  /** The records that are counted of this minute, and in how many parts they were written; the latest state. */
  counted(minute: string): Promise<{ readonly ids: ReadonlySet<string>; readonly parts: number }>;
  /**
   * Writes this part of the minute's ids, and adds the amounts, as a whole or not at all.
   *
   * @returns false if nothing was written because the part exists, or another transaction has one of the rows
   */
  count(minute: string, part: number, ids: readonly string[], additions: readonly Row[]): Promise<boolean>;
}

export interface CountOnceDependencies<Row extends Addition> {
  readonly counter: OnceCounter<Row>;
  readonly sleep: Sleep;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

export interface CountedChanges {
  readonly counted: number;
  /** Records that had been counted before. */
  readonly repeated: number;
}

/** The length of an id in hexadecimal digits: 80 bits, which no two records of one minute share. */
export const idDigits = 20;
/** DynamoDB takes 100 rows in a transaction; a client has one for each interval, and so have all clients. */
const rowsMax = 90;
/** An update's expression has at most 4 KB, about 11 bytes for an attribute. */
const attributesMax = 300;
const conflictRetries = 10;

class Conflict extends Error {}

/**
 * @param rowOf - the key of the row that an addition is for
 * @throws when something may not be counted: all records must be passed again.
 */
export async function countOnce<Row extends Addition>(
  dependencies: CountOnceDependencies<Row>,
  records: readonly CountedRecord<Row>[],
  rowOf: (addition: Row) => string,
): Promise<CountedChanges> {
  const totals = { counted: 0, repeated: 0 };
  for (const [minute, ofMinute] of byMinute(records)) {
    const retryPolicy = {
      delaysMs: Array.from({ length: conflictRetries }, (_, i) => 20 * 2 ** i * dependencies.random()),
      sleep: dependencies.sleep,
      isRetryable: (error: unknown) => error instanceof Conflict,
    };
    let counted = 0;
    await retry(retryPolicy, async () => {
      const { counter } = dependencies;
      const known = await counter.counted(minute);
      const remaining = byGroup([...ofMinute].filter(([id]) => !known.ids.has(id)));
      let part = known.parts;
      for (const { ids, sums } of transactionsOf(remaining, rowOf)) {
        if (!(await counter.count(minute, part, ids, sums))) throw new Conflict(`${minute}, part ${part}`);
        counted += ids.length;
        part += 1;
      }
    });
    totals.counted += counted;
    totals.repeated += ofMinute.size - counted;
  }
  return totals;
}

/** The records by their ids, by the minute of their change; records that add nothing are left out. */
function byMinute<Row extends Addition>(
  records: readonly CountedRecord<Row>[],
): Map<string, Map<string, CountedRecord<Row>>> {
  const minutes = new Map<string, Map<string, CountedRecord<Row>>>();
  for (const record of records) {
    if (record.additions.length === 0) continue;
    const minute = record.changedAt.toISOString().slice(0, 16);
    const known = minutes.get(minute) ?? new Map<string, CountedRecord<Row>>();
    minutes.set(minute, known.set(idOf(record.eventId), record));
  }
  return minutes;
}

function idOf(eventId: string): string {
  return createHash('sha256').update(eventId).digest('hex').slice(0, idDigits);
}

type Identified<Row extends Addition> = readonly [id: string, record: CountedRecord<Row>];

/** So that the rows of a group are in as few transactions as possible. */
function byGroup<Row extends Addition>(records: readonly Identified<Row>[]): Identified<Row>[] {
  return [...Map.groupBy(records, ([, { group }]) => group).values()].flat();
}

interface Sum<Row extends Addition> {
  readonly addition: Row;
  readonly amounts: Map<string, number>;
}

/** Groups the additions into as few transactions as DynamoDB's limits allow, with each row once in each. */
function transactionsOf<Row extends Addition>(
  remaining: Iterable<Identified<Row>>,
  rowOf: (addition: Row) => string,
): { readonly ids: readonly string[]; readonly sums: readonly Row[] }[] {
  const transactions: { ids: string[]; sums: Map<string, Sum<Row>> }[] = [];
  for (const [id, { additions }] of remaining) {
    let last = transactions.at(-1);
    if (last === undefined || !fits(last.sums, additions, rowOf)) {
      last = { ids: [], sums: new Map() };
      transactions.push(last);
    }
    last.ids.push(id);
    for (const addition of additions) {
      const row = rowOf(addition);
      const sum = last.sums.get(row) ?? { addition, amounts: new Map<string, number>() };
      addTo(sum.amounts, addition.amounts);
      last.sums.set(row, sum);
    }
  }
  return transactions.map(({ ids, sums }) => ({
    ids,
    sums: [...sums.values()].map(({ addition, amounts }) => ({ ...addition, amounts })),
  }));
}

function fits<Row extends Addition>(
  sums: ReadonlyMap<string, Sum<Row>>,
  additions: readonly Row[],
  rowOf: (addition: Row) => string,
): boolean {
  const unknown = additions.filter((addition) => !sums.has(rowOf(addition)));
  const largest = additions.map(
    (addition) => (sums.get(rowOf(addition))?.amounts.size ?? 0) + addition.amounts.size,
  );
  return sums.size + unknown.length <= rowsMax && Math.max(...largest) <= attributesMax;
}

/** Adds each amount, with this sign. */
export function addTo(sums: Map<string, number>, amounts: Amounts, sign: 1 | -1 = 1): void {
  for (const [name, amount] of amounts) sums.set(name, (sums.get(name) ?? 0) + sign * amount);
}
