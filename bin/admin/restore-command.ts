/**
 * `restore`: copies lost rows of a stage back from a point in time, and holds the copied messages and webhooks (contract 8.8).
 */
import { join } from 'node:path';
import { GatewayError } from '../../shared/contract/errors.ts';
import { type HeldGroup, heldGroups } from '../../shared/message/message.ts';
import {
  enableRows,
  endMessages,
  type HeldContext,
  releaseMessages,
} from '../../shared/restore/held-rows.dynamo.ts';
import {
  notRestorable,
  type RestoreContext,
  type RestoreReport,
  restoreStage,
  startStage,
} from '../../shared/restore/restore-stage.ts';
import { dynamoSideTables } from '../../shared/restore/side-tables.dynamo.ts';
import { stackWorkers } from '../../shared/restore/stop-stage.lambda.ts';
import { type RestorableTable, restorableTables } from '../../shared/restore/table-rows.dynamo.ts';
import type { AdminCommand, CommandResult, Session } from './command.ts';
import { timeOf } from './options.ts';
import { textTable } from './print.ts';
import { progressFiles } from './restore-progress.ts';
import { restoredTables } from './restored-tables.ts';

/**
 * Functions cache rows for a minute. A worker that started before the stop can wait and run for two minutes
 * (count-usage-function.ts).
 */
const settleSeconds = 180;
/** On this machine, only cached rows last longer than a few seconds. */
const localSettleSeconds = 65;

const progressFolder = join(import.meta.dirname, '..', '..', '.local', 'restore');

export function addRestoreCommand(program: AdminCommand): void {
  const restore = program
    .command('restore')
    .description(
      'stops the stage, and copies rows that are missing from a point in time; see docs/rotate-and-restore.md first',
    )
    .option('--to <time>', 'such as 2026-11-20T10:00:00Z')
    .option('--table <names...>', `only these tables; default: all of ${restorableTables.join(', ')}`)
    .option('--progress <folder>', 'folder for the progress and the report', progressFolder)
    .run(runRestore);
  restore
    .command('enable [ids...]')
    .description('enables clients with their webhook secrets (by client id) and API keys (by key id)')
    .option('--all-but <ids...>', 'enables everything that the restore disabled, except these')
    .run(async (session, ids: readonly string[], { allBut }: { readonly allBut?: readonly string[] }) => {
      if (ids.length > 0 === (allBut !== undefined))
        throw new GatewayError('invalid_request', 'Give the ids to enable, or --all-but and the others.');
      const enabled = await enableRows(heldContext(session), allBut === undefined ? { ids } : { allBut });
      return {
        json: { enabled },
        text: () => [...enabled, `Enabled: ${enabled.length}. They work within 60 seconds.`].join('\n'),
      };
    });
  restore
    .command('release <groups...>')
    .description(`sends held messages as if they were new; groups: ${heldGroups.join(', ')}`)
    .run((session, groups: readonly string[]) => counted(session, groups, releaseMessages, 'released'));
  restore
    .command('end <groups...>')
    .description(
      'ends held messages with the status canceled, failed (hand_over_unknown) or expired; groups as above',
    )
    .run((session, groups: readonly string[]) => counted(session, groups, endMessages, 'ended'));
  restore
    .command('start')
    .description('starts everything that the restore stopped, and deletes its temporary tables')
    .run(async (session) => {
      const { progress } = restore.opts<{ readonly progress: string }>();
      await startStage(restoreContext(session, progressFiles(progress, session.gateway.stackName).progress));
      return { json: { started: true }, text: () => 'The workers and the API are running again.' };
    });
}

