/** The simulator's outbox in its table: partition `recipient`, sort `handed_over`, index `by-day`. */
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { queryRows } from '../../platform/aws/read-rows.dynamo.ts';
import { addDays, dayOf, epochSeconds } from '../../platform/clock.ts';
import { type Outbox, type OutboxEntry, outboxEntry } from './outbox.ts';

export function dynamoOutbox(client: DynamoDBDocumentClient, table: string, retentionDays: number): Outbox {
  async function record(entry: OutboxEntry, attempt: number, carrierMessageId: string): Promise<void> {
    const at = new Date(entry.at);
    await client.send(
      new PutCommand({
        TableName: table,
        Item: {
          ...entry,
          recipient: entry.to,
          // Each hand-over has a new carrier id, so no row replaces another.
          handed_over: `${entry.at}#${entry.message_id}#${attempt}#${carrierMessageId}`,
          day: dayOf(at),
          purge_at: epochSeconds(addDays(at, retentionDays)),
        },
      }),
    );
  }

  async function query(
    IndexName: string | undefined,
    key: string,
    value: string,
    limit: number,
  ): Promise<OutboxEntry[]> {
    const entries: OutboxEntry[] = [];
    const rows = queryRows(client, {
      TableName: table,
      IndexName,
      KeyConditionExpression: '#key = :value',
      ExpressionAttributeNames: { '#key': key },
      ExpressionAttributeValues: { ':value': value },
      ScanIndexForward: false,
      Limit: limit,
    });
    for await (const row of rows) {
      if (entries.push(outboxEntry.parse(row)) >= limit) break;
    }
    return entries;
  }

  async function list(
    of: { readonly to: string } | { readonly days: readonly string[] },
    limit: number,
  ): Promise<OutboxEntry[]> {
    if ('to' in of) return query(undefined, 'recipient', of.to, limit);
    const entries: OutboxEntry[] = [];
    for (const day of of.days) {
      if (entries.length >= limit) break;
      entries.push(...(await query('by-day', 'day', day, limit - entries.length)));
    }
    return entries;
  }

  return { record, list };
}
