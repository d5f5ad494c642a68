/** Counts webhook attempts for the dashboard. A failed count is logged and does not fail the work. */
import type { Clock } from '../platform/clock.ts';
import type { AttemptCounter } from './webhook-attempts.dynamo.ts';
import type { AttemptCounts, AttemptMetric } from './webhook-attempts.ts';

export interface AttemptDependencies {
  readonly counter: AttemptCounter;
  readonly clock: Clock;
  readonly warn: (message: string, error: unknown) => void;
}

/** One write for a whole batch. */
export async function countWebhookAttempts(
  { counter, clock, warn }: AttemptDependencies,
  attempts: readonly AttemptMetric[],
): Promise<void> {
  const counts: Partial<Record<AttemptMetric, number>> = {};
  for (const metric of attempts) counts[metric] = (counts[metric] ?? 0) + 1;
  try {
    await counter.add(counts satisfies AttemptCounts, clock());
  } catch (error) {
    warn('webhook attempts not counted', error);
  }
}
