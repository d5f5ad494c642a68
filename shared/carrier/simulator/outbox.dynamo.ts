/**
 * The simulator's outbox: the messages that it accepted, with their bodies, for developers to read. Its table has the
 * partition `recipient`, the sort key `handed_over` and the index `by-day`.
 */
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { channels } from '../../contract/channels.ts';
import { queryRows } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, dayOf, epochSeconds } from '../../platform/clock.ts';

const outboxEntry = z.object({
  message_id: z.string(),
  channel: z.enum(channels),
  to: z.string(),
  from: z.optional(z.string()),
  body: z.string(),
  /** ISO 8601 UTC. */
  at: z.string(),
});

export type OutboxEntry = z.output<typeof outboxEntry>;

const outboxRow = z.extend(outboxEntry, { handed_over: z.string() });

/** Sorts after the position of every entry. */
const lastPosition = '~';

interface OutboxRange {
  readonly limit: number;
  /** The `next` of the page before. */
  readonly before?: string | undefined;
}

interface OutboxPage {
  readonly entries: readonly OutboxEntry[];
  /** Present if there are more. */
  readonly next?: string | undefined;
}

function pageOf(rows: readonly z.output<typeof outboxRow>[], isMore: boolean): OutboxPage {
  return {
    entries: rows.map((row) => outboxEntry.parse(row)),
    next: isMore ? rows.at(-1)?.handed_over : undefined,
  };
}

export type Outbox = ReturnType<typeof dynamoOutbox>;

export function dynamoOutbox(client: DynamoDBDocumentClient, TableName: string, retentionDays: number) {
  const newestOf = (key: 'recipient' | 'day', value: string, { limit, before = lastPosition }: OutboxRange) =>
    queryRows(client, {
      TableName,
      IndexName: key === 'day' ? 'by-day' : undefined,
      KeyConditionExpression: '#key = :value AND handed_over < :before',
      ExpressionAttributeNames: { '#key': key },
      ExpressionAttributeValues: { ':value': value, ':before': before },
      ScanIndexForward: false,
      Limit: limit + 1,
    });

  return {
    /** Writes one row for each hand-over, so that a second hand-over of a message is visible. */
    async record(entry: OutboxEntry, attempt: number, carrierMessageId: string): Promise<void> {
      const at = new Date(entry.at);
      const Item = {
        ...entry,
        recipient: entry.to,
        // Each hand-over has a new carrier id, so no row replaces another.
        handed_over: `${entry.at}#${entry.message_id}#${attempt}#${carrierMessageId}`,
        day: dayOf(at),
        purge_at: epochSeconds(addDays(at, retentionDays)),
      };
      await client.send(new PutCommand({ TableName, Item }));
    },

    /** Newest first; of one recipient, or of all in the days that `days` names, newest day first. */
    async page(
      of: { readonly to: string } | { readonly days: readonly string[] },
      range: OutboxRange,
    ): Promise<OutboxPage> {
      const { limit, before = lastPosition } = range;
      const rows: z.output<typeof outboxRow>[] = [];
      const partitions =
        'to' in of
          ? [newestOf('recipient', of.to, range)]
          : of.days.filter((day) => day <= before).map((day) => newestOf('day', day, range));
      for (const partition of partitions) {
        for await (const row of partition) {
          if (rows.push(outboxRow.parse(row)) > limit) return pageOf(rows.slice(0, limit), true);
        }
      }
      return pageOf(rows, false);
    },
  };
}
