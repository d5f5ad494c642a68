/**
 * Counts each change of a table exactly once, from its stream. The stream may repeat records in other batches, an earlier
 * worker may still run, and a worker may die at any line.
 *
 * 1. A batch is noted: one transaction puts its sums into the journal, and moves the position of its shard past it. Lambda
 *    passes the records of a shard in order the first time, so records up to the position are already counted. Lambda
 *    names the shard only in a tumbling window, which allows one batch of a shard at a time.
 * 2. Notes are added up: all notes in the journal, of all shards, become one addition to each row of sums. Additions are
 *    numbered. A row stores the number of its latest addition and takes no addition twice, so any worker that finds an
 *    unfinished addition may carry it out again.
 *
 *    begin: its number and its notes are written, on the condition that no other is begun
 *      ─ crash → after 30 seconds another worker carries it out
 *    each row: the sums and the number, on the condition that the row has the number that was read
 *    the notes are deleted, then the addition is ended
 *
 * Under load an addition begins every 20 seconds, however many batches there are: rows are large, notes are small. Lambda's
 * last call in each tumbling window adds up the remaining notes. If the amounts cannot be added to a row, this is logged,
 * and the other rows continue.
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalPut, updateIf } from '../platform/aws/conditional-write.dynamo.ts';
import { batchRead, chunksOf, queryRows, type Row } from '../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { countMetric, log } from '../platform/log.ts';
import { retryConflicts, retryRemaining } from '../platform/retry.ts';
import type { Amounts } from './amounts.ts';

/** The context for counting one stream. */
export interface Counter extends Context<'COUNT_JOURNAL_TABLE'> {
  /** The partition of the journal for this stream. */
  readonly journal: 'usage' | 'one-time-passwords';
  readonly sumsTable: string;
  /** Returns the rows of sums to which a group's amounts are added. */
  readonly rowsOf: (group: string) => readonly SumRow[];
  /** The last state that this worker wrote or read. If it is out of date, the next write has no effect. */
  readonly known: {
    /** The positions, by shard. */
    readonly positions: Map<string, string>;
    /** When the latest addition began, in milliseconds since the epoch. */
    additionMs: number;
  };
}

export function counterOf(
  context: Context<'COUNT_JOURNAL_TABLE'>,
  counted: { readonly [Name in 'journal' | 'sumsTable' | 'rowsOf']: Counter[Name] },
): Counter {
  return { ...context, ...counted, known: { positions: new Map(), additionMs: 0 } };
}

interface SumRow {
  readonly key: Readonly<Record<string, string>>;
  readonly purgeAt: number;
}

export type Groups = ReadonlyMap<string, Amounts>;

export interface CountedChange {
  /** Increases within a shard. */
  readonly sequence: string;
  /** The amounts that the change adds. A change without amounts is ignored. */
  readonly groups: Groups;
}

export interface CountedChanges {
  readonly counted: number;
  /** The number of changes that were already counted. */
  readonly repeated: number;
}

/** In a row of sums, the number of its latest addition, which is a time in milliseconds since the epoch. */
export const additionAttribute = 'addition';

/** Longer than the 24 hours for which the stream keeps a record. */
const positionKeptDays = 3;
const pauseMs = 20_000;
/** Longer than an addition takes, so its worker has died. */
const deadAfterMs = 30_000;
const pollMs = 250;
/** The maximum number of notes in one addition, which takes five batch reads of 100 rows. */
const notesMax = 500;
const writesAtOnce = 25;

const noteRow = z.object({ entry: z.string(), groups: z.instanceof(Uint8Array) });
const groupsOfNote = z.array(z.tuple([z.string(), z.record(z.string(), z.number())]));
const additionRow = z.object({ number: z.number(), notes: z.array(z.string()) });
type Addition = z.output<typeof additionRow>;
const firstNote = 'note#';
const afterNotes = 'note$';
const additionEntry = 'addition';

/**
 * Writes the amounts of the changes to the journal, in the order of their shard.
 *
 * @throws if the journal may lack some amounts; the caller then passes the batch again.
 */
export async function noteChanges(
  counter: Counter,
  shard: string,
  changes: readonly CountedChange[],
): Promise<CountedChanges> {
  const counting = changes.filter(({ groups }) => groups.size > 0);
  if (counting.length === 0) return { counted: 0, repeated: 0 };
  const { positions } = counter.known;
  return retryConflicts(async () => {
    const position = positions.get(shard) ?? (await positionOf(counter, shard));
    // Another worker may have moved the position, so the retry reads it again.
    positions.delete(shard);
    const latest = BigInt(position ?? 0);
    const fresh = counting.filter(({ sequence }) => BigInt(sequence) > latest);
    const noted = fresh.length === 0 ? position : await note(counter, shard, position, fresh);
    if (noted !== undefined) positions.set(shard, noted);
    const isNoted = fresh.length === 0 || noted !== undefined;
    return isNoted && { counted: fresh.length, repeated: counting.length - fresh.length };
  }, counter);
}

