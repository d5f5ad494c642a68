/** Counts webhook attempts for the dashboard. A failed count is logged and does not fail the work. */
import type { Mode } from '../contract/mode.ts';
import type { Clock } from '../platform/clock.ts';
import type { AttemptCounter, AttemptCounts, AttemptMetric } from './webhook-attempts.dynamo.ts';

interface AttemptDependencies {
  readonly counter: AttemptCounter;
  readonly clock: Clock;
  readonly warn: (message: string, error: unknown) => void;
}

export interface CountedAttempt {
  /** `live` by default. */
  readonly mode?: Mode;
  readonly metric: AttemptMetric;
  readonly totalMs: number;
}

/** Counts the attempts of a whole batch by one write for each mode. */
export async function countWebhookAttempts(
  dependencies: AttemptDependencies,
  attempts: readonly CountedAttempt[],
): Promise<void> {
  const byMode = Map.groupBy(attempts, ({ mode = 'live' }) => mode);
  await Promise.all([...byMode].map(([mode, some]) => countIn(dependencies, mode, some)));
}

async function countIn(
  { counter, clock, warn }: AttemptDependencies,
  mode: Mode,
  attempts: readonly CountedAttempt[],
): Promise<void> {
  const counts: Partial<Record<keyof AttemptCounts, number>> = {};
  const add = (name: keyof AttemptCounts, amount: number): void => {
    counts[name] = (counts[name] ?? 0) + amount;
  };
  for (const { metric, totalMs } of attempts) {
    add(metric, 1);
    add('webhooks_total_ms', Math.round(totalMs));
  }
  try {
    await counter.add(counts satisfies AttemptCounts, clock(), mode);
  } catch (error) {
    warn('webhook attempts not counted', error);
  }
}
