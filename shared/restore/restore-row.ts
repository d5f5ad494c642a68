/** Restores a row of a table in which nothing waits: settings, the Activity Log, batches, usage, and the due-item index. */
import type { Evidence, SettingChange } from './evidence.ts';
import type { Decisions, RowOutcome } from './row-outcome.ts';
import type { Item } from './side-tables.dynamo.ts';
import { keyOf, type StackTable, type TableRows } from './table-rows.dynamo.ts';
import { type RestorableTable, ruleOf } from './table-rules.ts';

interface RestoredRow {
  readonly table: RestorableTable;
  readonly stackTable: StackTable;
  /** As it was at the time. */
  readonly item: Item;
  readonly present: Item | undefined;
}

/** @param decisions - undefined: nothing is written */
export async function restoreRow(
  rows: Pick<TableRows, 'put'>,
  { evidence: { settings }, restored }: { evidence: Evidence; restored: ReadonlySet<RestorableTable> },
  { table, stackTable, item, present }: RestoredRow,
  decisions: Decisions | undefined,
): Promise<RowOutcome> {
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
  return /^(?:deliveries|fan-outs)#/.test(list?.S ?? '');
}

function inOrder(item: Item): [string, unknown][] {
  return Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1));
}
