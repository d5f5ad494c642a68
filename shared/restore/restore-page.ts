/**
 * Restores one page of rows of a side table, or only says what would become of them. Each row is written once under the id of
 * the restore, and what follows from it is repeated safely, so a page that was interrupted is restored again as a whole.
 */

import { messageError } from '../contract/message-error-codes.ts';
import { type Message, messageSchema } from '../message/message.ts';
import type { MessageStore } from '../message/store/message-store.ts';
import { restoredBy, rowIn, usageClosed } from '../platform/aws/stream-record.dynamo.ts';
import { earlierOf, type Sleep } from '../platform/clock.ts';
import { chunksOf } from '../platform/long-lists.ts';
import type { DueItemIndex } from '../recovery/due-item-index.dynamo.ts';
import { leaveToReview } from '../relay/expire-messages.ts';
import { type Delivery, deliverySchema, dueItemOf } from '../webhook/delivery.ts';
import { resendSchema } from '../webhook/log/resend.ts';
import type { Evidence, EvidenceSources, SettingChange, StreamEvidenceStore } from './evidence.ts';
import { evidenceInRow, judgeMessage, laterRow, mergedEvidence } from './judge-message.ts';
import type { RestoreProgress } from './restore-progress.ts';
import type { Decisions, RestoreReport, RowOutcome } from './restore-report.ts';
import type { Item } from './side-tables.dynamo.ts';
import type { Maintenance, StackWorkers } from './stop-stage.lambda.ts';
import { keyOf, type RestorableTable, ruleOf } from './table-rows.dynamo.ts';

export interface RestoreDependencies extends EvidenceSources {
  readonly messages: Pick<MessageStore, 'transition'>;
  readonly dueItemIndex: Pick<DueItemIndex, 'add'>;
  readonly workers: StackWorkers;
  readonly maintenance: Maintenance;
  readonly progress: StreamEvidenceStore & {
    read(): Promise<RestoreProgress | undefined>;
    write(progress: RestoreProgress): Promise<void>;
    writeReport(report: RestoreReport): Promise<void>;
    readReport(): Promise<RestoreReport | undefined>;
  };
  /** How long calls last that began before all was stopped, and how long the API may not see that it is. */
  readonly settleSeconds: number;
  readonly sleep: Sleep;
  readonly report: (line: string) => void;
}

export interface RestoreRun {
  readonly restoreId: string;
  readonly stoppedAt: Date;
  readonly restored: ReadonlySet<RestorableTable>;
  readonly evidence: Evidence;
}

/** @param decisions - undefined: nothing is written */
export async function restorePage(
  dependencies: RestoreDependencies,
  run: RestoreRun,
  table: RestorableTable,
  items: readonly Item[],
  decisions: Decisions | undefined,
): Promise<readonly RowOutcome[]> {
  const stackTable = dependencies.tables[table];
  const present = await dependencies.rows.present(stackTable, items);
  const seconds = dependencies.clock().getTime() / 1000;
  const outcomes: RowOutcome[] = [];
  for (const chunk of chunksOf(items, rowsAtOnce))
    outcomes.push(...(await Promise.all(chunk.map(outcomeOf))));
  return outcomes;

  async function outcomeOf(item: Item): Promise<RowOutcome> {
    if (Number(item.purge_at?.N ?? Number.POSITIVE_INFINITY) <= seconds) return { kind: 'purged' };
    const row: Row = { item, present: present.get(keyOf(stackTable, item)) };
    if (table === 'messages') return restoreMessage(dependencies, run, row, decisions);
    if (table === 'webhook-deliveries') return restoreDelivery(dependencies, run, row, decisions);
    return restoreRow(dependencies, run, table, row, decisions);
  }
}

/** Eight segments at once use a few more than the SDK's connections: more would wait too long for one. */
const rowsAtOnce = 10;

interface Row {
  /** As it was at the time. */
  readonly item: Item;
  readonly present: Item | undefined;
}

