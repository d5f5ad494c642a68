/** `restore`: brings the tables of a stage back to a point in time, in steps that can be interrupted and continued. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { GatewayError } from '../../shared/contract/errors.ts';
import { dynamoMessageStore } from '../../shared/message/store/message-store.dynamo.ts';
import { dynamo } from '../../shared/platform/aws/clients.ts';
import { dynamoDueItemIndex } from '../../shared/recovery/due-item-index.dynamo.ts';
import { unknownOfStream } from '../../shared/restore/evidence.ts';
import type { RestoreDependencies } from '../../shared/restore/restore-page.ts';
import { isRestoreOf, type RestoreProgress } from '../../shared/restore/restore-progress.ts';
import {
  type Decisions,
  planRestore,
  type RestoreReport,
  unknownIn,
} from '../../shared/restore/restore-report.ts';
import { restoreStage } from '../../shared/restore/restore-stage.ts';
import { dynamoSideTables } from '../../shared/restore/side-tables.dynamo.ts';
import { dynamoMaintenance, stackWorkers } from '../../shared/restore/stop-stage.lambda.ts';
import { dynamoStreamRecords } from '../../shared/restore/stream-records.dynamo.ts';
import {
  dynamoTableRows,
  type RestorableTable,
  restorableTables,
} from '../../shared/restore/table-rows.dynamo.ts';
import type { AdminCommand, CommandResult, Session } from './command.ts';
import { timeForms, timeOf } from './options.ts';
import { textTable } from './print.ts';
import { progressFiles } from './restore-progress.ts';
import { restoredTables } from './restored-tables.ts';

interface Options extends Decisions {
  readonly to: string;
  readonly table?: readonly string[];
  readonly plan: boolean;
  readonly confirm: boolean;
  readonly cancel: boolean;
  readonly again: boolean;
  readonly progress: string;
}

/** The caches of functions for a minute, and the longest wait and run of a worker (count-usage.ts) that began before. */
const settleSeconds = 180;
/** On this machine nothing but the caches lasts for longer than a few seconds. */
const localSettleSeconds = 65;

const progressFolder = join(import.meta.dirname, '..', '..', '.local', 'restore');

export function addRestoreCommand(program: AdminCommand): void {
  program
    .command('restore')
    .description('brings tables of the stage back to a point in time; see docs/rotate-and-restore.md first')
    .requiredOption('--to <time>', timeForms)
    .option('--table <names...>', `only these; default: all of ${restorableTables.join(', ')}`)
    .option('--plan', 'shows what would be done, and changes nothing', false)
    .addOption(decision('--unknown-messages', 'messages that may have been handed over', ['send', 'fail']))
    .addOption(decision('--unknown-webhooks', 'webhooks that may have been acknowledged', ['send', 'fail']))
    .addOption(decision('--deleted-rows', 'rows that may have been deleted on purpose', ['restore', 'leave']))
    .option(
      '--replace',
      'put rows of limits, senders and webhook endpoints back that were changed since',
      false,
    )
    .option('--confirm', 'copy the rows, and turn all on again: after you have read the report', false)
    .addOption(
      new Option('--cancel', 'turn all on again without a copy')
        .default(false)
        .conflicts(['confirm', 'plan']),
    )
    .option('--again', 'restore to a time to which this command has restored before', false)
    .option('--progress <folder>', 'where the progress and the report are kept', progressFolder)
    .addHelpText(
      'after',
      '\nExit status 1: something is to be decided or confirmed; the API still answers 503.',
    )
    .run(async (session, options: Options) => {
      const to = secondOf(options);
      const tables = tablesOf(options.table);
      const { files, report, alone } = progressFiles(options.progress, session.gateway.stackName);
      const dependencies = dependenciesOf(session, files);
      if (options.plan) return planned(await planRestore(dependencies, to, tables), to);
      const { confirm: confirmed, cancel: canceled, again } = options;
      const asked = { to, tables, decisions: options, confirmed, canceled, again };
      const restored = await alone(async () => {
        const known = await files.read();
        const isDone = known?.step === 'done';
        if (isDone && !canceled && !again && isRestoreOf(known, asked)) return { ended: known };
        if (!canceled && (known === undefined || isDone)) {
          // What cannot be restored is found before anything is stopped.
          const plan = await planRestore(dependencies, to, tables);
          if (plan.problems.length > 0) return { plan };
        }
        return { result: await restoreStage(dependencies, asked) };
      });
      if (restored.ended !== undefined) return endedBefore(restored.ended);
      if (restored.plan !== undefined) return planned(restored.plan, to);
      const { result } = restored;
      const done = result.step === 'done';
      return {
        json: { ...result, report_file: report },
        text: () => [
          ...(result.report === undefined ? [] : [textOf(result.report, tables)]),
          ...result.open.map((line) => `To be decided: ${line}`),
          `All ids are in ${report}.`,
          ...(done ? ['Done: the workers and the API are on again.'] : []),
        ],
        problem: done
          ? undefined
          : 'Nothing is written yet, and the API answers 503. Repeat the command with your decisions and --confirm, or with --cancel.',
      };
    });
}

