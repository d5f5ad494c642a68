import { type GatewayError, limitReached } from '../contract/errors.ts';
import { costForCap, decimalText, type PricedMessage, readPrices } from '../contract/prices.ts';
import {
  type CapName,
  type Caps,
  capNames,
  caps,
  type StageCaps,
  stageCapFields,
} from '../contract/rate-limits-and-caps.ts';
import type { countedCaps } from '../contract/uses.ts';
import { secondsPerDay } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { amountOf, type CapLimit, capAttribute, millionths, notifyOfSpend } from './cap-notices.ts';
import { addCounts, countIn, readCounts, type Windows, windowsAt } from './counters.dynamo.ts';
import { capsInRows } from './overrides.ts';

/**
 * Returns the limits, messages before spend, shorter windows first. @param own - the caps of the client's row, or of the row
 * for every client
 */
export function capLimits(own: Caps, stage: StageCaps): CapLimit[] {
  return capNames.flatMap((cap) =>
    caps[cap].windows.flatMap((window): CapLimit[] => {
      const ofStage = stage[cap]?.[stageCapFields[window]];
      const counted = ofStage !== undefined && caps[cap].isMoney ? millionths(ofStage) : ofStage;
      const limit = own[cap]?.[`per_${window}`] ?? counted;
      return limit === undefined ? [] : [{ cap, window, limit }];
    }),
  );
}

/** Returns the caps of the stage by the attributes of a row: the limits of a cap without a row. */
export function capDefaults(stage: StageCaps): Caps {
  const limits = capLimits({}, stage);
  return Object.fromEntries(
    capNames.map((name) => [
      name,
      Object.fromEntries(
        limits.filter(({ cap }) => cap === name).map(({ window, limit }) => [`per_${window}`, limit]),
      ),
    ]),
  );
}

/** Returns the caps in force for a client. If no cap applies, returns none, and nothing is counted. */
export async function capsInForce(
  context: Context<'LIMIT_OVERRIDES_TABLE' | 'STAGE_CAPS'>,
  clientId: string,
): Promise<readonly CapLimit[]> {
  return capLimits(await capsInRows(context, clientId), context.env.STAGE_CAPS);
}

const keptDaysAfterMonth = 2;
/** These windows are counted even without a limit, so that a cap that is set later includes earlier messages. */
const countedWindows = ['day', 'month'] as const;

/** The client of a request, and the caps that are in force for it. */
interface CappedRequest {
  readonly clientId: string;
  readonly limits: readonly CapLimit[];
  readonly now: Date;
}

/**
 * Takes messages from the caps, one for each recipient in the order of the request.
 *
 * @throws GatewayError `message_limit_reached` or `spend_limit_reached` if a window has no room for all of them
 */
export async function takeFromCaps(
  context: Context<keyof EnvironmentFor<typeof countedCaps>>,
  { clientId, limits, now }: CappedRequest,
  messages: readonly PricedMessage[],
): Promise<void> {
  if (limits.length === 0) return;
  const windows = windowsAt(now);
  const amounts = amountsOf(context, messages);
  const counter = capCounterKey(clientId, windows);
  const purgeAt = windows.resetsAt.month + keptDaysAfterMonth * secondsPerDay;
  const addition = {
    counter,
    amounts: amountsByAttribute(amounts, limits, windows),
    limits: Object.fromEntries(
      limits.map(({ cap, window, limit }) => [capAttribute(windows, cap, window), limit]),
    ),
    purgeAt,
  };
  const { added: fits, row } = await addCounts(context, addition, now);
  const full = fits ? [] : fullWindows(row, limits, windows, amounts);
  await notifyOfSpend(context, {
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
  if (!fits) throw refusalOf(full, messages.length, readPrices(context.env.PRICES_FILE).currency, now);
}

/** Does the same check without taking anything. @throws GatewayError as `takeFromCaps` does */
export async function checkCaps(
  context: Context<keyof EnvironmentFor<typeof countedCaps>>,
  { clientId, limits, now }: CappedRequest,
  messages: readonly PricedMessage[],
): Promise<void> {
  if (limits.length === 0) return;
  const windows = windowsAt(now);
  const row = await readCounts(context, capCounterKey(clientId, windows));
  const full = fullWindows(row, limits, windows, amountsOf(context, messages));
  if (full.length > 0)
    throw refusalOf(full, messages.length, readPrices(context.env.PRICES_FILE).currency, now);
}

/**
 * Returns the key of the counter. Client ids contain no colon, so it differs from all keys of the rate limiter in the
 * same table.
 */
export function capCounterKey(clientId: string, { month }: Windows): string {
  return `caps:${clientId}|${month}`;
}

/** Returns the amounts of each recipient of a request. */
function amountsOf(
  context: Context<keyof EnvironmentFor<typeof countedCaps>>,
  messages: readonly PricedMessage[],
) {
  const prices = readPrices(context.env.PRICES_FILE);
  return {
    messages: messages.map(() => 1),
    spend: messages.map((message) => millionths(costForCap(prices, message))),
  };
}

function amountsByAttribute(
  amounts: ReturnType<typeof amountsOf>,
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

/**
 * Returns the windows without room for all recipients, each with the number of first recipients that fit, and the time of
 * its reset, in seconds since the epoch.
 */
function fullWindows(
  row: Readonly<Record<string, unknown>>,
  limits: readonly CapLimit[],
  windows: Windows,
  amounts: ReturnType<typeof amountsOf>,
) {
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
  full: ReturnType<typeof fullWindows>,
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

/**
 * Returns how much of these caps a client has used (contract, section 11), in recipients or in the currency of the stage.
 * Makes one read, or none without a cap.
 */
export async function capUse(
  context: Context<'RATE_COUNTERS_TABLE'>,
  { clientId, limits, now }: CappedRequest,
) {
  if (limits.length === 0) return [];
  const windows = windowsAt(now);
  const row = await readCounts(context, capCounterKey(clientId, windows));
  return limits.map(({ cap, window, limit }) => ({
    cap,
    window,
    limit: amountOf(cap, limit),
    used: amountOf(cap, countIn(row, capAttribute(windows, cap, window))),
    /** ISO 8601 UTC. */
    resets_at: new Date(windows.resetsAt[window] * 1000).toISOString(),
  }));
}
