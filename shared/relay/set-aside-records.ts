/**
 * Work that was set aside for an operator, in the dead-letter queues of the relay and of all other queues. The operator
 * sees each message without phone numbers and texts, removes the cause, and processes it again.
 *
 * This has no second effect: a dead letter returns to its own queue, whose consumer never repeats finished work.
 */

import * as z from 'zod/mini';
import { jsonIn } from '../platform/object-fields.ts';
import type { QueueRecord } from '../platform/process-queue-batch.ts';

/** A message of one of these queues. */
export interface SetAsideMessage extends QueueRecord {
  /** The queue's name in the stack's outputs, such as `relay_dead_letters`. */
  readonly queue: string;
  readonly sentAt: string;
  /** The message group, which a fair queue needs when the message is sent again. */
  readonly clientId: string;
}

/** The work that a message contains. */
type SetAsideWork =
  | {
      /** A change that the relay could not process and will retry. */
      readonly kind: 'unreadable_record';
      readonly messageId: string;
      /** When the work began, as ISO 8601. */
      readonly since: string;
    }
  | {
      /** Records of an edited table that failed until their last retry. */
      readonly kind: 'lost_records';
      readonly table: string;
      readonly since: string;
      readonly until: string;
    }
  | { readonly kind: 'dead_letter'; readonly messageId: string | undefined }
  | { readonly kind: 'unknown' };

const text = z.string();
const time = z.iso.datetime({ offset: true });

/** A record of the messages table's stream, as Lambda passes it (relay.ts). */
const streamRecord = z.object({
  dynamodb: z.object({
    ApproximateCreationDateTime: z.number(),
    Keys: z.object({ message_id: z.object({ S: text }) }),
  }),
});

const withMessageId = z.object({ message_id: text });

/** The message for a failed batch of a stream (AWS Lambda, "Retain discarded batch records"). */
const failedBatch = z.object({
  DDBStreamBatchInfo: z.object({
    approximateArrivalOfFirstRecord: time,
    approximateArrivalOfLastRecord: time,
    streamArn: text,
  }),
});

/** Returns the stream, and when its records arrived; undefined if the message is not about a failed batch. */
function failedBatchIn(json: unknown) {
  const { data } = failedBatch.safeParse(json);
  if (data === undefined) return undefined;
  const { approximateArrivalOfFirstRecord, approximateArrivalOfLastRecord, streamArn } =
    data.DDBStreamBatchInfo;
  return {
    since: new Date(approximateArrivalOfFirstRecord).toISOString(),
    until: new Date(approximateArrivalOfLastRecord).toISOString(),
    streamArn,
  };
}

export function workOf({ queue, body }: SetAsideMessage): SetAsideWork {
  const json = jsonIn(body);
  const lost = failedBatchIn(json);
  if (lost !== undefined) {
    const { streamArn, since, until } = lost;
    const table = /:table\/([^/]+)\//.exec(streamArn)?.[1] ?? streamArn;
    return { kind: 'lost_records', table, since, until };
  }
  if (queue !== relayQueue)
    return { kind: 'dead_letter', messageId: withMessageId.safeParse(json).data?.message_id };
  const record = streamRecord.safeParse(json);
  if (!record.success) return { kind: 'unknown' };
  const { Keys, ApproximateCreationDateTime: seconds } = record.data.dynamodb;
  return {
    kind: 'unreadable_record',
    messageId: Keys.message_id.S,
    since: new Date(seconds * 1000).toISOString(),
  };
}

/** The relay's queue, which is not another queue's dead-letter queue. */
export const relayQueue = 'relay_dead_letters';

/** Fields whose values are words of the gateway or of AWS, and never text of a client or recipient. */
const shownFields: ReadonlySet<string> = new Set([
  'status',
  'channel',
  'direction',
  'type',
  'encoding',
  'country',
  'event',
  'eventName',
  'condition',
  'shardId',
  'startSequenceNumber',
  'endSequenceNumber',
  'error_code',
  'currency',
  'state',
]);
const shownValues =
  /^(?:(?:msg|bat|otp|whd|whe|whr|act)_[0-9A-Z]{26}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)|arn:aws[\w-]*:dynamodb:\S+)$/;
/** The wrappers of DynamoDB's attribute values, as in `{"S": "…"}`. */
const wrappers: ReadonlySet<string> = new Set(['S', 'N', 'BOOL', 'NULL', 'L', 'M', 'B', 'SS', 'NS']);

/** Returns the message's content, with only the length of each text that a client or recipient may have written. */
export function maskedContent(body: string): unknown {
  const json = jsonIn(body);
  return json === undefined ? masked(body) : maskedValue(json, '');
}

function maskedValue(value: unknown, field: string): unknown {
  if (typeof value === 'string') {
    if (shownValues.test(value) || shownFields.has(field)) return value;
    return masked(value);
  }
  if (Array.isArray(value)) return value.map((each) => maskedValue(each, field));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, maskedValue(each, wrappers.has(name) ? field : name)]),
  );
}

function masked(value: string): string {
  return `(${value.length} characters)`;
}

/** The result as a sentence. `removed` is true if the message may be deleted from its queue. */
interface ProcessedSetAside {
  readonly removed: boolean;
  readonly outcome: string;
}

const kept = (outcome: string): ProcessedSetAside => ({ removed: false, outcome });
const removed = (outcome: string): ProcessedSetAside => ({ removed: true, outcome });

/** @param sendBack - sends the message back to its original queue */
export async function processSetAside(
  message: SetAsideMessage,
  sendBack: (message: SetAsideMessage) => Promise<void>,
): Promise<ProcessedSetAside> {
  const work = workOf(message);
  switch (work.kind) {
    case 'unreadable_record':
      return kept(
        `The relay takes it again every ten minutes. If the row of ${work.messageId} is not valid, correct it.`,
      );
    case 'lost_records':
      return removed(
        `The hourly review writes the feedback of ${work.table}; the Activity Log lacks an entry of these changes.`,
      );
    case 'dead_letter':
      await sendBack(message);
      return removed('It was sent to its queue again.');
    case 'unknown':
      return kept('Its content is unknown, so it was probably sent by hand. Delete it in the SQS console.');
  }
}
