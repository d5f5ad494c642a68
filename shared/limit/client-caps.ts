/**
 * Counts messages against the caps of their client (contract 10.2 to 10.4), and notifies administrators, once for each
 * window, that a client has used 80 % or 100 % of a spend cap. If the cap refuses a request, this counts as 100 %.
 *
 *   notice ─ crash → the next request writes it again; in the same minute it is the same entry
 *   mark that the notice is given ─ lost → the same
 */
import { notify } from '../activity/write-activity.dynamo.ts';
import type { NoticeKind } from '../contract/activity-kinds.ts';
import { type GatewayError, limitReached } from '../contract/errors.ts';
import { costForCap, decimalText, type PricedMessage, readPrices } from '../contract/prices.ts';
import {
  type CapName,
  type Caps,
  type CapWindow,
  capNames,
  caps,
  millionthsPerUnit,
  type StageCaps,
  stageCapFields,
} from '../contract/rate-limits-and-caps.ts';
import type { countedCaps } from '../contract/uses.ts';
import { secondsPerDay, startOfMinute } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { derivedIdAt } from '../platform/ids.ts';
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

/** A cap in one window. */
interface CapLimit {
  readonly cap: CapName;
  readonly window: CapWindow;
  /** In messages, or in millionths of the currency. */
  readonly limit: number;
  /** Present if what the limit would refuse is only counted. */
  readonly observed?: true;
}

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

/** Converts an amount to millionths, rounded like the cost of a message. */
export function millionths(amount: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.round(amount * millionthsPerUnit));
}

/** Converts a count to messages, or to units of the currency. */
export function amountOf(cap: CapName, counted: number): number {
  return caps[cap].isMoney ? counted / millionthsPerUnit : counted;
}

/** Returns the attribute that counts this cap in this window. */
function capAttribute(windows: Windows, cap: CapName, window: CapWindow): string {
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
async function notifyOfSpend(
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