async function restoreMessage(
  dependencies: RestoreDependencies,
  { restoreId, stoppedAt, evidence }: RestoreRun,
  { item, present }: Row,
  decisions: Decisions | undefined,
): Promise<RowOutcome> {
  const parsed = messageSchema().safeParse(rowIn(item));
  const table = dependencies.tables.messages;
  // The row was no valid message at the time either: a person corrects it.
  if (!parsed.success) {
    if (decisions !== undefined) await dependencies.rows.put(table, marked(item, restoreId), true);
    return present === undefined ? { kind: 'restored' } : { kind: 'kept', differs: false };
  }
  const atTime = parsed.data;
  const isOurs = present?.[restoredBy]?.S === restoreId;
  const later = isOurs ? undefined : laterRow(rowIn(present), atTime);
  if (later !== undefined) return { kind: 'kept', differs: later.status !== atTime.status };
  // A row that an interrupted run wrote proves what that run knew of it, and whether it failed it.
  const proofs = mergedEvidence(evidenceInRow(rowIn(present)), evidence.messages.get(atTime.message_id));
  const { group, changes } = judgeMessage(atTime, proofs, stoppedAt);
  // Whether the next leg was started after the time is not known, and it is not started again.
  const legs = group !== 'scheduled' && atTime.fallback !== undefined;
  const outcome: RowOutcome = { kind: 'message', key: atTime.message_id, group, legs };
  if (decisions === undefined) return outcome;
  const { fallback, ...single } = item;
  const inFlight = group === 'unknown' || group === 'sent' || changes.status === 'sent';
  const restored = {
    ...(legs ? single : item),
    ...texts(changes),
    ...(inFlight ? { [usageClosed]: { BOOL: true } } : {}),
  };
  if (!isOurs) await dependencies.rows.put(table, marked(restored, restoreId), present === undefined);
  if (group === 'unknown' && decisions.unknownMessages !== 'send') {
    // Changes like any other: they are counted, and the client gets the event. A scheduled message fails only once it is
    // queued; its queue message finds it failed.
    const at = dependencies.clock();
    if (atTime.status === 'scheduled')
      await dependencies.messages.transition(atTime.message_id, { to: 'queued', at });
    const failure = { to: 'failed', at, ...messageError('hand_over_unknown') } as const;
    await dependencies.messages.transition(atTime.message_id, failure);
    return outcome;
  }
  const message: Message = messageSchema().parse(rowIn(restored));
  await leaveToReview(dependencies, [message]);
  return outcome;
}

async function restoreDelivery(
  dependencies: RestoreDependencies,
  { restoreId, stoppedAt }: RestoreRun,
  { item, present }: Row,
  decisions: Decisions | undefined,
): Promise<RowOutcome> {
  const isOurs = present?.[restoredBy]?.S === restoreId;
  if (present !== undefined && !isOurs) return { kind: 'kept', differs: false };
  // It would go on with what was resent after that time, and nobody decided so. What it has not sent is listed as failed.
  const resend = resendSchema.safeParse(rowIn(item));
  if (resend.success && resend.data.status !== 'completed') return { kind: 'purged' };
  const parsed = deliverySchema.safeParse(rowIn(item));
  const isOpen = parsed.success && ['pending', 'attempting', 'retry_scheduled'].includes(parsed.data.state);
  const outcome: RowOutcome = isOpen
    ? { kind: 'webhook', key: parsed.data.delivery_id }
    : { kind: 'restored' };
  if (decisions === undefined) return outcome;
  const restored =
    isOpen && decisions.unknownWebhooks !== 'send' ? failedAt(stoppedAt, item, parsed.data) : item;
  await dependencies.rows.put(dependencies.tables['webhook-deliveries'], marked(restored, restoreId), true);
  // The sweep sends what is due, and the alerts of those that failed, with the entries by which lists and resends find them.
  const { data: delivery } = deliverySchema.safeParse(rowIn(restored));
  if (delivery !== undefined) await dependencies.dueItemIndex.add('deliveries', dueItemOf(delivery));
  return outcome;
}

