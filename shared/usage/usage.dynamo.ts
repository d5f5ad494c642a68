/** The figures table: one row for each hour, a number for each figure. */
import { BatchGetCommand, type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { addDays, epochSeconds } from '../platform/clock.ts';
import { chunksOf } from '../platform/split-into-chunks.ts';
import { type HourlyUsage, hourOf, type UsageCounter, type UsageReader } from './usage.ts';

/** What DynamoDB reads in one call. */
const readBatchSize = 100;
const keptDays = 400;

const hourRow = z.catchall(z.object({ hour: z.string(), purge_at: z.number() }), z.number());

export function dynamoUsageCounter(client: DynamoDBDocumentClient, TableName: string): UsageCounter {
  return {
    async add(counts, at) {
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
            ':purge_at': epochSeconds(addDays(at, keptDays)),
          },
        }),
      );
    },
  };
}

export function dynamoUsageReader(client: DynamoDBDocumentClient, tableName: string): UsageReader {
  async function read(hours: readonly string[]): Promise<HourlyUsage[]> {
    const { Responses } = await client.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys: hours.map((hour) => ({ hour })) } } }),
    );
    return (Responses?.[tableName] ?? []).map((row) => {
      const { hour, purge_at: _purgeAt, ...counts } = hourRow.parse(row);
      return { hour, counts };
    });
  }

  return {
    async hours(hours) {
      return (await Promise.all(chunksOf(hours, readBatchSize).map(read))).flat();
    },
  };
}
