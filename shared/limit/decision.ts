/** Decides from the counts: which window binds, how many requests remain, how long to wait (contract 4.4). */
import { type PolicyName, policies } from '../contract/rate-limits-and-caps.ts';
import type { LimitsInForce } from './read-overrides.ts';
import {
  limitOf,
  type PerWindow,
  perWindow,
  type WindowName,
  type Windows,
  windowNames,
  windowSeconds,
  windowsAt,
} from './windows.ts';

export interface CountOutcome {
  readonly admitted: boolean;
  /** Requests counted in each window, including this one if it was admitted. */
  readonly used: PerWindow<number>;
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
  /** Minute, hour and day. */
  readonly windows: readonly WindowState[];
  /** The window that the `X-RateLimit-*` headers describe. */
  readonly binding: WindowState;
}

export function decide(
  policy: PolicyName,
  limits: LimitsInForce,
  { admitted, used }: CountOutcome,
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

/** Returns the seconds to wait: at least 1, and rounded up, so that the window is reset after this time. */
export function retryAfterSeconds(decision: Decision, now: Date): number {
  return Math.max(1, Math.ceil(decision.binding.resetsAt - now.getTime() / 1000));
}

/** Returns the window with the fewest requests left; of several, the first and shortest. */
function fewestLeft(states: readonly WindowState[]): WindowState {
  return states.reduce((best, state) => (state.remaining < best.remaining ? state : best));
}

function lastToReset(states: readonly WindowState[]): WindowState {
  const exhausted = states.filter((state) => state.remaining === 0);
  if (exhausted.length === 0) throw new Error('a refusal without an exhausted window');
  return exhausted.reduce((last, state) => (state.resetsAt > last.resetsAt ? state : last));
}

/** Returns the rate-limit headers of every response: the four of the specification and the two of the IETF draft. */
export function rateLimitHeaders(decision: Decision, now: Date): Record<string, string> {
  const { binding, policy, windows } = decision;
  const name = (state: WindowState): string => `${policy}_${state.window}`;
  return {
    'X-RateLimit-Limit': String(binding.limit),
    'X-RateLimit-Remaining': String(binding.remaining),
    'X-RateLimit-Reset': String(binding.resetsAt),
    'X-RateLimit-Policy': `${binding.limit};w=${windowSeconds[binding.window]};comment=${name(binding)}`,
    // draft-ietf-httpapi-ratelimit-headers: one quoted policy name for each window, all three at once.
    'RateLimit-Policy': windows
      .map((state) => `"${name(state)}";q=${state.limit};w=${windowSeconds[state.window]}`)
      .join(', '),
    RateLimit: windows
      .map((state) => `"${name(state)}";r=${state.remaining};t=${secondsUntil(state.resetsAt, now)}`)
      .join(', '),
  };
}

/** Returns the headers if the counter cannot be reached: the policy's default limits, and no requests left. */
export function uncountedHeaders(policy: PolicyName, now: Date): Record<string, string> {
  const limits = policies[policy];
  const used = perWindow((window) => limitOf(limits, window));
  return rateLimitHeaders(decide(policy, limits, { admitted: true, used }, windowsAt(now)), now);
}

function secondsUntil(resetsAt: number, now: Date): number {
  return Math.max(0, Math.ceil(resetsAt - now.getTime() / 1000));
}
