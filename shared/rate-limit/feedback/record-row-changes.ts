/**
 * Writes each change of a row to the activity log, whichever way it was made (contract, section 10). The entry's id
 * follows from the stream record, so a repeated record writes the same entry again.
 */
import type { Activity, ActivityLog } from '../../activity/activity-log.ts';
import { everyClient } from '../../contract/limit-rows.ts';
import { derivedIdAt } from '../../platform/ids.ts';
import { type OverrideRow, shownValue } from '../override-row.ts';
import { changeOf } from './changed-by.ts';

/** A change of what people write into a row; the gateway's own attributes are left out. */
export interface RowChange {
  /** The same if the stream delivers the change again. */
  readonly eventId: string;
  /** To the second. */
  readonly at: Date;
  readonly clientId: string;
  readonly endpoint: string;
  /** False if only the feedback was removed: it is written again, and the activity log has no entry. */
  readonly edited: boolean;
  /** Undefined for a new row. */
  readonly before: OverrideRow | undefined;
  /** Undefined for a deleted row. */
  readonly after: OverrideRow | undefined;
  /** The mark of the tool that made it; absent for a change in the console. */
  readonly changedBy: string | undefined;
}

export async function recordRowChanges(log: ActivityLog, changes: readonly RowChange[]): Promise<void> {
  await Promise.all(changes.filter(({ edited }) => edited).map((change) => log.add(entryOf(change))));
}

function entryOf({
  eventId,
  at: streamedAt,
  clientId,
  endpoint,
  before,
  after,
  changedBy,
}: RowChange): Activity {
  const { actor, at } = changeOf(changedBy, streamedAt, after === undefined) ?? { at: streamedAt };
  const who = actor ?? 'Someone';
  const where = actor === undefined ? ' directly in the table' : '';
  const whom = clientId === everyClient ? ' for every client' : '';
  const what =
    after === undefined
      ? `removed the row of ${endpoint}${whom}${where}: it has no effect any more`
      : `set the limits of ${endpoint}${whom}${where}`;
  return {
    entry_id: derivedIdAt('act', at, eventId),
    kind: after === undefined ? 'limits_removed' : 'limits_set',
    at: at.toISOString(),
    summary: `${who} ${what}`,
    client_id: clientId,
    ...(actor === undefined ? {} : { actor }),
    before: { endpoint, ...shownValues(before) },
    after: { endpoint, ...shownValues(after) },
  };
}

/** More than a row has by intention: an entry must not become too large to be written. */
const shownAttributesMax = 50;

function shownValues(row: OverrideRow | undefined): Record<string, unknown> {
  const values = Object.entries(row ?? {}).filter(([name]) => name !== 'client_id' && name !== 'endpoint');
  return Object.fromEntries(
    values
      .slice(0, shownAttributesMax)
      .map(([name, value]) => [
        name.slice(0, 128),
        typeof value === 'boolean' || isExact(value) ? value : textOf(value),
      ]),
  );
}

/** Larger numbers cannot be written as numbers. */
function isExact(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function textOf(value: unknown): string {
  return typeof value === 'string' && value.length <= 500 ? value : shownValue(value);
}
