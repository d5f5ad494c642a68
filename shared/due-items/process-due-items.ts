/**
 * Goes through what is due. An entry is taken out only when each of its rows is finished or stands in a later entry,
 * so a run that dies anywhere leaves everything to the next; what was looked at already is then looked at twice.
 *
 * A row that cannot be looked at keeps none of the others waiting: it gets an entry of its own, minutes later.
 */
import { addSeconds, type Clock } from '../platform/clock.ts';
import {
  type DueItem,
  type DueItemEntry,
  type DueItemIndex,
  type DueItemList,
  dueItemShards,
} from './due-item-index.ts';

export interface DueItemRun {
  readonly dueItemIndex: DueItemIndex;
  readonly clock: Clock;
  /** Milliseconds of work after which the rest is left to the next run. */
  readonly budgetMs: number;
}

/** When to look at a row again; undefined where it is finished. */
export type NextReview = Date | undefined;

/** What became of each row, by its id; an error where it could not be read or acted upon. */
export type ReviewResult = ReadonlyMap<string, NextReview | Error>;

export interface ProcessedDueItems {
  /** Whether the run ended before the list was through. */
  readonly cutShort: boolean;
  readonly failures: readonly unknown[];
}

/** Below the time limit of the functions that look, and over before the next minute's run begins. */
export const runBudgetMs = 40_000;
/** How many rows are looked at together: what DynamoDB reads in one call. */
const rowsPerReview = 100;
/** When a row is looked at again that could not be. */
const afterFailureSeconds = 300;

/** @param look - looks at up to 100 rows; one it says nothing of is finished */
export async function processDueItems(
  run: DueItemRun,
  list: DueItemList,
  review: (ids: readonly string[]) => Promise<ReviewResult>,
): Promise<ProcessedDueItems> {
  const endsAt = run.clock().getTime() + run.budgetMs;
  const failures: unknown[] = [];
  let cutShort = false;

  async function settle(entries: readonly DueItemEntry[]): Promise<void> {
    try {
      const later: DueItem[] = [];
      const ids = new Set(entries.flatMap((entry) => entry.ids));
      for (const [id, again] of await review([...ids])) {
        if (again instanceof Error) failures.push(again);
        const dueAt = again instanceof Error ? addSeconds(run.clock(), afterFailureSeconds) : again;
        // Never at once: this run would find it again.
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
          await settle(pending);
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
    if (pending.length > 0) await settle(pending);
  }

  await Promise.all(Array.from({ length: dueItemShards }, (_, shard) => processShard(shard)));
  return { cutShort, failures };
}

function laterOf(a: Date, b: Date): Date {
  return a > b ? a : b;
}
