/** Reads the changes that people made to rows of a table from the records of the table's stream. */
import { isDeepStrictEqual } from 'node:util';
import { rowIn, type StreamRecord } from '../platform/aws/stream-record.dynamo.ts';
import { type EditedRow, type EditedTable, ownAttributes } from './edited-row.ts';
import type { RowChange } from './record-row-changes.ts';

/**
 * The changes, without the gateway's own writes. Those are recognised here and not by a filter of the event source
 * mapping, because a filter compares an attribute with a constant and cannot compare the two images of a record
 * (https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html).
 */
export function readRowChanges(records: readonly StreamRecord[], { sortKey }: EditedTable): RowChange[] {
  return records.flatMap(({ eventID, dynamodb }) => {
    const before = rowIn(dynamodb?.OldImage);
    const after = rowIn(dynamodb?.NewImage);
    const row = after ?? before;
    if (row === undefined || eventID === undefined) return [];
    const edited = !isDeepStrictEqual(contentOf(dynamodb?.OldImage), contentOf(dynamodb?.NewImage));
    // The gateway never removes its feedback.
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
 * Returns the attributes that people write into a row. Images are compared unparsed, because a number can be longer
 * than JavaScript's.
 */
function contentOf(row: unknown): EditedRow | undefined {
  if (row === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(row as EditedRow).filter(([name]) => !ownAttributes.some((own) => own === name)),
  );
}

/** A tool that changes a row names itself in it; what was there before the change is of an earlier one. */
function changedBy(before: EditedRow | undefined, after: EditedRow | undefined): string | undefined {
  const text = after === undefined ? before?.changed_by : after.changed_by;
  const isNew = after === undefined || text !== before?.changed_by;
  return isNew && typeof text === 'string' ? text : undefined;
}
