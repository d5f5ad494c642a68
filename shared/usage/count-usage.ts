/** Counts what a worker has done, for the dashboard. A failed count is logged and does not fail the work. */
import type { Clock } from '../platform/clock.ts';
import type { UsageCounter } from './usage.dynamo.ts';
import type { Counts, UsageMetric } from './usage.ts';

export interface UsageDependencies {
  readonly counter: UsageCounter;
  readonly clock: Clock;
  readonly warn: (message: string, error: unknown) => void;
}

/** One write for a whole batch. */
export async function countUsage(
  { counter, clock, warn }: UsageDependencies,
  usage: readonly UsageMetric[],
): Promise<void> {
  const counts: Partial<Record<UsageMetric, number>> = {};
  for (const metric of usage) counts[metric] = (counts[metric] ?? 0) + 1;
  try {
    await counter.add(counts satisfies Counts, clock());
  } catch (error) {
    warn('usage not counted', error);
  }
}
