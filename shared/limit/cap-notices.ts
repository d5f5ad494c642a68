/**
 * Tells administrators, once for each window, that a client has used 80 % or 100 % of a spend cap: an Activity Log entry, and at
 * 100 % a metric with an alarm. A refusal by the cap counts as 100 %.
 *
 *   entry ─ crash → the next request writes it again: in the same minute it is the same entry
 *   mark that the notice is given ─ crash, or a lost response → the entry is there, only the metric is not counted
 *   metric
 */

import type { ActivityKind } from '../activity/activity-kinds.ts';
import type { ActivityLog } from '../activity/activity-log.ts';
import type { StageMetric } from '../contract/metrics.ts';
import { modeOf } from '../contract/mode.ts';
import { decimalText } from '../contract/prices.ts';
import { startOfMinute } from '../platform/clock.ts';
import { derivedIdAt } from '../platform/ids.ts';
import type { CapCounter, CountedRow } from './cap-counter.dynamo.ts';
import {
  amountOf,
  type CapLimit,
  type CapWindows,
  capAttribute,
  countIn,
  noticeAttribute,
} from './cap-limits.ts';

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
  readonly windows: CapWindows;
  readonly row: CountedRow;
  readonly now: Date;
}

/** Called after each take. Never fails, so that it does not stop a request. */
export type NotifyOfSpend = (state: CapState) => Promise<void>;

/** The percentages of a spend cap at which administrators are notified. */
export const noticePercentages = [80, 100] as const;

const notices = {
  80: 'spend_cap_nearly_reached',
  100: 'spend_cap_reached',
} as const satisfies Record<(typeof noticePercentages)[number], ActivityKind>;

export function spendNotices(dependencies: {
  readonly counter: Pick<CapCounter, 'raise'>;
  readonly activityLog: ActivityLog;
  readonly countMetric: (name: StageMetric) => void;
  readonly currency: string;
  readonly warn: (message: string, error: unknown) => void;
}): NotifyOfSpend {
  const { counter, activityLog, countMetric, currency, warn } = dependencies;

  return async (state) => {
    for (const limit of state.limits) {
      if (limit.cap !== 'spend') continue;
      for (const percentage of noticePercentages) {
        if (!isDue(state, limit, percentage)) continue;
        try {
          await notify(state, limit, percentage);
        } catch (error) {
          warn('notice of a spend cap not recorded', error);
        }
      }
    }
  };

  /**
   * Returns the sentence of a notice. A request that does not fit is refused before the whole limit is used, so the
   * sentence then contains both.
   */
  function summaryOf(state: CapState, limit: CapLimit, percentage: number): string {
    const amountText = (millionths: number) => `${decimalText(amountOf('spend', millionths))} ${currency}`;
    const of = `of the spend limit of ${amountText(limit.limit)} per ${limit.window}`;
    if (percentage !== 100 || !state.full.includes(limit)) return `${percentage} % ${of} is reached.`;
    const used = Math.floor((usedOf(state, limit) * 100) / limit.limit);
    const at = state.now.toISOString().slice(11, 16);
    return `${used} % ${of} is used; a request of ${amountText(state.requestedSpend)} was refused at ${at} UTC.`;
  }

  /**
   * Records a notice. Only the request whose write raises the attribute counts the metric; other requests at the same
   * moment write the same entry.
   */
  async function notify(state: CapState, limit: CapLimit, percentage: keyof typeof notices): Promise<void> {
    const { clientId, windows, now } = state;
    const attribute = noticeAttribute(capAttribute(windows, 'spend', limit.window), percentage);
    const amount = amountOf('spend', limit.limit);
    await activityLog.add({
      entry_id: derivedIdAt(
        'act',
        placeInMinute(now, percentage),
        state.counter,
        attribute,
        String(limit.limit),
      ),
      kind: notices[percentage],
      at: now.toISOString(),
      summary: summaryOf(state, limit, percentage),
      client_id: clientId,
      after: {
        window: limit.window,
        limit: amount,
        used: amountOf('spend', usedOf(state, limit)),
        currency,
        resets_at: new Date(windows.resetsAt[limit.window] * 1000).toISOString(),
      },
    });
    const isFirst = await counter.raise(state.counter, attribute, limit.limit, state.purgeAt);
    // Test data alerts nobody.
    if (isFirst && percentage === 100 && modeOf(clientId) === 'live') countMetric('SpendCapReached');
  }
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
