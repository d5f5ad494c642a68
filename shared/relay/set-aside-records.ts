/**
 * What was set aside for a person: the messages of the relay's dead-letter queue, of the queue of lost records, and of the
 * dead-letter queues of all other queues. A person sees what each one is without phone numbers and texts.
 */
import * as z from 'zod/mini';
import type { QueueRecord } from '../platform/process-queue-batch.ts';

/** A message of one of these queues. */
export interface SetAsideMessage extends QueueRecord {
  /** The queue as the stack's outputs name it: `relay_dead_letters`. */
  readonly queue: string;
  readonly sentAt: string;
  /** The message group, which a fair queue needs when the message is sent to it again. */
  readonly clientId: string;
}

/** What a message is about. */
export type SetAsideWork =
  | {
      /** A row that was no valid message when it changed, or a request that a service refused. */
      readonly kind: 'unreadable_record' | 'refused_entry';
      readonly messageId: string | undefined;
      readonly deliveryId?: string | undefined;
      /** When the work arose, ISO 8601. */
      readonly since: string;
    }
  | {
      /** The position of records that failed until their last retry. */
      readonly kind: 'lost_records';
      readonly table: string;
      readonly since: string;
      readonly until: string;
    }
  | { readonly kind: 'dead_letter'; readonly messageId: string | undefined }
  | { readonly kind: 'unknown' };

const text = z.string();
const time = z.iso.datetime({ offset: true });

/** A record of the messages table's stream, as Lambda passes it (shared/message/store/message-rows.dynamo.ts). */
const streamRecord = z.object({
  dynamodb: z.object({
    ApproximateCreationDateTime: z.number(),
    Keys: z.object({ message_id: z.object({ S: text }) }),
  }),
});

/** What `set-aside.sqs.ts` keeps of refused work. */
const refusedEntry = z.object({
  refused: text,
  since: time,
  message_id: z.optional(text),
  delivery_id: z.optional(text),
});

/** AWS Lambda, "Retain discarded batch records". */
const lostRecords = z.object({
  DDBStreamBatchInfo: z.object({
    approximateArrivalOfFirstRecord: time,
    approximateArrivalOfLastRecord: time,
    streamArn: text,
  }),
});

const withMessageId = z.object({ message_id: text });

export function workOf({ queue, body }: Pick<SetAsideMessage, 'queue' | 'body'>): SetAsideWork {
  const json = jsonOf(body);
  const lost = lostRecords.safeParse(json);
  if (lost.success) {
    const { streamArn, ...batch } = lost.data.DDBStreamBatchInfo;
    return {
      kind: 'lost_records',
      table: /:table\/([^/]+)\//.exec(streamArn)?.[1] ?? streamArn,
      since: new Date(batch.approximateArrivalOfFirstRecord).toISOString(),
      until: new Date(batch.approximateArrivalOfLastRecord).toISOString(),
    };
  }
  if (queue !== relayQueue && queue !== lostRecordsQueue)
    return { kind: 'dead_letter', messageId: withMessageId.safeParse(json).data?.message_id };
  const refused = refusedEntry.safeParse(json);
  if (refused.success) {
    const { message_id, delivery_id, since } = refused.data;
    return { kind: 'refused_entry', messageId: message_id, deliveryId: delivery_id, since };
  }
  const record = streamRecord.safeParse(json);
  if (!record.success) return { kind: 'unknown' };
  const { Keys, ApproximateCreationDateTime: seconds } = record.data.dynamodb;
  return {
    kind: 'unreadable_record',
    messageId: Keys.message_id.S,
    since: new Date(seconds * 1000).toISOString(),
  };
}

/** The queues that are not the dead-letter queue of another one. */
export const relayQueue = 'relay_dead_letters';
export const lostRecordsQueue = 'lost_records';

/** Fields whose values are words of the gateway or of AWS, not of a person. */
const shownFields: ReadonlySet<string> = new Set([
  'status',
  'channel',
  'direction',
  'type',
  'encoding',
  'country',
  'event',
  'eventName',
  'refused',
  'reason',
  'condition',
  'shardId',
  'startSequenceNumber',
  'endSequenceNumber',
  'error_code',
  'currency',
  'lane',
  'state',
]);
const shownValues =
  /^(?:(?:msg|bat|otp|whd|whe|whr|act)_[0-9A-Z]{26}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)|arn:aws[\w-]*:dynamodb:\S+)$/;
/** The wrappers of DynamoDB's attribute values: `{"S": "…"}`. */
const wrappers: ReadonlySet<string> = new Set(['S', 'N', 'BOOL', 'NULL', 'L', 'M', 'B', 'SS', 'NS']);

/** The message's content, in which only the length is shown of every text that a person may have written. */
export function maskedContent(body: string): unknown {
  const json = jsonOf(body);
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

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
