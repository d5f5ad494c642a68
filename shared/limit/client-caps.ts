/** Counts messages against the caps of their client (contract 10.2 to 10.4). */
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
import {
  addCounts,
  addObserved,
  countIn,
  observedRefused,
  readCounts,
  type Windows,
  windowsAt,
} from './counters.dynamo.ts';
import { capsInRows, observedRow } from './overrides.ts';

/**
 * Returns the limits: messages before spend, and shorter windows first. @param own - the caps in the client's row, or in
 * the row for every client
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

/** Returns the stage's caps by the attributes of a row. They apply if a cap has no row. */
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

/** Returns the caps that apply to a client. If there is no cap, nothing is counted. */
export async function capsInForce(
  context: Context<'LIMIT_OVERRIDES_TABLE' | 'STAGE_CAPS'>,
  clientId: string,
): Promise<readonly CapLimit[]> {
  const enforced = capLimits(await capsInRows(context, clientId), context.env.STAGE_CAPS);
  const observed = capLimits(await capsInRows(context, clientId, observedRow), {});
  return [...enforced, ...observed.map((limit) => ({ ...limit, observed: true as const }))];
}

function enforcedOf(limits: readonly CapLimit[]): readonly CapLimit[] {
  return limits.filter(({ observed }) => observed !== true);
}

const keptDaysAfterMonth = 2;
/** These windows are counted even without a limit, so that a cap that is set later includes earlier messages. */
const countedWindows = ['day', 'month'] as const;

/** The client of a request, and the caps that apply to it. */
interface CappedRequest {
  readonly clientId: string;
  readonly limits: readonly CapLimit[];
  readonly now: Date;
}

/**
 * Counts messages towards the caps, one for each recipient, in the order of the request.
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
  const enforced = enforcedOf(limits);
  const addition = {
    counter,
    amounts: amountsByAttribute(amounts, limits, windows),
    limits: Object.fromEntries(
      enforced.map(({ cap, window, limit }) => [capAttribute(windows, cap, window), limit]),
    ),
    purgeAt,
  };
  const { added: fits, row } = await addCounts(context, addition, now);
  const full = fits ? [] : fullWindows(row, enforced, windows, amounts);
  await notifyOfSpend(context, {
    clientId,
    counter,
    purgeAt,
    limits: enforced,
    full: full.map(({ limit }) => limit),
    requestedSpend: sumOf(amounts.spend),
    windows,
    row,
    now,
  });
  if (!fits) throw refusalOf(full, messages.length, readPrices(context.env.PRICES_FILE).currency, now);
  const exceeded = limits.filter(
    ({ cap, window, limit, observed }) =>
      observed && countIn(row, capAttribute(windows, cap, window)) > limit,
  );
  if (exceeded.length === 0) return;
  const refused = exceeded.map(({ cap }) => [observedCapRefused(cap), sumOf(amounts[cap])]);
  await addObserved(context, { counter, amounts: Object.fromEntries(refused), purgeAt }, now);
}

/** Returns the attribute that counts what an observed cap would have refused: recipients, or millionths. */
export function observedCapRefused(cap: CapName): string {
  return `${observedRefused}_${cap}`;
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}

/** Makes the same check without counting. @throws GatewayError as `takeFromCaps` does */
export async function checkCaps(
  context: Context<keyof EnvironmentFor<typeof countedCaps>>,
  { clientId, limits, now }: CappedRequest,
  messages: readonly PricedMessage[],
): Promise<void> {
  const enforced = enforcedOf(limits);
  if (enforced.length === 0) return;
  const windows = windowsAt(now);
  const row = await readCounts(context, capCounterKey(clientId, windows));
  const full = fullWindows(row, enforced, windows, amountsOf(context, messages));
  if (full.length > 0)
    throw refusalOf(full, messages.length, readPrices(context.env.PRICES_FILE).currency, now);
}

/**
 * Returns the key of the counter. Client ids contain no colon, so this key differs from the keys of the rate limiter in the
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
      sumOf(amounts[cap]),
    ]),
  );
}

/**
 * Returns the windows without room for all recipients. For each, returns how many of the first recipients fit, and when it
 * resets, in seconds since the epoch.
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

/** Returns the error. The full window that resets last determines how long to wait. */
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
 * Returns how much of these caps a client has used (contract, section 11), in recipients or in the stage's currency. Makes
 * one read, or none without caps.
 */
export async function capUse(
  context: Context<'RATE_COUNTERS_TABLE'>,
  { clientId, limits, now }: CappedRequest,
) {
  const enforced = enforcedOf(limits);
  if (enforced.length === 0) return [];
  const windows = windowsAt(now);
  const row = await readCounts(context, capCounterKey(clientId, windows));
  return enforced.map(({ cap, window, limit }) => ({
    cap,
    window,
    limit: amountOf(cap, limit),
    used: amountOf(cap, countIn(row, capAttribute(windows, cap, window))),
    /** An ISO 8601 time in UTC. */
    resets_at: new Date(windows.resetsAt[window] * 1000).toISOString(),
  }));
}
