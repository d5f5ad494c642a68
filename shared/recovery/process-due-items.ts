/**
 * Reviews all due items. An entry is removed only when each of its rows is finished or has a later entry, so if a run
 * dies, the next one reviews the rest, and some rows twice.
 *
 * A row that cannot be reviewed delays no other: it gets a later entry.
 */
import type { ReadOptions } from '../platform/aws/read-rows.dynamo.ts';
import { addSeconds, type Clock, laterOf } from '../platform/clock.ts';
import {
  type DueItem,
  type DueItemEntry,
  type DueItemIndex,
  type DueItemList,
  dueItemShards,
} from './due-item-index.dynamo.ts';

export interface DueItemRun {
  readonly dueItemIndex: DueItemIndex;
  readonly clock: Clock;
  /** The number of milliseconds after which the rest is left to the next run. */
  readonly budgetMs: number;
}

/** The time at which to review a row again; undefined if it is finished. */
export type NextReview = Date | undefined;

/** The result for each row, by its id; an error if it could not be read or processed. */
export type ReviewResult = ReadonlyMap<string, NextReview | Error>;

export interface ProcessedDueItems {
  readonly cutShort: boolean;
  readonly failures: readonly unknown[];
}

/** Shorter than the time limit of the functions; ends before the next run starts. */
export const runBudgetMs = 40_000;
/** The maximum of `BatchGetItem`. */
const rowsPerReview = 100;
const afterFailureSeconds = 300;

/** @param review - reviews at most `rowsPerReview` rows; a row missing from its result is finished */
export async function processDueItems(
  run: DueItemRun,
  list: DueItemList,
  review: (ids: readonly string[]) => Promise<ReviewResult>,
): Promise<ProcessedDueItems> {
  const endsAt = run.clock().getTime() + run.budgetMs;
  const failures: unknown[] = [];
  let cutShort = false;

  async function reviewEntries(entries: readonly DueItemEntry[]): Promise<void> {
    try {
      const later: DueItem[] = [];
      const ids = new Set(entries.flatMap((entry) => entry.ids));
      for (const [id, again] of await review([...ids])) {
        if (again instanceof Error) failures.push(again);
        const dueAt = again instanceof Error ? addSeconds(run.clock(), afterFailureSeconds) : again;
        // The time is at least a second later, or this run would find the row again.
        if (dueAt !== undefined) later.push({ id, dueAt: laterOf(dueAt, addSeconds(run.clock(), 1)) });
      }
      if (later.length > 0) await run.dueItemIndex.add(list, later);
      await run.dueItemIndex.remove(entries);
    } catch (error) {
      failures.push(error);
    }
  }

  async function processShard(shard: number): Promise<void> {
    let pending: DueItemEntry[] = [];
    let rows = 0;
    try {
      for await (const entry of run.dueItemIndex.due(list, shard, run.clock())) {
        if (rows + entry.ids.length > rowsPerReview) {
          await reviewEntries(pending);
          [pending, rows] = [[], 0];
          if (run.clock().getTime() > endsAt) {
            cutShort = true;
            return;
          }
        }
        pending.push(entry);
        rows += entry.ids.length;
      }
    } catch (error) {
      failures.push(error);
    }
    if (pending.length > 0) await reviewEntries(pending);
  }

  await Promise.all(Array.from({ length: dueItemShards }, (_, shard) => processShard(shard)));
  return { cutShort, failures };
}

/** Reads the rows of a due-item entry: eventually consistent first, then consistently the missing ones. */
interface RowReader<Row> {
  get(id: string): Promise<Row | undefined>;
  getMany(ids: readonly string[], reading: ReadOptions): Promise<readonly Row[]>;
}

/**
 * Reads all rows in one call, then each missing row separately and consistently: an unreadable row fails alone, and a
 * row that is still missing does not exist.
 */
export async function readRows<Row>(
  reader: RowReader<Row>,
  ids: readonly string[],
  idOf: (row: Row) => string,
): Promise<ReadonlyMap<string, Row | Error>> {
  const found = await reader.getMany(ids, { consistent: false }).catch(() => []);
  const rows = new Map<string, Row | Error>(found.map((row) => [idOf(row), row]));
  const missing = ids.filter((id) => !rows.has(id));
  await Promise.all(
    missing.map(async (id) => {
      const row = await reader.get(id).catch(errorOf);
      if (row !== undefined) rows.set(id, row);
    }),
  );
  return rows;
}

export function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
