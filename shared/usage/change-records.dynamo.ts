/** Reads what usage counts from the records of the messages table's stream. */
import {
  identityOf,
  isClosedForUsage,
  isRestoreWrite,
  rowIn,
  type StreamRecord,
} from '../platform/aws/stream-record.dynamo.ts';
import { parseCountedMessage } from './amounts.ts';
import type { ChangeRecord } from './count-changes.ts';

/**
 * The changes in these records; deletions and restored rows are left out, and what follows of those that were in flight.
 *
 * @throws Error if a record has no id or no time, which DynamoDB gives to each.
 */
export function changeRecords(records: readonly StreamRecord[]): ChangeRecord[] {
  return records.flatMap((record) => {
    const { OldImage: before, NewImage: after } = record.dynamodb ?? {};
    if (after === undefined || isRestoreWrite(record) || isClosedForUsage(record)) return [];
    return [
      {
        ...identityOf(record),
        before: parseCountedMessage(rowIn(before)),
        after: parseCountedMessage(rowIn(after)),
      },
    ];
  });
}
