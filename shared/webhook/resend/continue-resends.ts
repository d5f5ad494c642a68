/** Continues the requests to resend many webhooks that are not completed: each minute, until the time is over. */
import {
  type DueItemRun,
  type NextReview,
  type ProcessedDueItems,
  processDueItems,
} from '../../due-items/process-due-items.ts';
import { errorOf } from '../../due-items/read-rows.ts';
import { addSeconds, earlierOf } from '../../platform/clock.ts';
import { type RunResendDependencies, runResend } from './run-resend.ts';

type ContinueResendsDependencies = DueItemRun & RunResendDependencies;

/** If more requests than this are read together, they get only a part of the minute, so that the next ones get some of it. */
const wholeMinuteRequestsMax = 20;
const sharedMinuteSeconds = 10;

/** The requests of one client follow one another; those of several clients run side by side. */
export async function continueResends(dependencies: ContinueResendsDependencies): Promise<ProcessedDueItems> {
  const { clock, budgetMs, resends } = dependencies;
  const endsAt = addSeconds(clock(), budgetMs / 1000);
  return processDueItems(dependencies, 'resends', async (ids) => {
    const reviews = new Map<string, NextReview | Error>();
    const theseEndAt =
      ids.length > wholeMinuteRequestsMax
        ? earlierOf(endsAt, addSeconds(clock(), sharedMinuteSeconds))
        : endsAt;
    const rows = await Promise.all(
      ids.map(async (id) => [id, await resends.get(id).catch(errorOf)] as const),
    );
    const byClient = Map.groupBy(rows, ([id, row]) =>
      row === undefined || row instanceof Error ? id : row.client_id,
    );
    await Promise.all(
      Array.from(byClient.values(), async (some) => {
        for (const [id, row] of some) reviews.set(id, await continued(dependencies, id, row, theseEndAt));
      }),
    );
    return reviews;
  });
}

async function continued(
  dependencies: ContinueResendsDependencies,
  id: string,
  row: object | Error | undefined,
  endsAt: Date,
): Promise<NextReview | Error> {
  if (row instanceof Error) return row;
  try {
    const resend = await runResend(dependencies, id, endsAt);
    return resend === undefined || resend.status === 'completed' ? undefined : dependencies.clock();
  } catch (error) {
    return errorOf(error);
  }
}
