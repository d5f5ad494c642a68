/**
 * Brings a stage back from point-in-time recovery into the same stack. The steps:
 *
 *   stop      the API answers 503, schedules and event source mappings are off, and the last calls have ended
 *   restore   DynamoDB restores each table into a side table
 *   compare   nothing is written; the operator sees what becomes of each row, and decides
 *   copy      rows that are missing or spoilt are written, with a mark that relay and usage ignore (`restored_by`)
 *   start     mappings and schedules that were on are turned on, then the API
 *   clean     the side tables are deleted
 *
 * Each step can be repeated, and the progress is stored before the next one begins, so a restore that dies at any line is
 * continued by the same command. A row is judged by the side table, by surviving tables, by its present row, and by what the
 * stream of messages had when all was stopped: those do not change until all is turned on.
 */

import { clientIdIn, modes } from '../contract/mode.ts';
import { messageSchema } from '../message/message.ts';
import { rowIn } from '../platform/aws/stream-record.dynamo.ts';
import { leaveToReview } from '../relay/expire-messages.ts';
import { allClients } from '../usage/count-changes.ts';
import { deliverySchema, dueItemOf } from '../webhook/delivery.ts';
import { resendSchema } from '../webhook/log/resend.ts';
import { collectEvidence, type Evidence, hourOf, keptStreamEvidence } from './evidence.ts';
import { type RestoreDependencies, type RestoreRun, restorePage } from './restore-page.ts';
import {
  type AskedRestore,
  begun,
  type RestoreProgress,
  type RestoreStep,
  stillStopped,
  stoppedAnew,
} from './restore-progress.ts';
import { type Decisions, openDecisions, type RestoreReport, reportBuilder } from './restore-report.ts';
import { allItems, eachPage, type Item, sideTableName } from './side-tables.dynamo.ts';
import type { RestorableTable } from './table-rows.dynamo.ts';

export interface RestoreRequest extends AskedRestore {
  readonly decisions: Decisions;
  /** Whether the operator has seen the report, and wants the copy. */
  readonly confirmed: boolean;
}

const turnedOnMeanwhile =
  'Another command turned the stage on meanwhile. Repeat this command: it stops the stage again, and compares anew.';
/** Lambda takes seconds to turn a mapping. */
const mappingPollSeconds = 2;
/** DynamoDB takes minutes to restore a table. */
const tablePollSeconds = 10;

export async function restoreStage(dependencies: RestoreDependencies, request: RestoreRequest) {
  const { progress: store, settleSeconds, clock, report: say } = dependencies;
  let progress = await stillStopped(dependencies, begun(await store.read(), request, clock()));
  const to = new Date(progress.to);
  const save = async (change: Partial<RestoreProgress>): Promise<void> => {
    progress = { ...progress, ...change };
    await store.write(progress);
  };
  const isAt = (step: RestoreStep): boolean => progress.step === step;

  if (request.canceled && progress.workers !== undefined) await save({ step: 'start' });
  if (isAt('stop')) {
    say('The API answers 503, and the workers are turned off.');
    const hadBegun = await dependencies.maintenance.begin();
    // What was on is stored before the first of it is turned off. Where that is lost, all are turned on at the end.
    if (progress.workers === undefined)
      await save({ workers: await dependencies.workers.find(hadBegun ? 'all' : 'on') });
    // What has happened is counted until the end: the report compares usage with the messages.
    await turn(dependencies, progress, 'off', { exceptCounting: true });
    say(`Waits ${settleSeconds} s for requests and calls that began before.`);
    await dependencies.sleep(settleSeconds * 1000);
    await turn(dependencies, progress, 'off');
    await save({ step: 'restore', stoppedAt: clock().toISOString() });
  }
  if (isAt('restore')) {
    // A stream forgets, and DynamoDB may take an hour for the tables.
    await keptStreamEvidence(dependencies, progress);
    await restoreSideTables(dependencies, progress.tables, to);
    await save({ step: 'compare' });
  }
  if (isAt('compare')) {
    const run = await runOf(dependencies, progress);
    const report = await compare(dependencies, progress, run);
    await store.writeReport(report);
    const open = openDecisions(report, request.decisions);
    if (!request.confirmed || open.length > 0) return { step: 'compare', report, open };
    await save({ step: 'copy', decisions: request.decisions });
  }
  if (isAt('copy')) {
    await copy(dependencies, progress, await runOf(dependencies, progress), async (positions) => {
      if (isAt('copy')) await save({ positions });
      if (!(await dependencies.maintenance.begin())) await save(stoppedAnew(progress, clock()));
      // The other segments of a table end as well.
      if (!isAt('copy')) throw new Error(turnedOnMeanwhile);
    });
    await save({ step: 'start' });
  }
  if (isAt('start')) {
    say('The workers are turned on, then the API.');
    await turn(dependencies, progress, 'on');
    await dependencies.maintenance.end();
    await save({ step: 'clean' });
  }
  if (isAt('clean')) {
    for (const table of progress.tables)
      await dependencies.sideTables.drop(dependencies.tables[table].name, to);
    await save({ step: 'done' });
  }
  return { step: progress.step, report: await store.readReport(), open: [] };
}

