/**
 * Reads the changes of messages from the records of the table's stream. A copy is kept of records that are not valid
 * messages, so that they neither block the others nor get lost.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Message, MessageChange } from '../message/message.ts';
import { parseMessageRow } from '../message/store/message-rows.dynamo.ts';
import { isRestoreWrite, type StreamRecord } from '../platform/aws/stream-record.dynamo.ts';
import { log } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';

interface ReadChanges {
  readonly changes: readonly MessageChange[];
  /** Records that are not valid messages; a retry would not help. */
  readonly unreadable: readonly StreamRecord[];
}

/** The changes in these records; removals and restored rows are left out. */
export function readChanges(records: readonly StreamRecord[]): ReadChanges {
  const changes: MessageChange[] = [];
  const unreadable: StreamRecord[] = [];
  for (const record of records) {
    const { OldImage: before, NewImage: after } = record.dynamodb ?? {};
    if (after === undefined || isRestoreWrite(record)) continue;
    try {
      changes.push({ before: before === undefined ? undefined : messageOf(before), after: messageOf(after) });
    } catch {
      unreadable.push(record);
    }
  }
  return { changes, unreadable };
}

/**
 * Reads a row as the document client does: a number that is too long for JavaScript is a BigInt, which no schema
 * accepts.
 */
function messageOf(image: unknown): Message {
  return parseMessageRow(unmarshall(image as Record<string, AttributeValue>));
}

export async function setUnreadableAside(
  keepCopy: (copy: unknown) => Promise<void>,
  records: readonly StreamRecord[],
): Promise<void> {
  for (const record of records) {
    await keepCopy(record);
    log.error('stream record unreadable', { event_id: record.eventID });
    countMetric('UnreadableStreamRecord');
  }
}