async function positionOf({ db, env, journal }: Counter, shard: string) {
  const Key = { journal, entry: `position#${shard}` };
  const { Item } = await db.send(
    new GetCommand({ TableName: env.COUNT_JOURNAL_TABLE, Key, ConsistentRead: true }),
  );
  return Item === undefined ? undefined : z.string().parse(Item.sequence);
}

/** Returns the new position; undefined if another worker has moved it. */
async function note(
  { db, env, clock, journal }: Counter,
  shard: string,
  position: string | undefined,
  changes: readonly CountedChange[],
): Promise<string | undefined> {
  const sequence = changes.map((change) => change.sequence).reduce((a, b) => (BigInt(a) > BigInt(b) ? a : b));
  const groups = sumOf(changes.map((change) => change.groups));
  const plain = [...groups].map(([group, amounts]) => [group, Object.fromEntries(amounts)]);
  const { gzipSync } = process.getBuiltinModule('node:zlib');
  const moved = {
    TableName: env.COUNT_JOURNAL_TABLE,
    Item: {
      journal,
      entry: `position#${shard}`,
      sequence,
      purge_at: epochSeconds(addDays(clock(), positionKeptDays)),
    },
    ...(position === undefined
      ? { ConditionExpression: 'attribute_not_exists(entry)' }
      : {
          ConditionExpression: '#sequence = :position',
          ExpressionAttributeNames: { '#sequence': 'sequence' },
          ExpressionAttributeValues: { ':position': position },
        }),
  };
  const noted = {
    TableName: env.COUNT_JOURNAL_TABLE,
    Item: {
      journal,
      entry: `${firstNote}${shard}#${sequence}`,
      groups: gzipSync(JSON.stringify(plain)),
    },
  };
  try {
    await db.send(new TransactWriteCommand({ TransactItems: [{ Put: moved }, { Put: noted }] }));
    return sequence;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const reasons = error.CancellationReasons?.map(({ Code }) => Code) ?? [];
    if (reasons.some((reason) => reason === 'ConditionalCheckFailed' || reason === 'TransactionConflict'))
      return undefined;
    throw error;
  }
}

/**
 * Adds up all notes that were made before the call. If `waits` is false and another addition is running or has just begun,
 * leaves the notes to a later call.
 */
export async function addUpNotes(counter: Counter, { waits }: { readonly waits: boolean }): Promise<void> {
  const isPause = () => counter.clock().getTime() - counter.known.additionMs < pauseMs;
  for (;;) {
    if (!waits && isPause()) return;
    const latest = await latestAddition(counter);
    const ageMs = counter.clock().getTime() - (latest?.number ?? 0);
    if (latest !== undefined && latest.notes.length > 0) {
      if (ageMs > deadAfterMs) await carryOut(counter, latest, await notesNamed(counter, latest));
      else if (waits) await counter.sleep(pollMs);
      else return;
      continue;
    }
    counter.known.additionMs = latest?.number ?? 0;
    if (!waits && isPause()) return;
    const notes = await notesOf(counter);
    if (notes.length === 0) return;
    const begun = await begin(counter, latest, notes);
    if (begun === undefined) continue;
    counter.known.additionMs = begun.number;
    await carryOut(counter, begun, notes);
    if (notes.length < notesMax) return;
  }
}

async function latestAddition({ db, env, journal }: Counter) {
  const Key = { journal, entry: additionEntry };
  const { Item } = await db.send(
    new GetCommand({ TableName: env.COUNT_JOURNAL_TABLE, Key, ConsistentRead: true }),
  );
  return Item === undefined ? undefined : additionRow.parse(Item);
}

async function notesOf({ db, env, journal }: Counter): Promise<Row[]> {
  const rows = queryRows(db, {
    TableName: env.COUNT_JOURNAL_TABLE,
    KeyConditionExpression: 'journal = :journal AND entry BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':journal': journal, ':first': firstNote, ':last': afterNotes },
    ConsistentRead: true,
  });
  const notes: Row[] = [];
  for await (const row of rows) {
    notes.push(row);
    if (notes.length === notesMax) break;
  }
  return notes;
}

function notesNamed({ db, env, journal }: Counter, { notes }: Addition): Promise<Row[]> {
  const keys = notes.map((entry) => ({ journal, entry }));
  return batchRead(db, env.COUNT_JOURNAL_TABLE, keys, { ConsistentRead: true });
}

/** Begins an addition. Returns undefined if another worker has begun one. */
async function begin(
  { db, env, clock, journal }: Counter,
  latest: Addition | undefined,
  notes: readonly Row[],
): Promise<Addition | undefined> {
  const addition = {
    number: Math.max(clock().getTime(), (latest?.number ?? 0) + 1),
    notes: notes.map(({ entry }) => String(entry)),
  };
  const row = { TableName: env.COUNT_JOURNAL_TABLE, Key: { journal, entry: additionEntry } };
  const seen = { number: latest?.number, notes: latest?.notes };
  return (await updateIf(db, row, seen, addition)).applied ? addition : undefined;
}

