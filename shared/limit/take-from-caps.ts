/**
 * Takes the messages of a request from the client's caps before anything is stored: one write, and none if no cap
 * applies. It takes all or nothing. The amount stays taken until its window ends, even if the request then fails. If
 * a response is lost, the SDK retries the call, which takes the amount once more, or is refused if it no longer fits.
 *
 * Why: docs/decisions/caps-are-exact.md
 */

import { type ActivityLog, activityLogFrom } from '../activity/write-activity.dynamo.ts';
import { type GatewayError, limitReached } from '../contract/errors.ts';
import { isSynthetic } from '../contract/mode.ts';
import { costForCap, decimalText, type PricedMessage, readPrices } from '../contract/prices.ts';
import { type CapName, type CapWindow, capNames, caps } from '../contract/rate-limits-and-caps.ts';
import type { countedCaps } from '../contract/uses.ts';
import { dynamo } from '../platform/aws/clients.ts';
import { secondsPerDay } from '../platform/clock.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { amountOf, type CapLimit, capAttribute, capLimits, millionths } from './cap-limits.ts';
import { notifyOfSpend } from './cap-notices.ts';
import { add, type CountedRow, type Counters, countersIn, countIn, readCounts } from './counters.dynamo.ts';
import type { CapReader } from './read-overrides.ts';
import { type Windows, windowsAt } from './windows.ts';

/** Takes one request's messages from its client's caps. */
export interface Allowance {
  /**
   * Takes these messages from the caps, one for each recipient in the order of the request.
   *
   * @throws GatewayError `message_limit_reached` or `spend_limit_reached` if a window has no room for all of them
   */
  take(messages: readonly PricedMessage[]): Promise<void>;
  /** Does the same check without taking anything. @throws GatewayError as `take` does */
  check(messages: readonly PricedMessage[]): Promise<void>;
}

/** Returns undefined if no cap applies to the client: then nothing is counted. */
export type AllowanceOf = (
  clientId: string,
  request: { readonly now: Date },
) => Promise<Allowance | undefined>;

const keptDaysAfterMonth = 2;
/** Counted even without a limit, so that a cap that is set later includes earlier messages. */
const countedWindows = ['day', 'month'] as const;

interface CapsInForce {
  readonly limitsOf: (clientId: string) => Promise<readonly CapLimit[]>;
}

interface AllowanceDependencies extends CapsInForce {
  readonly counters: Counters;
  /** Returns the estimated cost of a message. */
  readonly costOf: (message: PricedMessage) => number;
  /** The currency of the costs and the spend caps. */
  readonly currency: string;
  readonly activityLog: ActivityLog;
}

export function allowances(dependencies: AllowanceDependencies): AllowanceOf {
  const amountsOf = (messages: readonly PricedMessage[]): Amounts => ({
    messages: messages.map(() => 1),
    spend: messages.map((message) => millionths(dependencies.costOf(message))),
  });

  return async (clientId, { now }) => {
    const limits = await dependencies.limitsOf(clientId);
    if (limits.length === 0) return undefined;
    const windows = windowsAt(now);
    const counter = capCounterKey(clientId, windows);
    const purgeAt = windows.resetsAt.month + keptDaysAfterMonth * secondsPerDay;

    return {
      async take(messages) {
        const amounts = amountsOf(messages);
        const addition = {
          counter,
          amounts: amountsByAttribute(amounts, limits, windows),
          limits: Object.fromEntries(
            limits.map(({ cap, window, limit }) => [capAttribute(windows, cap, window), limit]),
          ),
          purgeAt,
        };
        const { added: fits, row } = await add(dependencies.counters, addition, now);
        const full = fits ? [] : fullWindows(row, limits, windows, amounts);
        await notifyOfSpend(dependencies, {
          clientId,
          counter,
          purgeAt,
          limits,
          full: full.map(({ limit }) => limit),
          requestedSpend: amounts.spend.reduce((sum, amount) => sum + amount, 0),
          windows,
          row,
          now,
        });
        if (!fits) throw refusalOf(full, messages.length, dependencies.currency, now);
      },

      async check(messages) {
        const row = await readCounts(dependencies.counters, counter);
        const full = fullWindows(row, limits, windows, amountsOf(messages));
        if (full.length > 0) throw refusalOf(full, messages.length, dependencies.currency, now);
      },
    };
  };
}

/**
 * Returns the key of the counter. Client ids contain no colon, so it differs from all keys of the rate limiter in the
 * same table.
 */
export function capCounterKey(clientId: string, { month }: Windows): string {
  return `caps:${clientId}|${month}`;
}

