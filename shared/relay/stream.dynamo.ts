/** Reads changes of messages out of the records of their table's stream. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Message, MessageChange } from '../message/message.ts';
import { parseMessageRow } from '../message/store/message-row.ts';

/** The part of a stream record that says what changed. */
export interface StreamRecord {
  readonly eventID?: string | undefined;
  readonly dynamodb?: { readonly OldImage?: unknown; readonly NewImage?: unknown } | undefined;
}

interface ReadChanges {
  readonly changes: readonly MessageChange[];
  /** Records that are no messages: no repetition would make them so. */
  readonly unreadable: readonly StreamRecord[];
}

/** The changes that records tell of; a removal is none. */
export function readChanges(records: readonly StreamRecord[]): ReadChanges {
  const changes: MessageChange[] = [];
  const unreadable: StreamRecord[] = [];
  for (const record of records) {
    const { OldImage: before, NewImage: after } = record.dynamodb ?? {};
    if (after === undefined) continue;
    try {
      changes.push({ before: before === undefined ? undefined : messageOf(before), after: messageOf(after) });
    } catch {
      unreadable.push(record);
    }
  }
  return { changes, unreadable };
}

function messageOf(image: unknown): Message {
  return parseMessageRow(unmarshall(image as Record<string, AttributeValue>));
}
