/**
 * Decides if a request is admitted, and counts it. Each check makes one write, or no write while a refusal is cached. Under
 * any concurrency the admitted requests never exceed a limit. If the counter fails, its error is thrown, and the HTTP
 * function returns 503.
 */
import { type PolicyName, policies } from '../contract/rate-limits-and-caps.ts';
import { type Context, oncePerContext } from '../platform/context.ts';
import { ExpiringMap } from '../platform/expiring-cache.ts';
import {
  addCounts,
  addObserved,
  countIn,
  limitOf,
  observedRefused,
  perWindow,
  type WindowName,
  type Windows,
  windowNames,
  windowSeconds,
  windowsAt,
} from './counters.dynamo.ts';
import type { LimitsInForce } from './overrides.ts';

/** The client or the source address for which a request counts. */
export type Subject =
  | { readonly kind: 'client'; readonly clientId: string }
  | { readonly kind: 'address'; readonly address: string };

/** How long a refusal is cached, but never beyond the end of the minute. */
const refusalCacheSeconds = 5;
const cacheEntries = 5000;
const keptDaysAfterUse = 2;

const refusals = oncePerContext(
  (_context: Context<'RATE_COUNTERS_TABLE'>) => new ExpiringMap<Parameters<typeof decide>[2]>(cacheEntries),
);

/** @param limits - the limits that apply to the subject */
export async function checkRate(
  context: Context<'RATE_COUNTERS_TABLE'>,
  subject: Subject,
  policy: PolicyName,
  limits: LimitsInForce,
  now: Date,
): Promise<Decision> {
  const windows = windowsAt(now);
  const key = counterKey(subject, policies[policy].endpoint, windows.day);
  const outcome = await count(context, key, limits, windows, now);
  if (outcome.admitted && limits.blocked !== true && wouldRefuse(limits.observed, outcome.used)) {
    const addition = { counter: key, amounts: { [observedRefused]: 1 }, purgeAt: purgeTimeOf(windows) };
    await addObserved(context, addition, now);
  }
  return decide(policy, limits, outcome, windows);
}

/** @param used - requests counted in each window, including this one */
function wouldRefuse(row: LimitsInForce['observed'], used: Readonly<Record<WindowName, number>>): boolean {
  if (row === undefined) return false;
  return (
    row.blocked || windowNames.some((window) => used[window] > (row.limits[`per_${window}`] ?? Infinity))
  );
}

/** Returns when the row of a day is no longer needed, in seconds since the epoch. */
function purgeTimeOf({ resetsAt }: Windows): number {
  return resetsAt.day + keptDaysAfterUse * windowSeconds.day;
}

async function count(
  context: Context<'RATE_COUNTERS_TABLE'>,
  key: string,
  limits: LimitsInForce,
  windows: Windows,
  now: Date,
): Promise<Parameters<typeof decide>[2]> {
  // The key includes the limits, so that a raised limit takes effect as soon as it is read.
  const cacheKey = `${key}|${limits.perMinute}|${limits.perHour}|${limits.perDay}`;
  const cached = refusals(context).get(cacheKey, now);
  if (cached !== undefined) return cached;

  const { attributes, resetsAt } = windows;
  const addition = {
    counter: key,
    amounts: Object.fromEntries(windowNames.map((window) => [attributes[window], 1])),
    limits: Object.fromEntries(windowNames.map((window) => [attributes[window], limitOf(limits, window)])),
    purgeAt: purgeTimeOf(windows),
  };
  const { added, row } = await addCounts(context, addition, now);
  const outcome = { admitted: added, used: perWindow((window) => countIn(row, attributes[window])) };
  if (!added) {
    // The refusal is cached at most until the minute ends, because the counts then change.
    const until = Math.min(now.getTime() + refusalCacheSeconds * 1000, resetsAt.minute * 1000);
    refusals(context).set(cacheKey, outcome, now, until);
  }
  return outcome;
}

/** Returns the key of the row that counts a subject's requests to an endpoint on a UTC day. */
export function counterKey(subject: Subject, endpoint: string, day: string): string {
  return `${subjectKey(subject)}|${endpoint}|${day}`;
}

