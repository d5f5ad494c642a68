/**
 * Counts each change of a message in the usage of its client, exactly once. The stream repeats records, in other
 * batches, also while an earlier worker still runs, and a worker may die at any line. Therefore the sums and the ids of
 * the records in them are written by one transaction:
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
import { retry } from '../platform/retry.ts';
import { type Amounts, amountsOf, type CountedMessage } from './amounts.ts';
import { intervals, type Period, periodAt } from './period.ts';

/** The key of the rows that have the sums of all clients. */
export const allClients = '*';

/** One record of the messages table's stream. */
export interface ChangeRecord {
  /** Unique for the record, the same each time it is repeated. */
  readonly eventId: string;
  /** When the row changed, the same each time; exact to the second or better. */
  readonly changedAt: Date;
  /** Undefined if the change created the row, or if the row was not a message. */
  readonly before: CountedMessage | undefined;
  /** Undefined if the row is not a message. A deletion is no change that counts: usage is kept longer than messages. */
  readonly after: CountedMessage | undefined;
}

/** What is added to one row of usage. */
export interface UsageAddition {
  readonly period: Period;
  readonly clientId: string;
  readonly amounts: Amounts;
}

export interface UsageCounter {
  /** The records that are counted of this minute, and in how many parts they were written; the latest state. */
  counted(minute: string): Promise<{ readonly ids: ReadonlySet<string>; readonly parts: number }>;
  /**
   * Writes this part of the minute's ids, and adds the amounts, as a whole or not at all.
   *
   * @returns false if nothing was written because the part exists, or another transaction has one of the rows
   */
  count(
    minute: string,
    part: number,
    ids: readonly string[],
    additions: readonly UsageAddition[],
  ): Promise<boolean>;
}

export interface CountDependencies {
  readonly counter: UsageCounter;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** From 0 to 1. */
  readonly random: () => number;
}

export interface CountedChanges {
  readonly counted: number;
  /** Records that had been counted before. */
  readonly repeated: number;
}

/** In hexadecimal digits: 80 bits, which no two records of one minute share. */
export const idDigits = 20;
/** DynamoDB takes 100 rows in a transaction; a client has one for each interval, and so have all clients. */
const rowsMax = 90;
/** An update's expression has at most 4 KB, about 11 bytes for an attribute. */
const attributesMax = 300;
const conflictRetries = 10;

class Conflict extends Error {}

/** @throws when something may not be counted: all records must be passed again. */
export async function countChanges(
  dependencies: CountDependencies,
  records: readonly ChangeRecord[],
): Promise<CountedChanges> {
  const totals = { counted: 0, repeated: 0 };
  for (const [minute, additions] of byMinute(records)) {
    const retryPolicy = {
      delaysMs: Array.from({ length: conflictRetries }, (_, i) => 20 * 2 ** i * dependencies.random()),
      sleep: dependencies.sleep,
      isRetryable: (error: unknown) => error instanceof Conflict,
    };
    let counted = 0;
    await retry(retryPolicy, () =>
      countMinute(dependencies, minute, additions, (records) => {
        counted += records;
      }),
    );
    totals.counted += counted;
    totals.repeated += additions.size - counted;
  }
  return totals;
}

/** @throws Conflict if another worker counts records of this minute. */
async function countMinute(
  { counter }: CountDependencies,
  minute: string,
  additions: ReadonlyMap<string, readonly UsageAddition[]>,
  onCounted: (records: number) => void,
): Promise<void> {
  const known = await counter.counted(minute);
  const remaining = byClient([...additions].filter(([id]) => !known.ids.has(id)));
  let part = known.parts;
  for (const { ids, sums } of transactionsOf(remaining)) {
    if (!(await counter.count(minute, part, ids, sums))) throw new Conflict(`${minute}, part ${part}`);
    onCounted(ids.length);
    part += 1;
  }
}

