/** The table `usage`: one row for each hour, with one number for each metric of webhook attempts. */
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { batchRead } from '../platform/aws/batch-read.dynamo.ts';
import { addDays, epochSeconds } from '../platform/clock.ts';
import { usageKeptDays } from './period.ts';
import { type AttemptCounts, type HourlyAttempts, hourOf } from './webhook-attempts.ts';

const hourRow = z.catchall(z.object({ hour: z.string(), purge_at: z.number() }), z.number());

export type AttemptCounter = ReturnType<typeof dynamoAttemptCounter>;

export function dynamoAttemptCounter(client: DynamoDBDocumentClient, TableName: string) {
  return {
    /** Adds to the hour of `at`. */
    async add(counts: AttemptCounts, at: Date): Promise<void> {
      const entries = Object.entries(counts).filter(([, count]) => count > 0);
      if (entries.length === 0) return;
      await client.send(
        new UpdateCommand({
          TableName,
          Key: { hour: hourOf(at) },
          UpdateExpression: `ADD ${entries.map((_entry, i) => `#f${i} :c${i}`).join(', ')} SET purge_at = :purge_at`,
          ExpressionAttributeNames: Object.fromEntries(entries.map(([name], i) => [`#f${i}`, name])),
          ExpressionAttributeValues: {
            ...Object.fromEntries(entries.map(([, count], i) => [`:c${i}`, count])),
            ':purge_at': epochSeconds(addDays(at, usageKeptDays)),
          },
        }),
      );
    },
  };
}

export type AttemptReader = ReturnType<typeof dynamoAttemptReader>;

export function dynamoAttemptReader(client: DynamoDBDocumentClient, tableName: string) {
  return {
    /** The hours of these that have counts, in no order. */
    async hours(hours: readonly string[]): Promise<HourlyAttempts[]> {
      const rows = await batchRead(
        client,
        tableName,
        hours.map((hour) => ({ hour })),
      );
      return rows.map((row) => {
        const { hour, purge_at: _purgeAt, ...counts } = hourRow.parse(row);
        return { hour, counts };
      });
    },
  };
}
