/** Counts for the overview what a worker has just done; a count that fails is a pity, and never the work's failure. */

import { hasEntered, type MessageChange, statuses } from '../message/message.ts';
import type { Clock } from '../platform/clock.ts';
import type { Counts, UsageCounter, UsageMetric } from './usage.ts';

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

/** The states that messages entered by these changes; the gateway's own `sending` is left out, as in a history. */
export function messageUsage(changes: readonly MessageChange[]): UsageMetric[] {
  return changes.flatMap((change) =>
    statuses
      .filter((status) => {
        if (status === 'sending') return false;
        if (status === 'scheduled') return change.before === undefined && change.after.status === 'scheduled';
        return hasEntered(change, status);
      })
      .map((status): UsageMetric => `messages_${status}`),
  );
}
