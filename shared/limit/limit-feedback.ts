/**
 * The feedback in a row of `limit-overrides` (contract 10.5): the limits that apply, or what is wrong and how to correct
 * it. It reads the row with the same function as the limiter.
 */

import { decimalText } from '../contract/prices.ts';
import {
  type Caps,
  countedPerUnit,
  everyClient,
  isMoney,
  type Limits,
  type LimitTarget,
  limitTargets,
  perMinuteMax,
  policies,
  type WindowAttribute,
  type WindowLimits,
  windowAttributes,
} from '../contract/rate-limits-and-caps.ts';
import {
  type Feedback,
  faultText,
  joinSentences,
  keepTime,
  missingClientFault,
  misspelledAttributes,
  sinceText,
} from '../edited-table/feedback.ts';
import { type EditedRow, type IgnoredValue, shownValue } from '../edited-table/row-editor.dynamo.ts';
import { closestName } from '../platform/closest-name.ts';
import { limitOf, windowNames, windowSeconds } from './counters.dynamo.ts';
import { firstReached } from './entered-limits.ts';
import {
  isInForce,
  isMaintenance,
  overrideTable,
  type ParsedRow,
  parseRow,
  rowInForce,
} from './overrides.ts';

export interface FeedbackContext {
  readonly now: Date;
  /** True if the row's `client_id` exists. */
  readonly clientExists: boolean;
  /** The row for every client (`*`) with the same endpoint. */
  readonly forEveryClient: ParsedRow | undefined;
  readonly capDefaults: Caps;
  /** The currency of caps on spend (ISO 4217). */
  readonly currency: string;
}

/** Returns the feedback for a row. */
export function feedbackOf(row: EditedRow, context: FeedbackContext): Feedback {
  return keepTime(row, judge(row, context));
}

function judge(row: EditedRow, context: FeedbackContext): Feedback {
  const parsed = parseRow(row);
  const { target, clientId, expiresAt } = parsed;
  const faults = joinSentences(...faultsOf(row, parsed, context.clientExists).map(faultText));
  if (isMaintenance(row)) return maintenanceFeedback(expiresAt, context.now);
  if (target === undefined || !context.clientExists) return { status: 'invalid', status_message: faults };
  const since = sinceText(context.now);
  if (!isInForce(parsed, context.now)) {
    return { status: 'expired', status_message: joinSentences(expiredText(target, parsed, context), faults) };
  }
  const own = parsed.observes
    ? joinSentences(observedText(target, parsed, context.currency), withoutRowText(target, parsed, context))
    : inForceText(endpointInForce(target, parsed, context.capDefaults), context.currency);
  const rest = joinSentences(
    own,
    parsed.isLowered
      ? `per_minute: ${shownValue(row.per_minute)} counts as ${count(perMinuteMax)}, the highest limit per minute.`
      : '',
    clientId === everyClient
      ? 'It applies to every client that has no row of its own for this endpoint.'
      : '',
    expiresAt === undefined ? '' : `It expires at ${shownTime(expiresAt)}.`,
  );
  if (faults === '') return { status: 'active', status_message: `Active ${since}: ${rest}` };
  const hasEffect = parsed.blocked || Object.keys(parsed.limits).length > 0;
  return {
    status: 'invalid',
    status_message: hasEffect ? `${faults} The rest of the row applies ${since}: ${rest}` : faults,
  };
}

function maintenanceFeedback(expiresAt: Date | undefined, now: Date): Feedback {
  if (expiresAt !== undefined && now >= expiresAt)
    return {
      status: 'expired',
      status_message: `Expired at ${shownTime(expiresAt)}: the API answers again.`,
    };
  const end = expiresAt === undefined ? 'the row is removed' : shownTime(expiresAt);
  return { status: 'active', status_message: `Active ${sinceText(now)}: the API answers 503 until ${end}.` };
}

/** Returns all errors of a row: in its client, its values, and its attribute names. */
export function faultsOf(
  row: EditedRow,
  { clientId, ignored }: ParsedRow,
  clientExists: boolean,
): readonly IgnoredValue[] {
  const faults = ignored.map(({ attribute, reason }) => ({
    attribute,
    reason: joinSentences(reason, attribute === 'endpoint' ? suggestedEndpoint(String(row.endpoint)) : ''),
  }));
  if (!clientExists) faults.unshift(missingClientFault(clientId, ', so the row has no effect.'));
  return [...faults, ...misspelledAttributes(row, overrideTable, unknownLimit)];
}

/** Returns an error for an unknown name that begins like a limit, because the operator expects it to have an effect. */
function unknownLimit(name: string): string | undefined {
  if (!/^per[ _-]/i.test(name)) return undefined;
  return `there is no such limit. Valid are ${windowAttributes.join(', ')}.`;
}

function suggestedEndpoint(typed: string): string {
  const names = [...limitTargets];
  const meant =
    names.find(([, target]) => target.kind === 'rate' && target.policy === typed.trim())?.[0] ??
    closestName(
      typed,
      names.map(([name]) => name),
    );
  return meant === undefined
    ? `Valid are: ${names.map(([name]) => name).join(', ')}.`
    : `Did you mean ${shownValue(meant)}?`;
}

function expiredText(target: LimitTarget, row: ParsedRow, context: FeedbackContext): string {
  const at = row.expiresAt === undefined ? '' : ` at ${shownTime(row.expiresAt)}`;
  return `Expired${at}: the row has no effect. ${withoutRowText(target, row, context)}`;
}

/** Returns the limits that are in force if the row sets none. */
function withoutRowText(
  target: LimitTarget,
  { clientId }: ParsedRow,
  { forEveryClient, capDefaults, currency, now }: FeedbackContext,
): string {
  const next = clientId === everyClient ? undefined : rowInForce([forEveryClient], now);
  const source = next === undefined ? 'Now in force' : `Now in force, by the row of client_id ${everyClient}`;
  return `${source}: ${inForceText(endpointInForce(target, next, capDefaults), currency)}`;
}