/** Returns the key of the subject. Client ids contain no colon, so clients and addresses cannot collide. */
export function subjectKey(subject: Subject): string {
  return subject.kind === 'client' ? subject.clientId : `address:${addressBlock(subject.address)}`;
}

/** Returns the block of addresses that counts as one caller: an IPv6 caller usually has a whole /64. */
function addressBlock(address: string): string {
  if (!address.includes(':')) return address.slice(0, 64);
  const [head = '', tail] = address.split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined
      ? []
      : Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0');
  const block = [...groups, ...zeros, ...after].slice(0, 4).map((group) => group.slice(0, 4).toLowerCase());
  return `${block.join(':')}::/64`;
}

interface WindowState {
  readonly window: WindowName;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds since the epoch. */
  readonly resetsAt: number;
}

export interface Decision {
  readonly admitted: boolean;
  /** True if the client may not use the endpoint at all. */
  readonly blocked: boolean;
  readonly policy: PolicyName;
  /** The windows minute, hour and day. */
  readonly windows: readonly WindowState[];
  /** The window that the `X-RateLimit-*` headers describe. */
  readonly binding: WindowState;
}

/**
 * Finds the window with the fewest requests left (contract 4.4).
 *
 * @param used - the requests counted in each window, including this one if it was admitted
 */
export function decide(
  policy: PolicyName,
  limits: LimitsInForce,
  { admitted, used }: { readonly admitted: boolean; readonly used: Readonly<Record<WindowName, number>> },
  windows: Windows,
): Decision {
  const states = windowNames.map((window): WindowState => {
    const limit = limitOf(limits, window);
    return {
      window,
      limit,
      remaining: Math.max(0, limit - used[window]),
      resetsAt: windows.resetsAt[window],
    };
  });
  return {
    admitted,
    blocked: limits.blocked === true,
    policy,
    windows: states,
    binding: admitted ? fewestLeft(states) : lastToReset(states),
  };
}

/** Returns the seconds to wait until the window resets: at least 1, and rounded up. */
export function retryAfterSeconds(decision: Decision, now: Date): number {
  return Math.max(1, Math.ceil(decision.binding.resetsAt - now.getTime() / 1000));
}

/** Returns the window with the fewest requests left; of several, the shortest. */
function fewestLeft(states: readonly WindowState[]): WindowState {
  return states.reduce((best, state) => (state.remaining < best.remaining ? state : best));
}

function lastToReset(states: readonly WindowState[]): WindowState {
  const exhausted = states.filter((state) => state.remaining === 0);
  if (exhausted.length === 0) throw new Error('a refusal without an exhausted window');
  return exhausted.reduce((last, state) => (state.resetsAt > last.resetsAt ? state : last));
}

/** Returns the rate-limit headers of every response: four from the specification, and two from the IETF draft. */
export function rateLimitHeaders(decision: Decision, now: Date): Record<string, string> {
  const { binding, policy, windows } = decision;
  const name = (state: WindowState): string => `${policy}_${state.window}`;
  return {
    'X-RateLimit-Limit': String(binding.limit),
    'X-RateLimit-Remaining': String(binding.remaining),
    'X-RateLimit-Reset': String(binding.resetsAt),
    'X-RateLimit-Policy': `${binding.limit};w=${windowSeconds[binding.window]};comment=${name(binding)}`,
    // draft-ietf-httpapi-ratelimit-headers allows several windows: each has a quoted policy name.
    'RateLimit-Policy': windows
      .map((state) => `"${name(state)}";q=${state.limit};w=${windowSeconds[state.window]}`)
      .join(', '),
    RateLimit: windows
      .map((state) => `"${name(state)}";r=${state.remaining};t=${secondsUntil(state.resetsAt, now)}`)
      .join(', '),
  };
}

/**
 * Returns the headers for a response whose request could not be counted: the policy's default limits, and no requests left.
 */
export function uncountedHeaders(policy: PolicyName, now: Date): Record<string, string> {
  const limits = policies[policy];
  const used = perWindow((window) => limitOf(limits, window));
  return rateLimitHeaders(decide(policy, limits, { admitted: true, used }, windowsAt(now)), now);
}

function secondsUntil(resetsAt: number, now: Date): number {
  return Math.max(0, Math.ceil(resetsAt - now.getTime() / 1000));
}
