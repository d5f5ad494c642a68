/**
 * Notifies administrators, once for each window, that a client has used 80 % or 100 % of a spend cap (contract 10.4). If the
 * cap refuses a request, this counts as 100 %.
 *
 *   notice ─ crash → the next request writes it again; in the same minute it is the same entry
 *   mark that the notice is given ─ lost → the same
 */
import { notify } from '../activity/write-activity.dynamo.ts';
import type { NoticeKind } from '../contract/activity-kinds.ts';
import { decimalText, readPrices } from '../contract/prices.ts';
import { type CapName, type CapWindow, caps, millionthsPerUnit } from '../contract/rate-limits-and-caps.ts';
import type { countedCaps } from '../contract/uses.ts';
import { startOfMinute } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { derivedIdAt } from '../platform/ids.ts';
import { addCounts, countIn, type Windows } from './counters.dynamo.ts';

/** A cap in one window. */
export interface CapLimit {
  readonly cap: CapName;
  readonly window: CapWindow;
  /** In messages, or in millionths of the currency. */
  readonly limit: number;
  /** Present if what the limit would refuse is only counted. */
  readonly observed?: true;
}

/** Converts an amount to millionths, rounded like the cost of a message. */
export function millionths(amount: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.round(amount * millionthsPerUnit));
}

/** Converts a count to messages, or to units of the currency. */
export function amountOf(cap: CapName, counted: number): number {
  return caps[cap].isMoney ? counted / millionthsPerUnit : counted;
}

/** Returns the attribute that counts this cap in this window. */
export function capAttribute(windows: Windows, cap: CapName, window: CapWindow): string {
  return `${cap}_${windows.attributes[window]}`;
}

interface CapState {
  readonly clientId: string;
  /** The key of the counter's row. */
  readonly counter: string;
  readonly purgeAt: number;
  readonly limits: readonly CapLimit[];
  /** The limits without room for the request; empty if the request was accepted. */
  readonly full: readonly CapLimit[];
  /** The amount that the request would add to `spend`, in millionths. */
  readonly requestedSpend: number;
  readonly windows: Windows;
  readonly row: Readonly<Record<string, unknown>>;
  readonly now: Date;
}

/** The percentages of a spend cap at which administrators are notified. */
export const noticePercentages = [80, 100] as const;

const notices = {
  80: 'spend_cap_nearly_reached',
  100: 'spend_cap_reached',
} as const satisfies Record<(typeof noticePercentages)[number], NoticeKind>;

/**
 * Writes the notices that are due after a request was counted. Never throws, so that a failed notice does not fail the
 * request.
 */
export async function notifyOfSpend(
  context: Context<keyof EnvironmentFor<typeof countedCaps>>,
  state: CapState,
): Promise<void> {
  for (const limit of state.limits) {
    if (limit.cap !== 'spend') continue;
    for (const percentage of noticePercentages) {
      if (!isDue(state, limit, percentage)) continue;
      try {
        await notifyOf(context, state, limit, percentage);
      } catch (error) {
        context.warn('notice of a spend cap not recorded', error);
      }
    }
  }
}

async function notifyOf(
  context: Context<keyof EnvironmentFor<typeof countedCaps>>,
  state: CapState,
  limit: CapLimit,
  percentage: keyof typeof notices,
): Promise<void> {
  const { clientId, windows, now } = state;
  const { currency } = readPrices(context.env.PRICES_FILE);
  const attribute = noticeAttribute(windows, limit, percentage);
  const minute = placeInMinute(now, percentage);
  const id = derivedIdAt('act', minute, state.counter, attribute, String(limit.limit));
  await notify(context, notices[percentage], id, {
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
  // Raises the mark to the limit, unless another request has raised it first.
  const mark = {
    counter: state.counter,
    amounts: { [attribute]: limit.limit - countIn(state.row, attribute) },
    limits: { [attribute]: limit.limit },
    purgeAt: state.purgeAt,
  };
  await addCounts(context, mark, now);
}

/**
 * Returns the sentence of a notice. A request that does not fit is refused before the limit is fully used. The sentence
 * then states the used part and the request.
 */
function summaryOf(state: CapState, limit: CapLimit, percentage: number, currency: string): string {
  const amountText = (millionths: number) => `${decimalText(amountOf('spend', millionths))} ${currency}`;
  const of = `of the spend limit of ${amountText(limit.limit)} per ${limit.window}`;
  if (percentage !== 100 || !state.full.includes(limit)) return `${percentage} % ${of} is reached.`;
  const used = Math.floor((usedOf(state, limit) * 100) / limit.limit);
  const at = state.now.toISOString().slice(11, 16);
  return `${used} % ${of} is used; a request of ${amountText(state.requestedSpend)} was refused at ${at} UTC.`;
}

/** Returns the same time for every request within a minute. The log is sorted by id, so 80 % comes before 100 %. */
function placeInMinute(at: Date, percentage: number): Date {
  return new Date(startOfMinute(at).getTime() + percentage);
}

/** True if a notice is due. If a limit was raised after the last notice, a new one is due. */
function isDue(state: CapState, limit: CapLimit, percentage: number): boolean {
  const refused = percentage === 100 && state.full.includes(limit);
  if (!refused && usedOf(state, limit) * 100 < limit.limit * percentage) return false;
  const attribute = noticeAttribute(state.windows, limit, percentage);
  return countIn(state.row, attribute) < limit.limit;
}

/** Returns the attribute that stores the highest cap for which this percentage was already reported in this window. */
function noticeAttribute(windows: Windows, { window }: CapLimit, percentage: number): string {
  return `${capAttribute(windows, 'spend', window)}_${percentage}`;
}

function usedOf({ row, windows }: CapState, { cap, window }: CapLimit): number {
  return countIn(row, capAttribute(windows, cap, window));
}
