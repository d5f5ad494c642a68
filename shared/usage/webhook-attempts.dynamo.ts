/**
 * The table `usage`: hourly counts of webhook attempts, only for the dashboard's overview. A worker counts after its
 * work: a repeated attempt may count twice, and an attempt whose worker dies before counting does not count.
 */

import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { clientIdIn, type Mode, settingsIdOf } from '../contract/mode.ts';
import { addAmounts } from '../platform/aws/conditional-write.dynamo.ts';
import { batchRead } from '../platform/aws/read-rows.dynamo.ts';
import { addDays, type Clock, epochSeconds } from '../platform/clock.ts';
import { numbersIn } from './amounts.ts';
import { usageKeptDays } from './period.ts';

type AttemptMetric = `webhooks_${'acknowledged' | 'retry_scheduled' | 'failed'}`;
/** `webhooks_total_ms` is the sum of the durations of all attempts. */
type AttemptCounts = Readonly<Partial<Record<AttemptMetric | 'webhooks_total_ms', number>>>;

/**
 * Returns `2026-11-20T10`, in UTC. The attempts of test webhooks have their own rows, whose key ends like the id of
 * test data.
 */
export function hourOf(at: Date): string {
  return at.toISOString().slice(0, 13);
}

const hourRow = z.looseObject({ hour: z.string() });

type AttemptCounter = ReturnType<typeof dynamoAttemptCounter>;

export function dynamoAttemptCounter(client: DynamoDBDocumentClient, TableName: string) {
  return {
    /** Adds to the hour of `at`. */
    async add(counts: AttemptCounts, at: Date, mode: Mode = 'live'): Promise<void> {
      const entries = Object.entries(counts).filter(([, count]) => count > 0);
      if (entries.length === 0) return;
      await client.send(
        new UpdateCommand({
          TableName,
          Key: { hour: clientIdIn(mode, hourOf(at)) },
          ...addAmounts(entries, epochSeconds(addDays(at, usageKeptDays))),
        }),
      );
    },
  };
}

export function dynamoAttemptReader(client: DynamoDBDocumentClient, tableName: string) {
  return {
    /** Returns the counts of these hours, unordered; leaves out hours without a count. */
    async hours(hours: readonly string[], mode: Mode = 'live') {
      const keys = hours.map((hour) => ({ hour: clientIdIn(mode, hour) }));
      const rows = await batchRead(client, tableName, keys);
      return rows.map((row) => {
        const { hour, purge_at: _purgeAt, ...counts } = hourRow.parse(row);
        return { hour: settingsIdOf(hour), counts: Object.fromEntries(numbersIn(counts)) };
      });
    },
  };
}

export interface CountedAttempt {
  /** `live` by default. */
  readonly mode?: Mode;
  readonly metric: AttemptMetric;
  readonly totalMs: number;
}

/** Counts the attempts of a whole batch by one write for each mode. A failed count is logged and does not fail the work. */
export async function countWebhookAttempts(
  {
    counter,
    clock,
    warn,
  }: {
    readonly counter: AttemptCounter;
    readonly clock: Clock;
    readonly warn: (message: string, error: unknown) => void;
  },
  attempts: readonly CountedAttempt[],
): Promise<void> {
  const byMode = Map.groupBy(attempts, ({ mode = 'live' }) => mode);
  await Promise.all(
    Array.from(byMode, async ([mode, some]) => {
      try {
        await counter.add(countsOf(some), clock(), mode);
      } catch (error) {
        warn('webhook attempts not counted', error);
      }
    }),
  );
}

function countsOf(attempts: readonly CountedAttempt[]): AttemptCounts {
  const counts: Partial<Record<keyof AttemptCounts, number>> = {};
  const add = (name: keyof AttemptCounts, amount: number): void => {
    counts[name] = (counts[name] ?? 0) + amount;
  };
  for (const { metric, totalMs } of attempts) {
    add(metric, 1);
    add('webhooks_total_ms', Math.round(totalMs));
  }
  return counts;
}
