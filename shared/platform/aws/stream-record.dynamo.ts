/** Reads the records of a table's stream, in the form in which Lambda passes them. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

export interface StreamRecord {
  readonly eventID?: string | undefined;
  readonly dynamodb?:
    | {
        readonly SequenceNumber?: string | undefined;
        /** Seconds since the epoch. */
        readonly ApproximateCreationDateTime?: number | undefined;
        readonly OldImage?: unknown;
        readonly NewImage?: unknown;
      }
    | undefined;
}

/** The attribute that marks a row as written by a restore. It contains the restore's id. */
export const restoredBy = 'restored_by';

/**
 * True if a restore wrote the row. Such a write starts no work, because the row was relayed and counted before it was lost.
 * Later changes of the row do start work, although the attribute remains.
 */
export function isRestoreWrite({ dynamodb }: StreamRecord): boolean {
  const idIn = (image: unknown): unknown =>
    (image as Readonly<Record<string, AttributeValue>>)?.[restoredBy]?.S;
  const id = idIn(dynamodb?.NewImage);
  return id !== undefined && id !== idIn(dynamodb?.OldImage);
}

/**
 * The attribute that marks a restored message that was in flight. It is unknown in which state usage last counted this
 * message, so later changes are not counted.
 */
export const usageClosed = 'usage_closed';

export function isClosedForUsage({ dynamodb }: StreamRecord): boolean {
  return (dynamodb?.NewImage as Readonly<Record<string, AttributeValue>>)?.[usageClosed]?.BOOL === true;
}

/** Returns the row of an image. A number with too many digits for JavaScript is rounded. */
export function rowIn(image: unknown): Record<string, unknown> | undefined {
  // The types of Lambda and of the SDK are not compatible.
  return image === undefined
    ? undefined
    : unmarshall(image as Record<string, AttributeValue>, { wrapNumbers: Number });
}

/** Returns the row of an image as the document client reads it: a number with too many digits becomes a BigInt. */
export function exactRowIn(image: unknown): Record<string, unknown> {
  return unmarshall(image as Record<string, AttributeValue>);
}

/** @throws Error if the record lacks a number or time, which DynamoDB always sets. */
export function identityOf({ dynamodb }: StreamRecord): {
  /** Increases within a shard. */
  readonly sequence: string;
  /** The time is the same if the record is repeated, and exact to the second. */
  readonly changedAt: Date;
} {
  const { SequenceNumber: sequence, ApproximateCreationDateTime: seconds } = dynamodb ?? {};
  if (sequence === undefined || seconds === undefined) {
    throw new Error('a stream record without number or time');
  }
  return { sequence, changedAt: new Date(seconds * 1000) };
}
