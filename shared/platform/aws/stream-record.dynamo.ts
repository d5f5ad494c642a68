/** Reads the records of a table's stream, as Lambda gives them. */
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

/** The attribute of a row that a restore wrote: the id of that restore. */
export const restoredBy = 'restored_by';

/**
 * True if a restore wrote the row. Nothing follows from that write, because the row was relayed and counted before it
 * was lost. Later changes of the row keep the attribute, and are not restore writes.
 */
export function isRestoreWrite({ dynamodb }: StreamRecord): boolean {
  const idIn = (image: unknown): unknown =>
    (image as Readonly<Record<string, AttributeValue>>)?.[restoredBy]?.S;
  const id = idIn(dynamodb?.NewImage);
  return id !== undefined && id !== idIn(dynamodb?.OldImage);
}

/**
 * The attribute of a restored message that was in flight. The state in which usage last counted the message is unknown.
 * Later changes are not counted, because they would be subtracted from a different state.
 */
export const usageClosed = 'usage_closed';

export function isClosedForUsage({ dynamodb }: StreamRecord): boolean {
  return (dynamodb?.NewImage as Readonly<Record<string, AttributeValue>>)?.[usageClosed]?.BOOL === true;
}

/** Returns the row of an image. A number that is too long for JavaScript is rounded. */
export function rowIn(image: unknown): Record<string, unknown> | undefined {
  // The types of Lambda and of the SDK have nothing in common.
  return image === undefined
    ? undefined
    : unmarshall(image as Record<string, AttributeValue>, { wrapNumbers: Number });
}

/**
 * Returns the row of an image as the document client reads it: a number that is too long for JavaScript is a BigInt.
 */
export function exactRowIn(image: unknown): Record<string, unknown> {
  return unmarshall(image as Record<string, AttributeValue>);
}

/** @throws Error if the record has no number or no time, which DynamoDB gives to each. */
export function identityOf({ dynamodb }: StreamRecord): {
  /** Increases within a shard. */
  readonly sequence: string;
  /** The same on each repetition; exact to the second. */
  readonly changedAt: Date;
} {
  const { SequenceNumber: sequence, ApproximateCreationDateTime: seconds } = dynamodb ?? {};
  if (sequence === undefined || seconds === undefined) {
    throw new Error('a stream record without number or time');
  }
  return { sequence, changedAt: new Date(seconds * 1000) };
}
