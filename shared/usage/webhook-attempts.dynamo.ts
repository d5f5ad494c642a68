/**
 * Counts the attempts of webhooks by hour, only for the dashboard's overview. A worker counts after its work: a repeated
 * attempt may count twice, and an attempt whose worker dies before counting does not count.
 */

import * as z from 'zod/mini';
import { clientIdIn, type Mode, settingsIdOf } from '../contract/mode.ts';
import { addCounts } from '../limit/counters.dynamo.ts';
import { batchRead } from '../platform/aws/read-rows.dynamo.ts';
import { addDays, epochSeconds } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { numbersIn } from '../platform/object-fields.ts';
import { usageKeptDays } from './period.ts';

/** Returns `2026-11-20T10`, in UTC. */
export function hourOf(at: Date): string {
  return at.toISOString().slice(0, 13);
}

const keyPrefix = 'webhooks:';

/** Test webhooks have their own rows, whose key ends like the id of test data. */
function counterOf(hour: string, mode: Mode): string {
  return `${keyPrefix}${clientIdIn(mode, hour)}`;
}

const hourRow = z.looseObject({ counter: z.string() });

/** Returns the counts of these hours, unordered; leaves out hours without a count. */
export async function attemptsIn(
  { db, env }: Context<'RATE_COUNTERS_TABLE'>,
  hours: readonly string[],
  mode: Mode = 'live',
) {
  const keys = hours.map((hour) => ({ counter: counterOf(hour, mode) }));
  const rows = await batchRead(db, env.RATE_COUNTERS_TABLE, keys);
  return rows.map((row) => {
    const { counter, purge_at: _purgeAt, ...counts } = hourRow.parse(row);
    return {
      hour: settingsIdOf(counter.slice(keyPrefix.length)),
      counts: Object.fromEntries(numbersIn(counts)),
    };
  });
}

export interface CountedAttempt {
  /** `live` by default. */
  readonly mode?: Mode;
  readonly metric: `webhooks_${'acknowledged' | 'retry_scheduled' | 'failed'}`;
  readonly totalMs: number;
}

/** Counts the attempts of a whole batch by one write for each mode. A failed count is logged and does not fail the work. */
export async function countWebhookAttempts(
  context: Context<'RATE_COUNTERS_TABLE'>,
  attempts: readonly CountedAttempt[],
): Promise<void> {
  const byMode = Map.groupBy(attempts, ({ mode = 'live' }) => mode);
  await Promise.all(
    Array.from(byMode, async ([mode, some]) => {
      try {
        const now = context.clock();
        const addition = {
          counter: counterOf(hourOf(now), mode),
          amounts: countsOf(some),
          purgeAt: epochSeconds(addDays(now, usageKeptDays)),
        };
        await addCounts(context, addition, now);
      } catch (error) {
        context.warn('webhook attempts not counted', error);
      }
    }),
  );
}

/** `webhooks_total_ms` is the sum of the durations of all attempts. */
function countsOf(attempts: readonly CountedAttempt[]): Record<string, number> {
  const counts: Partial<Record<CountedAttempt['metric'], number>> = {};
  let totalMs = 0;
  for (const attempt of attempts) {
    counts[attempt.metric] = (counts[attempt.metric] ?? 0) + 1;
    totalMs += Math.round(attempt.totalMs);
  }
  return { ...counts, webhooks_total_ms: totalMs };
}
