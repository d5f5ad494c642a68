/** Reads the changes that people made to rows of a table from the records of the table's stream. */
import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type EditedRow, type EditedTable, ownAttributes } from './edited-row.ts';
import type { RowChange } from './record-row-changes.ts';

/** The fields of a stream record that are used here. */
export interface RowRecord {
  readonly eventID?: string | undefined;
  readonly dynamodb?:
    | {
        /** Seconds since the epoch. */
        readonly ApproximateCreationDateTime?: number | undefined;
        readonly OldImage?: unknown;
        readonly NewImage?: unknown;
      }
    | undefined;
}

/**
 * The changes, without the gateway's own writes. Those are recognised here and not by a filter of the event source
 * mapping, because a filter compares an attribute with a constant and cannot compare the two images of a record
 * (https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html).
 */
export function readRowChanges(records: readonly RowRecord[], { sortKey }: EditedTable): RowChange[] {
  return records.flatMap(({ eventID, dynamodb }) => {
    const before = rowOf(dynamodb?.OldImage);
    const after = rowOf(dynamodb?.NewImage);
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

function rowOf(image: unknown): EditedRow | undefined {
  return image === undefined
    ? undefined
    : unmarshall(image as Record<string, AttributeValue>, { wrapNumbers: Number });
}

/** What people write into a row. Images are compared as they are, because a number can be longer than JavaScript's. */
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
