/** Counts for the overview what a worker has just done; a count that fails is a pity, and never the work's failure. */
import type { Clock } from '../clock.ts';
import { hasEntered, type MessageChange, statuses } from '../message/message.ts';
import type { Counts, Figure, FigureCounter } from './figures.ts';

export interface FigureParts {
  readonly counter: FigureCounter;
  readonly clock: Clock;
  readonly warn: (message: string, error: unknown) => void;
}

/** One write for a whole batch. */
export async function countFigures(
  { counter, clock, warn }: FigureParts,
  figures: readonly Figure[],
): Promise<void> {
  const counts: Partial<Record<Figure, number>> = {};
  for (const figure of figures) counts[figure] = (counts[figure] ?? 0) + 1;
  try {
    await counter.add(counts satisfies Counts, clock());
  } catch (error) {
    warn('figures not counted', error);
  }
}

/** The states that messages entered by these changes; the gateway's own `sending` is left out, as in a history. */
export function messageFigures(changes: readonly MessageChange[]): Figure[] {
  return changes.flatMap((change) =>
    statuses
      .filter((status) => {
        if (status === 'sending') return false;
        if (status === 'scheduled') return change.before === undefined && change.after.status === 'scheduled';
        return hasEntered(change, status);
      })
      .map((status): Figure => `messages_${status}`),
  );
}