/** The amounts of each recipient of a request. */
type Amounts = Readonly<Record<CapName, readonly number[]>>;

function amountsByAttribute(
  amounts: Amounts,
  limits: readonly CapLimit[],
  windows: Windows,
): Record<string, number> {
  const always = capNames.flatMap((cap) => countedWindows.map((window) => ({ cap, window })));
  return Object.fromEntries(
    [...always, ...limits].map(({ cap, window }) => [
      capAttribute(windows, cap, window),
      amounts[cap].reduce((sum, amount) => sum + amount, 0),
    ]),
  );
}

interface FullWindow {
  readonly limit: CapLimit;
  /** How many of the request's first recipients it has room for. */
  readonly fitting: number;
  /** Seconds since the epoch. */
  readonly resetsAt: number;
}

function fullWindows(
  row: CountedRow,
  limits: readonly CapLimit[],
  windows: Windows,
  amounts: Amounts,
): FullWindow[] {
  return limits
    .map((limit) => {
      const used = countIn(row, capAttribute(windows, limit.cap, limit.window));
      const fitting = fittingRecipients(amounts[limit.cap], limit.limit - used);
      return { limit, fitting, resetsAt: windows.resetsAt[limit.window] };
    })
    .filter(({ limit, fitting }) => fitting < amounts[limit.cap].length);
}

const refusals = {
  messages: 'message_limit_reached',
  spend: 'spend_limit_reached',
} as const satisfies Record<CapName, string>;

/** Returns the refusal. The full window that resets last decides how long to wait. */
function refusalOf(
  full: readonly FullWindow[],
  recipients: number,
  currency: string,
  now: Date,
): GatewayError {
  const [first, ...others] = full;
  if (first === undefined) throw new Error('a refusal without a full window');
  const { limit, resetsAt } = others.reduce(
    (last, next) => (next.resetsAt > last.resetsAt ? next : last),
    first,
  );
  const fitting = Math.min(...full.map((window) => window.fitting));
  const amount = decimalText(amountOf(limit.cap, limit.limit));
  const unit = caps[limit.cap].isMoney ? currency : limit.limit === 1 ? 'message' : 'messages';
  const reached = `The limit of ${amount} ${unit} per ${limit.window} is reached`;
  const fitted = recipients === 1 ? '' : `: ${fitting} of the ${recipients} recipients would have fitted`;
  return limitReached(
    refusals[limit.cap],
    `${reached}${fitted}.`,
    Math.max(1, Math.ceil(resetsAt - now.getTime() / 1000)),
  );
}

/** Returns how many of the first recipients fit. */
function fittingRecipients(amounts: readonly number[], room: number): number {
  let left = room;
  let fitting = 0;
  for (const amount of amounts) {
    left -= amount;
    if (left < 0) break;
    fitting += 1;
  }
  return fitting;
}

/** How much of its caps a client has used (contract, section 11). */
export interface CapUse {
  readonly cap: CapName;
  readonly window: CapWindow;
  /** Recipients, or an amount in the currency of the stage. */
  readonly limit: number;
  readonly used: number;
  /** ISO 8601 UTC. */
  readonly resets_at: string;
}

/** Returns the use of a client's caps: one read, and none if no cap applies. */
export async function capUse(
  { counters, limitsOf }: CapsInForce & { readonly counters: Counters },
  clientId: string,
  now: Date,
): Promise<CapUse[]> {
  const limits = await limitsOf(clientId);
  if (limits.length === 0) return [];
  const windows = windowsAt(now);
  const row = await readCounts(counters, capCounterKey(clientId, windows));
  return limits.map(({ cap, window, limit }) => ({
    cap,
    window,
    limit: amountOf(cap, limit),
    used: amountOf(cap, countIn(row, capAttribute(windows, cap, window))),
    resets_at: new Date(windows.resetsAt[window] * 1000).toISOString(),
  }));
}

/** Returns the caps of the sends, which count by the stage's prices, from the function's environment. */
export function allowancesFrom(env: EnvironmentFor<typeof countedCaps>, capsOf: CapReader): AllowanceOf {
  const table = readPrices(env.PRICES_FILE);
  const stageCaps = env.STAGE_CAPS;
  return allowances({
    counters: countersIn(dynamo(), env.RATE_COUNTERS_TABLE),
    limitsOf: async (clientId) => (isSynthetic(clientId) ? [] : capLimits(await capsOf(clientId), stageCaps)),
    costOf: (message) => costForCap(table, message),
    currency: table.currency,
    activityLog: activityLogFrom(env),
  });
}
