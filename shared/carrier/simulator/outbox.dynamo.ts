/**
 * The simulator's outbox: the accepted messages with their bodies, for developers to read. Its table has the partition
 * `recipient`, the sort key `handed_over` and the index `by-day`. Test messages are in partitions of their own client, and
 * are kept for a day.
 */
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { channels } from '../../contract/channels.ts';
import { modeOf } from '../../contract/mode.ts';
import { queryRows, readableRows } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, dayOf, epochSeconds } from '../../platform/clock.ts';

const outboxEntry = z.object({
  message_id: z.string(),
  channel: z.enum(channels),
  to: z.string(),
  from: z.optional(z.string()),
  body: z.string(),
  at: z.iso.datetime(),
});

export type OutboxEntry = z.output<typeof outboxEntry>;

/** How many days test messages are shown and kept. */
export const testOutboxDays = 1;

/** Returns the key of a partition: of the test data of one client, or of all live messages. */
function partitionOf(clientId: string | undefined, value: string): string {
  return clientId !== undefined && modeOf(clientId) === 'test' ? `${clientId} ${value}` : value;
}

const outboxRow = z.extend(outboxEntry, { handed_over: z.string() });

/** Sorts after the position of every entry. */
const lastPosition = '~';

interface OutboxRange {
  /** The client whose test data is read. If it is absent, the live messages of all clients are read. */
  readonly clientId?: string | undefined;
  readonly since?: Date | undefined;
  readonly limit: number;
  /** The `next` value of the previous page. */
  readonly before?: string | undefined;
}

/** @returns the page, and the position after which more entries follow */
function pageOf(rows: readonly z.output<typeof outboxRow>[], isMore: boolean) {
  return {
    entries: rows.map((row) => outboxEntry.parse(row)),
    next: isMore ? rows.at(-1)?.handed_over : undefined,
  };
}

export type Outbox = ReturnType<typeof dynamoOutbox>;

export function dynamoOutbox(client: DynamoDBDocumentClient, TableName: string, retentionDays: number) {
  const newestOf = (
    key: 'recipient' | 'day',
    value: string,
    { clientId, limit, before = lastPosition }: OutboxRange,
  ) =>
    queryRows(client, {
      TableName,
      IndexName: key === 'day' ? 'by-day' : undefined,
      KeyConditionExpression: '#key = :value AND handed_over < :before',
      ExpressionAttributeNames: { '#key': key },
      ExpressionAttributeValues: { ':value': partitionOf(clientId, value), ':before': before },
      ScanIndexForward: false,
      Limit: limit + 1,
    });

  return {
    /** Writes one row for each hand-over, so that a second hand-over of a message is visible. */
    async record(
      handedOver: OutboxEntry & {
        readonly client_id: string;
      },
      attempt: number,
      carrierMessageId: string,
    ): Promise<void> {
      const { client_id, ...entry } = handedOver;
      const at = new Date(entry.at);
      const isTest = modeOf(client_id) === 'test';
      const Item = {
        ...entry,
        recipient: partitionOf(client_id, entry.to),
        // Each hand-over has a new carrier id, so no row replaces another.
        handed_over: `${entry.at}#${entry.message_id}#${attempt}#${carrierMessageId}`,
        day: partitionOf(client_id, dayOf(at)),
        purge_at: epochSeconds(addDays(at, isTest ? testOutboxDays : retentionDays)),
      };
      await client.send(new PutCommand({ TableName, Item }));
    },

    /** Returns entries, newest first: those for one recipient, or those of the given days, newest day first. */
    async page(of: { readonly to: string } | { readonly days: readonly string[] }, range: OutboxRange) {
      const { limit, before = lastPosition, since } = range;
      const first = since?.toISOString() ?? '';
      const rows: z.output<typeof outboxRow>[] = [];
      const partitions =
        'to' in of
          ? [newestOf('recipient', of.to, range)]
          : of.days.filter((day) => day <= before).map((day) => newestOf('day', day, range));
      for (const partition of partitions) {
        for await (const row of partition) {
          const [entry] = readableRows(outboxRow, [row], 'handed_over');
          if (entry === undefined) continue;
          // All later entries are older. Expired entries that DynamoDB has not deleted yet are not shown.
          if (entry.handed_over < first) return pageOf(rows, false);
          if (rows.push(entry) > limit) return pageOf(rows.slice(0, limit), true);
        }
      }
      return pageOf(rows, false);
    },
  };
}
