/** The simulator's outbox in its table: partition `recipient`, sort `handed_over`, index `by-day`. */
import { type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
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
    index: string | undefined,
    key: string,
    value: string,
    limit: number,
  ): Promise<OutboxEntry[]> {
    const entries: OutboxEntry[] = [];
    let from: Record<string, unknown> | undefined;
    do {
      const page = await client.send(
        new QueryCommand({
          TableName: table,
          ...(index === undefined ? {} : { IndexName: index }),
          KeyConditionExpression: '#key = :value',
          ExpressionAttributeNames: { '#key': key },
          ExpressionAttributeValues: { ':value': value },
          ScanIndexForward: false,
          Limit: limit - entries.length,
          ...(from === undefined ? {} : { ExclusiveStartKey: from }),
        }),
      );
      entries.push(...(page.Items ?? []).map((item) => outboxEntry.parse(item)));
      from = page.LastEvaluatedKey;
    } while (from !== undefined && entries.length < limit);
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