async function turn(
  { workers, sleep }: RestoreDependencies,
  progress: RestoreProgress,
  state: 'on' | 'off',
  { exceptCounting = false } = {},
): Promise<void> {
  if (progress.workers === undefined) return;
  const { mappings, counting } = progress.workers;
  const turned = exceptCounting ? mappings.filter((id) => !counting.includes(id)) : mappings;
  while (!(await workers.turn({ ...progress.workers, mappings: turned }, state)))
    await sleep(mappingPollSeconds * 1000);
}

async function restoreSideTables(
  { sideTables, tables, sleep, report: say }: RestoreDependencies,
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

async function runOf(dependencies: RestoreDependencies, progress: RestoreProgress): Promise<RestoreRun> {
  const now = dependencies.clock();
  const stream = await keptStreamEvidence(dependencies, progress);
  return {
    restoreId: progress.restoreId,
    stoppedAt: progress.stoppedAt === undefined ? now : new Date(progress.stoppedAt),
    restored: new Set(progress.tables),
    evidence: await collectEvidence(dependencies, new Date(progress.to), now, stream),
  };
}

/** Reads everything, and writes nothing. */
async function compare(
  dependencies: RestoreDependencies,
  { restoreId, to, tables }: Pick<RestoreProgress, 'restoreId' | 'to' | 'tables'>,
  run: RestoreRun,
): Promise<RestoreReport> {
  const { evidence } = run;
  const builder = reportBuilder({ restore_id: restoreId, to }, evidence);
  /** Messages of the time, and later ones that survive. */
  const known = new Set<string>();
  const knownByClient = new Map<string, number>();
  const hour = hourOf(to);
  const note = (item: Item): void => {
    const id = item.message_id?.S ?? '';
    if (known.has(id)) return;
    known.add(id);
    if (hourOf(item.created_at?.S ?? '') < hour || item.direction?.S === 'inbound') return;
    const client = item.client_id?.S ?? '';
    knownByClient.set(client, (knownByClient.get(client) ?? 0) + 1);
  };
  for (const table of tables) {
    dependencies.report(`Compares ${table}.`);
    const side = sideTableName(dependencies.tables[table].name, new Date(to));
    await eachPage(dependencies.sideTables, side, {}, async (items) => {
      if (table === 'messages') for (const item of items) note(item);
      builder.add(table, await restorePage(dependencies, run, table, items, undefined));
    });
  }
  if (tables.includes('messages'))
    for await (const item of allItems(dependencies.sideTables, dependencies.tables.messages.name)) note(item);
  return builder.build(lostMessages(evidence, tables.includes('messages'), known, knownByClient));
}

/** The rows with the sums of all clients, of live and of test data. */
const ofAllClients = modes.map((mode) => clientIdIn(mode, allClients));

function lostMessages(
  { messages, counted }: Evidence,
  isRestored: boolean,
  known: ReadonlySet<string>,
  knownByClient: ReadonlyMap<string, number>,
): Pick<RestoreReport, 'lost_messages' | 'lost_by_client'> {
  if (!isRestored) return { lost_messages: [], lost_by_client: {} };
  const named = [...messages].filter(([id]) => !known.has(id));
  const byClient = [...counted]
    .filter(([client]) => !ofAllClients.includes(client))
    .map(([client, count]) => [client, count - (knownByClient.get(client) ?? 0)] as const)
    .filter(([, count]) => count > 0);
  return {
    lost_messages: named.map(([message_id, known]) => ({ message_id, ...known })),
    lost_by_client: Object.fromEntries(byClient),
  };
}

async function copy(
  dependencies: RestoreDependencies,
  progress: RestoreProgress,
  run: RestoreRun,
  savePositions: (positions: Readonly<Record<string, Item | null>>) => Promise<void>,
): Promise<void> {
  const positions: Record<string, Item | null> = { ...progress.positions };
  for (const table of progress.tables) {
    const side = sideTableName(dependencies.tables[table].name, new Date(progress.to));
    let rows = 0;
    await eachPage(
      dependencies.sideTables,
      side,
      positions,
      async (items) => {
        await restorePage(dependencies, run, table, items, progress.decisions ?? {});
        rows += items.length;
      },
      async (segment, next) => {
        positions[`${side} ${segment}`] = next ?? null;
        dependencies.report(`${table}: ${rows} rows.`);
        await savePositions(positions);
      },
    );
    if (table === 'due-items') await reviewSurvivors(dependencies);
  }
}

/**
 * Adds the due items of rows that survived while their due items were lost, also where their table is restored: of those
 * that are newer than the restored time, the side table has none. What is restored later adds its own.
 */
async function reviewSurvivors({
  sideTables,
  tables,
  dueItemIndex,
  clock,
}: RestoreDependencies): Promise<void> {
  for await (const item of allItems(sideTables, tables.messages.name)) {
    const message = messageSchema().safeParse(rowIn(item)).data;
    if (message !== undefined) await leaveToReview({ dueItemIndex, clock }, [message]);
  }
  for await (const item of allItems(sideTables, tables['webhook-deliveries'].name)) {
    const delivery = deliverySchema.safeParse(rowIn(item)).data;
    const due = delivery === undefined ? [] : dueItemOf(delivery);
    if (due.length > 0) await dueItemIndex.add('deliveries', due);
    const resend = resendSchema.safeParse(rowIn(item)).data;
    if (resend !== undefined && resend.status !== 'completed')
      await dueItemIndex.add('resends', [{ id: resend.resend_id, dueAt: clock() }]);
  }
}