function failedAt(at: Date, { lease_until, ...item }: Item, { attempt_due_at }: Delivery): Item {
  return {
    ...item,
    ...texts({
      state: 'failed',
      finished_at: at.toISOString(),
      // The entry of the failure is listed by this time, and lists end now.
      attempt_due_at: earlierOf(new Date(attempt_due_at), at).toISOString(),
    }),
    alert_pending: { BOOL: true },
  };
}

function marked(item: Item, restoreId: string): Item {
  return { ...item, [restoredBy]: { S: restoreId } };
}

function texts(values: Readonly<Record<string, string>>): Item {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { S: value }]));
}

/**
 * Restores a row of a table in which nothing waits: settings, the Activity Log, batches, usage, and the due-item index.
 *
 * @param decisions - undefined: nothing is written
 */
async function restoreRow(
  { rows, tables }: RestoreDependencies,
  { evidence: { settings }, restored }: RestoreRun,
  table: RestorableTable,
  { item, present }: Row,
  decisions: Decisions | undefined,
): Promise<RowOutcome> {
  const stackTable = tables[table];
  const { replaceable = false, deletedBy, counts } = ruleOf(table);
  if (present !== undefined) {
    const summed = counts === undefined ? undefined : withCounts(present, item, counts);
    if (summed !== undefined) {
      if (decisions !== undefined) await rows.put(stackTable, summed, false);
      return { kind: 'replaced' };
    }
    const differs = JSON.stringify(inOrder(present)) !== JSON.stringify(inOrder(item));
    if (!differs || !replaceable || decisions?.replace !== true) return { kind: 'kept', differs };
    await rows.put(stackTable, item, false);
    return { kind: 'replaced' };
  }
  const wasDeleted = settings.some(
    ({ kind, client_id }) => kind === deletedBy && client_id === item.client_id?.S,
  );
  // An event whose webhooks are lost as well would be posted again.
  const repeats = table === 'due-items' && restored.has('webhook-deliveries') && isWebhookItem(item);
  if (repeats) return { kind: 'purged' };
  if (decisions !== undefined && !(wasDeleted && decisions.deletedRows !== 'restore'))
    await rows.put(stackTable, withdrawn(table, item, settings), true);
  return wasDeleted ? { kind: 'deleted', key: keyOf(stackTable, item) } : { kind: 'restored' };
}

/**
 * Adds what the row had at the time to what was counted since it was lost; undefined where the row was counted on. Afterwards
 * it has as much as at the time, so a repeat adds nothing.
 */
function withCounts(present: Item, atTime: Item, counts: RegExp): Item | undefined {
  const total = (item: Item): number =>
    numbersIn(item).reduce((sum, [name, count]) => (counts.test(name) ? sum + count : sum), 0);
  if (total(present) >= total(atTime)) return undefined;
  const sums = numbersIn(atTime).map(([name, count]) => {
    return [name, { N: String(count + Number(present[name]?.N ?? 0)) }] as const;
  });
  return { ...present, ...Object.fromEntries(sums) };
}

function numbersIn(item: Item): (readonly [string, number])[] {
  return Object.entries(item).flatMap(([name, { N }]) =>
    N === undefined || name === 'purge_at' ? [] : [[name, Number(N)] as const],
  );
}

/** The row with what the Activity Log proves that was taken from it since: a key that is revoked, a client that is disabled. */
function withdrawn(table: RestorableTable, item: Item, settings: readonly SettingChange[]): Item {
  if (table === 'api-keys') {
    const revoked = settings.find(
      ({ kind, after }) => kind === 'api_key_revoked' && after?.key_id === item.key_id?.S,
    );
    return revoked === undefined ? item : { ...item, revoked_at: { S: revoked.at } };
  }
  if (table !== 'clients') return item;
  const last = settings.findLast(
    ({ kind, client_id }) =>
      ['client_disabled', 'client_enabled'].includes(kind) && client_id === item.client_id?.S,
  );
  return last === undefined ? item : { ...item, disabled: { BOOL: last.kind === 'client_disabled' } };
}

function isWebhookItem({ list }: Item): boolean {
  return /^(?:deliveries|fan-outs|resends)#/.test(list?.S ?? '');
}

function inOrder(item: Item): [string, unknown][] {
  return Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1));
}