/** Returns `observes 600 per minute, and refuses nothing.` */
function observedText(target: LimitTarget, { limits, blocked }: ParsedRow, currency: string): string {
  const texts = target.windows.flatMap((window) => {
    const limit = limits[window];
    return limit === undefined ? [] : [`${shownLimit(limit, target, currency)} ${windowWords[window].per}`];
  });
  const observed = blocked ? 'a block' : texts.length === 0 ? 'no limit' : texts.join(', ');
  return `observes ${observed}, and refuses nothing.`;
}

const windowWords = {
  per_minute: { per: 'per minute', adjective: 'limit per minute' },
  per_hour: { per: 'per hour', adjective: 'hourly limit' },
  per_day: { per: 'per day', adjective: 'daily limit' },
  per_month: { per: 'per month', adjective: 'monthly limit' },
} as const satisfies Record<WindowAttribute, unknown>;

/**
 * Returns a text such as `600 per minute, 1,000 per hour (default). The hourly limit is reached after 100 s at full rate.`
 */
export function inForceText(
  { target, blocked, windows, firstReached }: ReturnType<typeof endpointInForce>,
  currency: string,
): string {
  if (blocked) return 'blocked. Requests to this endpoint are refused with 403 forbidden.';
  if (windows.length === 0) return 'no limit.';
  const limits = windows
    .map(({ window, limit, isDefault }) =>
      joinSentences(
        shownLimit(limit, target, currency),
        windowWords[window].per,
        isDefault ? '(default)' : '',
      ),
    )
    .join(', ');
  const [shortest, ...longer] = windows;
  if (firstReached !== undefined) {
    const { window, afterSeconds } = firstReached;
    return `${limits}. The ${windowWords[window].adjective} is reached after ${shownDuration(afterSeconds)} at full rate.`;
  }
  if (shortest === undefined || longer.length === 0) return `${limits}.`;
  return `${limits}. At full rate, only the ${windowWords[shortest.window].adjective} is reached.`;
}

function shownLimit(limit: number, target: LimitTarget, currency: string): string {
  const amount = decimalText(limit / countedPerUnit(target));
  return isMoney(target) ? `${amount} ${currency}` : amount;
}

const units = [
  { name: 'd', seconds: windowSeconds.day },
  { name: 'h', seconds: windowSeconds.hour },
  { name: 'min', seconds: windowSeconds.minute },
  { name: 's', seconds: 1 },
] as const;
/** Up to this length, a duration is shown only in seconds. */
const shownSecondsMax = 120;

/** Formats a duration, rounded to the second, in its two largest units, such as `100 s`, `16 min 40 s`, `5 h 33 min`. */
function shownDuration(seconds: number): string {
  if (seconds <= shownSecondsMax) return `${Math.max(1, Math.round(seconds))} s`;
  let rest = Math.round(seconds);
  const parts = units.map(({ name, seconds: unit }) => {
    const count = Math.floor(rest / unit);
    rest -= count * unit;
    return { name, count };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name}`)
    .join(' ');
}

function shownTime(at: Date): string {
  return at.toISOString().replace('.000Z', 'Z');
}

/** The limit that applies to one window of an endpoint. */
export interface WindowInForce {
  readonly window: WindowAttribute;
  /** For `spend`, in millionths of the currency. */
  readonly limit: number;
  readonly isDefault: boolean;
}

/**
 * Returns the limits that apply, shortest window first. If a cap has no limit for a window, the window is left out.
 *
 * @param row - the row that applies; undefined for the defaults
 * @param capDefaults - the stage's caps
 */
export function endpointInForce(target: LimitTarget, row: ParsedRow | undefined, capDefaults: Caps) {
  const defaults = defaultsOf(target, capDefaults);
  const windows = target.windows.flatMap((window): WindowInForce[] => {
    const own = row?.limits[window];
    const limit = own ?? defaults[window];
    return limit === undefined ? [] : [{ window, limit, isDefault: own === undefined }];
  });
  return { target, blocked: row?.blocked === true, windows, firstReached: firstReached(windows) };
}

/** Returns the limits that apply if there is no row. */
export function defaultsOf(target: LimitTarget, capDefaults: Caps): WindowLimits {
  if (target.kind === 'cap') return capDefaults[target.cap] ?? {};
  const { perMinute, perHour, perDay } = policies[target.policy];
  return { per_minute: perMinute, per_hour: perHour, per_day: perDay };
}

/**
 * Returns one sentence for each limit that is never reached, because another window of the same endpoint is always full
 * first.
 */
export function unreachableLimits(limits: Limits): readonly string[] {
  return windowNames.flatMap((window) => {
    const limit = limitOf(limits, window);
    const prevented = windowNames
      .filter((other) => other !== window)
      // The number of requests that the other window admits within this window.
      .map((other) => {
        const times = Math.max(1, windowSeconds[window] / windowSeconds[other]);
        return { other, own: limitOf(limits, other), admitted: limitOf(limits, other) * times };
      })
      .filter(({ admitted }) => admitted < limit)
      .toSorted((one, next) => one.admitted - next.admitted)[0];
    if (prevented === undefined) return [];
    const { other, own, admitted } = prevented;
    const reason =
      windowSeconds[other] < windowSeconds[window]
        ? `allows only ${count(admitted)} per ${window}`
        : 'is used up first';
    return [
      `${count(limit)} per ${window} are never reached: the limit of ${count(own)} per ${other} ${reason}.`,
    ];
  });
}

const count = (value: number): string => value.toLocaleString('en');