/**
 * Carries out an addition. Several workers may run this at once, because no row applies an addition twice, and the notes
 * are deleted last.
 */
async function carryOut(counter: Counter, { number, notes }: Addition, rows: readonly Row[]): Promise<void> {
  const { db, env, journal } = counter;
  const TableName = env.COUNT_JOURNAL_TABLE;
  const keys = notes.map((entry) => ({ journal, entry }));
  const sums = new Map<string, SumRow & { readonly amounts: Map<string, number> }>();
  for (const [group, amounts] of sumOf(rows.map(groupsIn))) {
    for (const row of counter.rowsOf(group)) {
      const id = JSON.stringify(row.key);
      const sum = sums.get(id) ?? { ...row, amounts: new Map<string, number>() };
      addTo(sum.amounts, amounts);
      sums.set(id, sum);
    }
  }
  for (const some of chunksOf([...sums.values()], writesAtOnce)) {
    await Promise.all(some.map((sum) => addToRow(counter, number, sum)));
  }
  for (const some of chunksOf(keys, writesAtOnce))
    await retryRemaining(some, async (left) => {
      const deletes = left.map((Key) => ({ DeleteRequest: { Key } }));
      const { UnprocessedItems } = await db.send(
        new BatchWriteCommand({ RequestItems: { [TableName]: deletes } }),
      );
      return (UnprocessedItems?.[TableName] ?? []).flatMap(({ DeleteRequest }) => DeleteRequest?.Key ?? []);
    });
  await updateIf(db, { TableName, Key: { journal, entry: additionEntry } }, { number }, { notes: [] });
}

/** Parses a note. If an edit made it unreadable, logs it and loses its amounts, so that the other notes need not wait. */
function groupsIn(row: Row): Groups {
  try {
    const { gunzipSync } = process.getBuiltinModule('node:zlib');
    const plain = groupsOfNote.parse(JSON.parse(gunzipSync(noteRow.parse(row).groups).toString()));
    return new Map(plain.map(([group, amounts]) => [group, new Map(Object.entries(amounts))]));
  } catch (error) {
    log.error('note not counted', { entry: row.entry, reason: String(error) });
    countMetric('InvalidRow');
    return new Map();
  }
}

async function addToRow(
  { db, sumsTable: TableName }: Counter,
  number: number,
  { key, purgeAt, amounts }: SumRow & { readonly amounts: Amounts },
): Promise<void> {
  for (;;) {
    const { Item: row = {} } = await db.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
    const seen: unknown = row[additionAttribute];
    if (typeof seen === 'number' && seen >= number) return;
    const sums = withAmounts(row, amounts);
    if (sums === undefined) return reportNotCounted(key, amounts);
    const { applied } = await conditionalPut(db, {
      TableName,
      Item: { ...sums, ...key, purge_at: purgeAt, [additionAttribute]: number },
      ...(seen === undefined
        ? { ConditionExpression: `attribute_not_exists(${additionAttribute})` }
        : {
            ConditionExpression: `${additionAttribute} = :seen`,
            ExpressionAttributeValues: { ':seen': seen },
          }),
    });
    if (applied) return;
  }
}

/**
 * Returns the row with these amounts added; undefined if one of its sums is corrupt. Sums of 0 are removed to keep the row
 * small, because messages leave most states.
 */
function withAmounts(row: Row, amounts: Amounts): Row | undefined {
  const sums: Record<string, unknown> = { ...row };
  for (const [name, amount] of amounts) {
    const present = sums[name] ?? 0;
    if (typeof present !== 'number') return undefined;
    if (present + amount === 0) delete sums[name];
    else sums[name] = present + amount;
  }
  return sums;
}

/** Logs the amounts, which an administrator can add after correcting the row. */
function reportNotCounted(key: SumRow['key'], amounts: Amounts): void {
  log.error('row not counted', { ...key, amounts: Object.fromEntries(amounts) });
  countMetric('InvalidRow');
}

/** Returns the sums of each group, without sums that are 0. */
export function sumOf(all: readonly Groups[]): Groups {
  const sums = new Map<string, Map<string, number>>();
  for (const groups of all) {
    for (const [group, amounts] of groups) {
      const sum = sums.get(group) ?? new Map<string, number>();
      addTo(sum, amounts);
      sums.set(group, sum);
    }
  }
  for (const [group, sum] of sums) {
    for (const [name, amount] of sum) if (amount === 0) sum.delete(name);
    if (sum.size === 0) sums.delete(group);
  }
  return sums;
}

function addTo(sums: Map<string, number>, amounts: Amounts): void {
  for (const [name, amount] of amounts) sums.set(name, (sums.get(name) ?? 0) + amount);
}