function decision(name: string, description: string, choices: readonly string[]): Option {
  return new Option(`${name} <decision>`, description).choices(choices);
}

function endedBefore({ step, to }: RestoreProgress): CommandResult {
  return {
    json: { step, to },
    text: () => '',
    problem: `Nothing was done: this restore to ${to} has ended before, with a copy or by --cancel. To restore to that time again, add --again.`,
  };
}

/** A restore is to a whole second. A time that is counted back from now would be another one when it is continued. */
function secondOf({ to, plan }: Options): Date {
  const time = timeOf('to', to, new Date());
  if (!plan && !to.includes('T'))
    throw new GatewayError('invalid_request', '--to is no time: give one such as 2026-11-20T10:00:00Z.');
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

function tablesOf(names: readonly string[] | undefined): readonly RestorableTable[] {
  if (names === undefined) return restorableTables;
  return names.map((name) => {
    const table = restorableTables.find((each) => each === name);
    if (table !== undefined) return table;
    throw new GatewayError('invalid_request', `--table is one of ${restorableTables.join(', ')}.`);
  });
}

function dependenciesOf(
  { gateway: { tables, stackName }, dependencies: { retentionDays, clock }, progress: report }: Session,
  progress: RestoreDependencies['progress'],
): RestoreDependencies {
  const client = dynamo();
  const emulator = process.env.AWS_ENDPOINT_URL;
  const nameOf = (table: string): string => tables[table.replaceAll('-', '_')] ?? '';
  return {
    tables: restoredTables(nameOf),
    sideTables: dynamoSideTables(client),
    streamRecords: dynamoStreamRecords(client, sleep, emulator),
    rows: dynamoTableRows(client),
    workers: stackWorkers(stackName),
    maintenance: dynamoMaintenance(client, nameOf('limit-overrides')),
    messages: dynamoMessageStore(client, { tableName: nameOf('messages'), retentionDays }),
    dueItemIndex: dynamoDueItemIndex(client, nameOf('due-items')),
    progress,
    settleSeconds: emulator === undefined ? settleSeconds : localSettleSeconds,
    clock,
    sleep,
    report,
  };
}

function planned(
  { tables, problems, settings, changed, streamSince }: Awaited<ReturnType<typeof planRestore>>,
  to: Date,
): CommandResult {
  return {
    json: {
      tables,
      problems,
      settings_changed: settings,
      messages_changed: changed,
      stream_since: streamSince,
    },
    text: () => [
      textTable(tables, ['table', ['restorable since', 'earliest'], ['until', 'latest'], 'bytes'], ''),
      `${changed} messages are known to have been accepted or changed after the time; the Activity Log has ${settings.length} changes of settings.`,
      ...(streamSince === undefined ? [] : unknownOfStream(streamSince, to.toISOString())).map(
        (line) => `Unknown: ${line}`,
      ),
      'Steps: the API answers 503 and the workers stop; DynamoDB restores each table beside the present one; you read what becomes of each row, and decide; missing rows are copied; all is turned on.',
    ],
    problem: problems.length === 0 ? undefined : problems.join('\n'),
  };
}

function textOf(report: RestoreReport, tables: readonly RestorableTable[]): string {
  const { messages } = report;
  return [
    textTable(
      Object.entries(report.tables).map(([table, counts]) => ({ table, ...counts })),
      [
        'table',
        ['rows at the time', 'rows'],
        ['to restore', 'restored'],
        'kept',
        ['of these changed since', 'differs'],
      ],
      '',
    ),
    ...(tables.includes('messages')
      ? [
          `Messages of the time that are missing or spoilt: ${messages.final} were final, ${messages.changed} changed after it as the stream or webhooks prove and get that state, ${messages.sent} wait for a receipt, ${messages.scheduled} are sent at their time, of ${messages.unknown} it is unknown whether they were handed over.`,
        ]
      : []),
    textTable(
      report.settings_changed,
      [
        ['changed after the time', 'at'],
        ['what', 'summary'],
      ],
      'The Activity Log has no change of settings after the time.',
    ),
    ...unknownIn(report, new Set(tables)).map((line) => `Unknown: ${line}`),
  ].join('\n\n');
}
