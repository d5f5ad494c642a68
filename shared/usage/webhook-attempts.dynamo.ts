/**
 * The table `usage`: hourly counts of webhook attempts, for the dashboard's overview only. A worker counts after its work:
 * one that is repeated may count twice, and one that fails before counting does not count.
 */

import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Mode } from '../contract/mode.ts';
import { addAmounts } from '../platform/aws/conditional-write.dynamo.ts';
import { batchRead } from '../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../platform/clock.ts';
import { usageKeptDays } from './period.ts';

export type AttemptMetric = `webhooks_${'acknowledged' | 'retry_scheduled' | 'failed'}`;
/** `webhooks_total_ms` is the sum of the durations of all attempts. */
export type AttemptCounts = Readonly<Partial<Record<AttemptMetric | 'webhooks_total_ms', number>>>;

interface HourlyAttempts {
  /** `2026-11-20T10` in UTC. */
  readonly hour: string;
  readonly counts: Readonly<Record<string, number>>;
}

export function hourOf(at: Date): string {
  return at.toISOString().slice(0, 13);
}

const testEnding = '-test';

/** The attempts of test webhooks are in rows of their own. */
function rowIn(mode: Mode, hour: string): string {
  return mode === 'test' ? hour + testEnding : hour;
}

const hourRow = z.catchall(z.object({ hour: z.string(), purge_at: z.number() }), z.number());

export type AttemptCounter = ReturnType<typeof dynamoAttemptCounter>;

export function dynamoAttemptCounter(client: DynamoDBDocumentClient, TableName: string) {
  return {
    /** Adds to the hour of `at`. */
    async add(counts: AttemptCounts, at: Date, mode: Mode = 'live'): Promise<void> {
      const entries = Object.entries(counts).filter(([, count]) => count > 0);
      if (entries.length === 0) return;
      await client.send(
        new UpdateCommand({
          TableName,
          Key: { hour: rowIn(mode, hourOf(at)) },
          ...addAmounts(entries, epochSeconds(addDays(at, usageKeptDays))),
        }),
      );
    },
  };
}

export type AttemptReader = ReturnType<typeof dynamoAttemptReader>;

export function dynamoAttemptReader(client: DynamoDBDocumentClient, tableName: string) {
  return {
    /** The hours of these that have counts, in no order. */
    async hours(hours: readonly string[], mode: Mode = 'live'): Promise<HourlyAttempts[]> {
      const keys = hours.map((hour) => ({ hour: rowIn(mode, hour) }));
      const rows = await batchRead(client, tableName, keys);
      return rows.map((row) => {
        const { hour, purge_at: _purgeAt, ...counts } = hourRow.parse(row);
        return { hour: hour.replace(testEnding, ''), counts };
      });
    },
  };
}
