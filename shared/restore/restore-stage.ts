/**
 * Copies lost rows of a stage back from point-in-time recovery, within the same stack (contract 8.8):
 *
 *   stop      the API answers 503, schedules and event source mappings are off, and the last calls have ended
 *   restore   DynamoDB restores each table into a side table
 *   copy      each row that is missing is copied as `copied-row.ts` says, with a mark that relay and usage ignore
 *   start     mappings and schedules that were on are turned on, then the API; the side tables are deleted
 *
 * `restoreStage` does the first three steps and leaves the stage stopped, so that an administrator can enable clients
 * before their messages are handed over. `startStage` does the last step. It never writes an existing row. Each step can be
 * repeated, so a command that was killed is simply run again.
 */
import type { HeldGroup } from '../message/message.ts';
import { chunksOf } from '../platform/aws/read-rows.dynamo.ts';
import { restoredBy, rowIn } from '../platform/aws/stream-record.dynamo.ts';
import { addDays, dayOf } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { activityRow, changesOf, copiedRow, type RestoreRun, type SettingChange } from './copied-row.ts';
import { disabledId, type HeldContext } from './held-rows.dynamo.ts';
import { eachPage, type Item, sideTableName } from './side-tables.dynamo.ts';
import {
  beginMaintenance,
  endMaintenance,
  type RunningWorkers,
  type stackWorkers,
} from './stop-stage.lambda.ts';
import {
  createRow,
  keyOf,
  presentRows,
  type RestorableTable,
  restorableTables,
  rowsOfPartition,
  type StackTable,
} from './table-rows.dynamo.ts';

/** The state that a repeated command needs. */
export interface RestoreProgress {
  readonly restoreId: string;
  readonly to: string;
  /** The tables that have a side table. */
  readonly tables: readonly RestorableTable[];
  /** The workers that were on, stored before the first one is turned off. */
  readonly workers?: RunningWorkers;
  readonly stoppedAt?: string;
}

export interface RestoreContext extends HeldContext {
  readonly workers: ReturnType<typeof stackWorkers>;
  readonly progress: {
    read(): Promise<RestoreProgress | undefined>;
    /** Stores the progress; undefined after the restore has ended. */
    write(progress: RestoreProgress | undefined): Promise<void>;
  };
  /** How long it takes until the API is in maintenance and all earlier calls have ended. */
  readonly settleSeconds: number;
  readonly report: (line: string) => void;
}

export interface RestoreReport {
  readonly restore_id: string;
  readonly to: string;
  readonly tables: Partial<
    Record<
      RestorableTable,
      {
        /** How many rows the table had at the restored time. */
        rows: number;
        copied: number;
        /** How many of the rows still exist, and stay unchanged. */
        kept: number;
      }
    >
  >;
  /** The held messages, by group. */
  readonly held: Readonly<Record<HeldGroup, string[]>>;
  readonly disabled: {
    readonly table: RestorableTable;
    /** The id for `restore enable`: the id of an API key, or else the client's id. */
    readonly id: string;
    readonly client_id: string;
    /** The Activity Log entries about the row since the restored time, oldest first. */
    readonly since: readonly { readonly at: string; readonly kind: string; readonly summary: string }[];
  }[];
  /** The webhooks that failed because they were unfinished at the restored time. */
  readonly failed_webhooks: string[];
  /** The endpoints that were not copied, because their clients deleted them after the restored time. */
  readonly deleted_endpoints: string[];
}

/** Returns the changes from `since` until now, oldest first. */
async function recordedChanges(
  context: Context,
  activityLog: StackTable,
  since: Date,
): Promise<readonly SettingChange[]> {
  const now = context.clock();
  const changes: SettingChange[] = [];
  for (let day = since; dayOf(day) <= dayOf(now); day = addDays(day, 1)) {
    for (const item of await rowsOfPartition(context, activityLog, dayOf(day))) {
      const entry = activityRow.safeParse(rowIn(item)).data;
      if (entry !== undefined && entry.at >= since.toISOString()) changes.push(entry);
    }
  }
  return changes.toSorted((one, other) => (one.at < other.at ? -1 : 1));
}

/** Lambda takes seconds to turn an event source mapping on or off. */
const mappingPollSeconds = 2;
/** DynamoDB takes minutes to restore a table. */
const tablePollSeconds = 10;
/** With more rows at once, eight segments would wait too long for the SDK's connections. */
const rowsAtOnce = 10;

/** Returns the tables that cannot be recovered to this time. */
export async function notRestorable(
  { sideTables, tables: known }: RestoreContext,
  to: Date,
  tables: readonly RestorableTable[],
): Promise<RestorableTable[]> {
  const found = await Promise.all(
    tables.map(async (table) => {
      const { name } = known[table];
      const [window, exists] = await Promise.all([sideTables.windowOf(name), sideTables.exists(name, to)]);
      const isRecoverable = window !== undefined && window.earliest <= to && to <= window.latest;
      return exists || isRecoverable ? [] : [table];
    }),
  );
  return found.flat();
}