async function runRestore(
  session: Session,
  options: {
    readonly to?: string;
    readonly table?: readonly string[];
    readonly progress: string;
  },
): Promise<CommandResult> {
  const to = secondOf(options.to);
  const tables = tablesOf(options.table);
  const { progress, writeReport, reportFile } = progressFiles(options.progress, session.gateway.stackName);
  const ctx = restoreContext(session, progress);
  // Checks if a restore is possible before anything is stopped.
  const missing = await notRestorable(ctx, to, tables);
  if (missing.length > 0)
    throw new GatewayError(
      'invalid_request',
      `${missing.join(', ')} cannot be restored to ${to.toISOString()}. Nothing was stopped.`,
    );
  const report = await restoreStage(ctx, to, tables);
  await writeReport(report);
  return {
    json: { ...report, report_file: reportFile },
    text: () => [
      textOf(report, tables),
      `All ids are in ${reportFile}.`,
      'The stage is still stopped: enable what may be used again, then run restore start.',
    ],
  };
}

/** Parses `--to`. A relative time is refused, because it would change when the command is repeated. */
function secondOf(to: string | undefined): Date {
  if (to?.includes('T') !== true)
    throw new GatewayError('invalid_request', 'Give --to with a time such as 2026-11-20T10:00:00Z.');
  const time = timeOf('to', to, new Date());
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

function tablesOf(names: readonly string[] | undefined): readonly RestorableTable[] {
  return names === undefined
    ? restorableTables
    : names.map((name) => oneOf(restorableTables, '--table', name));
}

function oneOf<Name extends string>(known: readonly Name[], what: string, given: string): Name {
  const found = known.find((each) => each === given);
  if (found !== undefined) return found;
  throw new GatewayError('invalid_request', `${what} is one of ${known.join(', ')}.`);
}

async function counted(
  session: Session,
  names: readonly string[],
  act: (ctx: HeldContext, groups: readonly HeldGroup[]) => Promise<number>,
  done: string,
): Promise<CommandResult> {
  const groups = names.map((name) => oneOf(heldGroups, 'A group', name));
  const messages = await act(heldContext(session), groups);
  return { json: { [done]: messages }, text: () => `${messages} messages are ${done}.` };
}

function heldContext(session: Session): HeldContext {
  return {
    ...session.ctx,
    tables: restoredTables((table) => session.gateway.tables[table.replaceAll('-', '_')] ?? ''),
    sideTables: dynamoSideTables(session.ctx.db),
  };
}

function restoreContext(session: Session, progress: RestoreContext['progress']): RestoreContext {
  return {
    ...heldContext(session),
    workers: stackWorkers(session.gateway.stackName),
    progress,
    settleSeconds: process.env.AWS_ENDPOINT_URL === undefined ? settleSeconds : localSettleSeconds,
    report: session.progress,
  };
}

function textOf(report: RestoreReport, tables: readonly RestorableTable[]): string {
  const { held, disabled, failed_webhooks, deleted_endpoints } = report;
  const told = disabled.flatMap(({ table, id, since }) =>
    since.map(({ at, summary }) => ({ table, id, at, summary })),
  );
  return [
    textTable(
      Object.entries(report.tables).map(([table, counts]) => ({ table, ...counts })),
      ['table', ['rows at the time', 'rows'], 'copied', 'kept'],
      'The tables had no rows.',
    ),
    `Held messages: ${held.due.length} due, ${held.scheduled.length} scheduled, ${held.sent.length} sent. Decide by restore release or restore end.`,
    `${failed_webhooks.length} webhooks were not finished, and are now failed: resend them.`,
    `${disabled.length} clients, webhook secrets and API keys are disabled: restore enable.`,
    textTable(
      told,
      ['table', 'id', ['changed after the time', 'at'], ['what', 'summary']],
      'The Activity Log has no entry about them after that time.',
    ),
    ...(tables.includes('activity-log') ? ['Entries of the Activity Log after that time may be lost.'] : []),
    ...(deleted_endpoints.length === 0
      ? []
      : [`Not copied, because their clients deleted them after that time: ${deleted_endpoints.join(', ')}.`]),
  ].join('\n\n');
}
