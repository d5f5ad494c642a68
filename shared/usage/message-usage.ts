/** Counts the states that messages entered. */
import { hasEntered, type MessageChange, statuses } from '../message/message.ts';
import type { UsageMetric } from './usage.ts';

/** `sending` is internal, so it is left out, as in a history. */
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