/** The stage stays stopped. @throws Error while a restore to another time is under way */
export async function restoreStage(
  ctx: RestoreContext,
  to: Date,
  tables: readonly RestorableTable[],
): Promise<RestoreReport> {
  const known = await ctx.progress.read();
  if (known !== undefined && known.to !== to.toISOString())
    throw new Error(`A restore to ${known.to} is under way: end it with restore start.`);
  const { stoppedAt, restoreId } = await stop(ctx, {
    restoreId: `restore of ${ctx.clock().toISOString()}`,
    ...known,
    to: to.toISOString(),
    tables: restorableTables.filter((table) => tables.includes(table) || known?.tables.includes(table)),
  });
  await restoreSideTables(ctx, tables, to);
  const changes = await recordedChanges(ctx, ctx.tables['activity-log'], to);
  const run = { restoreId, stoppedAt: new Date(stoppedAt), tables, changes };
  const report: RestoreReport = {
    restore_id: restoreId,
    to: to.toISOString(),
    tables: {},
    held: { due: [], scheduled: [], sent: [] },
    disabled: [],
    failed_webhooks: [],
    deleted_endpoints: [],
  };
  for (const table of restorableTables.filter((each) => tables.includes(each))) {
    ctx.report(`Copies ${table}.`);
    await eachPage(ctx.sideTables, sideTableName(ctx.tables[table].name, to), (items) =>
      copyPage(ctx, run, table, items, report),
    );
  }
  return report;
}

async function stop(
  ctx: RestoreContext,
  given: RestoreProgress,
): Promise<RestoreProgress & { readonly stoppedAt: string }> {
  const hadBegun = await beginMaintenance(ctx, ctx.tables['limit-overrides'].name);
  // If another command has turned the stage on meanwhile, it is stopped again.
  if (given.stoppedAt !== undefined && hadBegun) return { ...given, stoppedAt: given.stoppedAt };
  ctx.report('The API answers 503, and the workers are turned off.');
  // If it is unknown which workers were on, all are turned on at the end.
  const workers = given.workers ?? (await ctx.workers.find(hadBegun ? 'all' : 'on'));
  await ctx.progress.write({ ...given, workers });
  await turn(ctx, workers, 'off');
  ctx.report(`Waiting ${ctx.settleSeconds} s until earlier requests and calls have ended.`);
  await ctx.sleep(ctx.settleSeconds * 1000);
  const stopped = { ...given, workers, stoppedAt: ctx.clock().toISOString() };
  await ctx.progress.write(stopped);
  return stopped;
}

async function turn(ctx: RestoreContext, workers: RunningWorkers, state: 'on' | 'off'): Promise<void> {
  while (!(await ctx.workers.turn(workers, state))) await ctx.sleep(mappingPollSeconds * 1000);
}

async function restoreSideTables(
  { sideTables, tables, sleep, report: say }: RestoreContext,
  names: readonly RestorableTable[],
  to: Date,
): Promise<void> {
  let waiting = [...names];
  for (let round = 0; waiting.length > 0; round += 1) {
    const left: RestorableTable[] = [];
    for (const table of waiting) if (!(await sideTables.restore(tables[table].name, to))) left.push(table);
    waiting = left;
    if (waiting.length === 0) break;
    if (round % 6 === 0) say(`DynamoDB restores ${waiting.join(', ')}.`);
    await sleep(tablePollSeconds * 1000);
  }
}

async function copyPage(
  ctx: RestoreContext,
  run: RestoreRun,
  table: RestorableTable,
  items: readonly Item[],
  report: RestoreReport,
): Promise<void> {
  const stackTable = ctx.tables[table];
  const present = await presentRows(ctx, stackTable, items);
  const now = ctx.clock();
  report.tables[table] ??= { rows: 0, copied: 0, kept: 0 };
  const counts = report.tables[table];
  for (const chunk of chunksOf(items, rowsAtOnce)) await Promise.all(chunk.map(copyRow));

  async function copyRow(item: Item): Promise<void> {
    counts.rows += 1;
    const key = keyOf(stackTable, item);
    const found = present.get(key);
    // A repeated command also reports the rows that an earlier run copied.
    if (found !== undefined && found[restoredBy]?.S !== run.restoreId) {
      counts.kept += 1;
      return;
    }
    const copy = copiedRow(run, table, item, now);
    if (copy.kind === 'left') {
      if (copy.why === 'deleted') report.deleted_endpoints.push(key);
      return;
    }
    if (found === undefined) await createRow(ctx, stackTable, copy.item);
    counts.copied += 1;
    if (copy.held !== undefined) report.held[copy.held].push(key);
    if (copy.failed === true) report.failed_webhooks.push(key);
    if (copy.disabled === true)
      report.disabled.push({
        table,
        id: disabledId(stackTable, item),
        client_id: item.client_id?.S ?? '',
        since: changesOf(run.changes, item).map(({ at, kind, summary }) => ({ at, kind, summary })),
      });
  }
}

/** Turns on the workers and schedules that were on before. @throws Error if no restore is under way */
export async function startStage(ctx: RestoreContext): Promise<void> {
  const known = await ctx.progress.read();
  if (known === undefined)
    throw new Error(
      'No restore is under way here. Give --progress if its progress is in another folder. If the progress is lost, restore again.',
    );
  ctx.report('The workers are turned on, then the API.');
  // If this command is killed and the restore is repeated, the stage is stopped again.
  const { stoppedAt: _stoppedAt, ...progress } = known;
  await ctx.progress.write(progress);
  if (known.workers !== undefined) await turn(ctx, known.workers, 'on');
  await endMaintenance(ctx, ctx.tables['limit-overrides'].name);
  for (const table of known.tables) await ctx.sideTables.drop(ctx.tables[table].name, new Date(known.to));
  await ctx.progress.write(undefined);
}