/** The additions of each record by its id, by the minute of its change; records that add nothing are left out. */
function byMinute(records: readonly ChangeRecord[]): Map<string, Map<string, readonly UsageAddition[]>> {
  const minutes = new Map<string, Map<string, readonly UsageAddition[]>>();
  for (const record of records) {
    const additions = additionsOf(record);
    if (additions.length === 0) continue;
    const minute = record.changedAt.toISOString().slice(0, 16);
    const known = minutes.get(minute) ?? new Map<string, readonly UsageAddition[]>();
    minutes.set(minute, known.set(idOf(record.eventId), additions));
  }
  return minutes;
}

function idOf(eventId: string): string {
  return createHash('sha256').update(eventId).digest('hex').slice(0, idDigits);
}

/**
 * What a change adds to the periods in which its message was accepted: the row after it, less the row before it. A row
 * that a person spoilt is no message, so it has no amounts until it is corrected.
 */
function additionsOf({ before, after }: ChangeRecord): UsageAddition[] {
  const sums = new Map<string, MutableSum>();
  for (const [message, sign] of [[after, 1] as const, [before, -1] as const]) {
    if (message === undefined) continue;
    const amounts = new Map([...amountsOf(message)].map(([name, amount]) => [name, sign * amount]));
    for (const interval of intervals) {
      const period = periodAt(interval, new Date(message.created_at));
      for (const clientId of [message.client_id, allClients]) addTo(sums, { period, clientId, amounts });
    }
  }
  return [...sums.values()].flatMap((sum) => {
    const amounts = new Map([...sum.amounts].filter(([, amount]) => amount !== 0));
    return amounts.size === 0 ? [] : [{ ...sum, amounts }];
  });
}

type Counted = readonly [id: string, additions: readonly UsageAddition[]];

/** The records of a client next to each other, so that its rows are in as few transactions as possible. */
function byClient(records: readonly Counted[]): Counted[] {
  const clientOf = ([, additions]: Counted): string =>
    additions.find(({ clientId }) => clientId !== allClients)?.clientId ?? '';
  return [...Map.groupBy(records, clientOf).values()].flat();
}

interface Transaction {
  readonly ids: readonly string[];
  readonly sums: readonly UsageAddition[];
}

/** As few transactions as DynamoDB's limits allow, one row of usage once in each. */
function transactionsOf(remaining: Iterable<Counted>): Transaction[] {
  const transactions: { ids: string[]; sums: Map<string, MutableSum> }[] = [];
  for (const [id, additions] of remaining) {
    let last = transactions.at(-1);
    if (last === undefined || !fits(last.sums, additions)) {
      last = { ids: [], sums: new Map() };
      transactions.push(last);
    }
    last.ids.push(id);
    for (const addition of additions) addTo(last.sums, addition);
  }
  return transactions.map(({ ids, sums }) => ({ ids, sums: [...sums.values()] }));
}

interface MutableSum extends UsageAddition {
  readonly amounts: Map<string, number>;
}

const rowOf = ({ period, clientId }: UsageAddition): string => `${period.name} ${clientId}`;

function fits(sums: ReadonlyMap<string, MutableSum>, additions: readonly UsageAddition[]): boolean {
  const unknown = additions.filter((addition) => !sums.has(rowOf(addition)));
  const largest = additions.map(
    (addition) => (sums.get(rowOf(addition))?.amounts.size ?? 0) + addition.amounts.size,
  );
  return sums.size + unknown.length <= rowsMax && Math.max(...largest) <= attributesMax;
}

function addTo(sums: Map<string, MutableSum>, { period, clientId, amounts }: UsageAddition): void {
  const key = rowOf({ period, clientId, amounts });
  const sum = sums.get(key) ?? { period, clientId, amounts: new Map<string, number>() };
  for (const [name, amount] of amounts) sum.amounts.set(name, (sum.amounts.get(name) ?? 0) + amount);
  sums.set(key, sum);
}
