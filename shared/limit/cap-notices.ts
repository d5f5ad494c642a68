/**
 * Notifies administrators, once for each window, that a client has used 80 % or 100 % of a spend cap. A refusal by the cap
 * counts as 100 %.
 *
 *   notice ─ crash → the next request gives it again: in the same minute it is the same entry
 *   mark that the notice is given ─ lost → the same
 */

import { type ActivityLog, notify } from '../activity/write-activity.dynamo.ts';
import type { NoticeKind } from '../contract/activity-kinds.ts';
import { decimalText } from '../contract/prices.ts';
import { startOfMinute } from '../platform/clock.ts';
import { derivedIdAt } from '../platform/ids.ts';
import { logWarning } from '../platform/log.ts';
import { amountOf, type CapLimit, capAttribute, noticeAttribute } from './cap-limits.ts';
import { add, type CountedRow, type Counters, countIn } from './counters.dynamo.ts';
import type { Windows } from './windows.ts';

interface CapState {
  readonly clientId: string;
  /** The key of the row. */
  readonly counter: string;
  readonly purgeAt: number;
  readonly limits: readonly CapLimit[];
  /** The limits that had no room for the request: none if it was accepted. */
  readonly full: readonly CapLimit[];
  /** The amount that the request would add to `spend`, in millionths. */
  readonly requestedSpend: number;
  readonly windows: Windows;
  readonly row: CountedRow;
  readonly now: Date;
}

/** The percentages of a spend cap at which administrators are notified. */
export const noticePercentages = [80, 100] as const;
type Percentage = (typeof noticePercentages)[number];

const notices: Readonly<Record<Percentage, NoticeKind>> = {
  80: 'spend_cap_nearly_reached',
  100: 'spend_cap_reached',
};

interface NoticeDependencies {
  readonly counters: Counters;
  readonly activityLog: ActivityLog;
  /** The currency of the costs and the spend caps. */
  readonly currency: string;
}

/** Gives the notices that are due after a take. Never fails, so that it does not stop a request. */
export async function notifyOfSpend(dependencies: NoticeDependencies, state: CapState): Promise<void> {
  for (const limit of state.limits) {
    if (limit.cap !== 'spend') continue;
    for (const percentage of noticePercentages) {
      if (!isDue(state, limit, percentage)) continue;
      try {
        await notifyOf(dependencies, state, limit, percentage);
      } catch (error) {
        logWarning('notice of a spend cap not recorded', error);
      }
    }
  }
}

async function notifyOf(
  { counters, activityLog, currency }: NoticeDependencies,
  state: CapState,
  limit: CapLimit,
  percentage: Percentage,
): Promise<void> {
  const { clientId, windows, now } = state;
  const attribute = noticeAttribute(capAttribute(windows, 'spend', limit.window), percentage);
  const minute = placeInMinute(now, percentage);
  const id = derivedIdAt('act', minute, state.counter, attribute, String(limit.limit));
  await notify(activityLog, notices[percentage], id, {
    at: now.toISOString(),
    summary: summaryOf(state, limit, percentage, currency),
    client_id: clientId,
    after: {
      window: limit.window,
      limit: amountOf('spend', limit.limit),
      used: amountOf('spend', usedOf(state, limit)),
      currency,
      resets_at: new Date(windows.resetsAt[limit.window] * 1000).toISOString(),
    },
  });
  // Raises the mark to the limit, unless another request was faster.
  const mark = {
    counter: state.counter,
    amounts: { [attribute]: limit.limit - countIn(state.row, attribute) },
    limits: { [attribute]: limit.limit },
    purgeAt: state.purgeAt,
  };
  await add(counters, mark, now);
}

/**
 * Returns the sentence of a notice. A request that does not fit is refused before the whole limit is used, so the
 * sentence then contains both.
 */
function summaryOf(state: CapState, limit: CapLimit, percentage: number, currency: string): string {
  const amountText = (millionths: number) => `${decimalText(amountOf('spend', millionths))} ${currency}`;
  const of = `of the spend limit of ${amountText(limit.limit)} per ${limit.window}`;
  if (percentage !== 100 || !state.full.includes(limit)) return `${percentage} % ${of} is reached.`;
  const used = Math.floor((usedOf(state, limit) * 100) / limit.limit);
  const at = state.now.toISOString().slice(11, 16);
  return `${used} % ${of} is used; a request of ${amountText(state.requestedSpend)} was refused at ${at} UTC.`;
}

/** Returns the same time for every request of a minute. The log is sorted by id, so 80 % comes before 100 %. */
function placeInMinute(at: Date, percentage: number): Date {
  return new Date(startOfMinute(at).getTime() + percentage);
}

/** True if a notice is due. A limit that was raised since the last notice is notified again. */
function isDue(state: CapState, limit: CapLimit, percentage: number): boolean {
  const refused = percentage === 100 && state.full.includes(limit);
  if (!refused && usedOf(state, limit) * 100 < limit.limit * percentage) return false;
  const attribute = noticeAttribute(capAttribute(state.windows, 'spend', limit.window), percentage);
  return countIn(state.row, attribute) < limit.limit;
}

function usedOf({ row, windows }: CapState, { cap, window }: CapLimit): number {
  return countIn(row, capAttribute(windows, cap, window));
}
