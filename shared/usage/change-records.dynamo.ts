/** Reads what usage counts from the records of the messages table's stream. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { StreamRecord } from '../relay/stream.dynamo.ts';
import { type CountedMessage, parseCountedMessage } from './amounts.ts';
import type { ChangeRecord } from './count-changes.ts';

/** The fields of a stream record that are used here. */
export interface TimedStreamRecord extends StreamRecord {
  readonly dynamodb?:
    | (NonNullable<StreamRecord['dynamodb']> & { readonly ApproximateCreationDateTime?: number | undefined })
    | undefined;
}

/**
 * The changes in these records; deletions are left out.
 *
 * @throws Error if a record has no id or no time, which DynamoDB gives to each.
 */
export function changeRecords(records: readonly TimedStreamRecord[]): ChangeRecord[] {
  return records.flatMap(({ eventID, dynamodb }) => {
    const { OldImage: before, NewImage: after, ApproximateCreationDateTime: seconds } = dynamodb ?? {};
    if (after === undefined) return [];
    if (eventID === undefined || seconds === undefined) throw new Error('a stream record without id or time');
    return [
      {
        eventId: eventID,
        changedAt: new Date(seconds * 1000),
        before: messageOf(before),
        after: messageOf(after),
      },
    ];
  });
}

function messageOf(image: unknown): CountedMessage | undefined {
  return image === undefined
    ? undefined
    : parseCountedMessage(unmarshall(image as Record<string, AttributeValue>, { wrapNumbers: Number }));
}
