/**
 * Writes each change of a row to the activity log, whether it was made in the console or with a tool (contract 10.6). The
 * entry's id is derived from the stream record, so a repeated record overwrites the entry.
 */

import { isDeepStrictEqual } from 'node:util';
import { type Activity, addActivity } from '../activity/write-activity.dynamo.ts';
import { everyClient } from '../contract/rate-limits-and-caps.ts';
import { rowIn, type StreamRecord } from '../platform/aws/stream-record.dynamo.ts';
import type { Context } from '../platform/context.ts';
import { derivedIdAt } from '../platform/ids.ts';
import {
  changeOf,
  type EditedRow,
  type EditedTable,
  ownAttributes,
  shownValue,
} from './row-editor.dynamo.ts';

/** A change of the attributes that operators edit, without the gateway's own attributes. */
interface RowChange {
  /** The id is the same if the stream delivers the change again. */
  readonly eventId: string;
  /** The time to the second. */
  readonly at: Date;
  readonly clientId: string;
  readonly sortKey: string;
  /** False if only the feedback was removed. The feedback is then written again, without an entry in the activity log. */
  readonly edited: boolean;
  readonly before: EditedRow | undefined;
  readonly after: EditedRow | undefined;
  /** The actor in `changed_by`; absent for a change in the console. */
  readonly changedBy: string | undefined;
}

export async function recordRowChanges(
  context: Context<'ACTIVITY_LOG_TABLE' | 'RETENTION_DAYS'>,
  changes: readonly RowChange[],
  table: EditedTable,
): Promise<void> {
  const edits = changes.filter(({ edited }) => edited);
  await Promise.all(edits.map((change) => addActivity(context, entryOf(change, table))));
}

function entryOf(
  { eventId, at: streamedAt, clientId, sortKey, before, after, changedBy }: RowChange,
  table: EditedTable,
): Activity {
  const { actor, at } = changeOf(changedBy, streamedAt, after === undefined) ?? { at: streamedAt };
  const who = actor ?? 'Someone';
  const where = actor === undefined ? ' directly in the table' : '';
  const whom = clientId === everyClient ? ' for every client' : '';
  const what =
    after === undefined
      ? `removed the row of ${sortKey}${whom}${where}: it no longer has an effect`
      : `set the ${table.change.what} of ${sortKey}${whom}${where}`;
  return {
    entry_id: derivedIdAt('act', at, eventId),
    kind: after === undefined ? table.change.removed : table.change.set,
    at: at.toISOString(),
    summary: `${who} ${what}`,
    client_id: clientId,
    actor,
    before: { [table.sortKey]: sortKey, ...shownValues(before, table) },
    after: { [table.sortKey]: sortKey, ...shownValues(after, table) },
  };
}

/** The maximum number of attributes in an entry, which keeps it small enough. Rows normally have fewer. */
const shownAttributesMax = 50;

function shownValues(row: EditedRow | undefined, { sortKey }: EditedTable): Record<string, unknown> {
  const values = Object.entries(row ?? {}).filter(([name]) => name !== 'client_id' && name !== sortKey);
  return Object.fromEntries(
    values
      .slice(0, shownAttributesMax)
      .map(([name, value]) => [
        name.slice(0, 128),
        typeof value === 'boolean' || isExact(value) ? value : textOf(value),
      ]),
  );
}

/** True if the number is exact. A larger one cannot be stored as a number. */
function isExact(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function textOf(value: unknown): string {
  return typeof value === 'string' && value.length <= 500 ? value : shownValue(value);
}

/**
 * Returns the changes, without the gateway's own writes. The filter of the event source mapping cannot exclude these
 * writes, because it compares an attribute with a constant, not with the record's other image
 * (https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html).
 */
export function readRowChanges(records: readonly StreamRecord[], { sortKey }: EditedTable): RowChange[] {
  return records.flatMap(({ eventID, dynamodb }) => {
    const before = rowIn(dynamodb?.OldImage);
    const after = rowIn(dynamodb?.NewImage);
    const row = after ?? before;
    if (row === undefined || eventID === undefined) return [];
    const edited = !isDeepStrictEqual(contentOf(dynamodb?.OldImage), contentOf(dynamodb?.NewImage));
    // Only an operator removes the feedback.
    if (!edited && after?.status !== undefined) return [];
    return [
      {
        eventId: eventID,
        at: new Date((dynamodb?.ApproximateCreationDateTime ?? 0) * 1000),
        clientId: String(row.client_id),
        sortKey: String(row[sortKey]),
        edited,
        before: contentOf(before),
        after: contentOf(after),
        changedBy: changedBy(before, after),
      },
    ];
  });
}

/**
 * Returns the attributes that operators edit. Images are compared unparsed, because a number can have more digits than a
 * JavaScript number.
 */
function contentOf(row: unknown): EditedRow | undefined {
  if (row === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(row as EditedRow).filter(([name]) => !ownAttributes.some((own) => own === name)),
  );
}

/** Returns the actor that the change stored in the row. An actor that was stored before belongs to an earlier change. */
function changedBy(before: EditedRow | undefined, after: EditedRow | undefined): string | undefined {
  const text = after === undefined ? before?.changed_by : after.changed_by;
  const isNew = after === undefined || text !== before?.changed_by;
  return isNew && typeof text === 'string' ? text : undefined;
}
