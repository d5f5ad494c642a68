/** Decides from the counts: which window binds, how many requests remain, how long to wait (contract, section 4). */
import type { PolicyName } from '../contract/routes.ts';
import type { LimitsInForce } from './overrides.ts';
import type { CountOutcome } from './rate-counter.ts';
import { limitOf, type WindowName, type Windows, windowNames } from './windows.ts';

export interface WindowState {
  readonly window: WindowName;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds since the epoch. */
  readonly resetsAt: number;
}

export interface Decision {
  readonly admitted: boolean;
  /** Whether the client may not use the endpoint at all. */
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

/** At least 1, and rounded up, so that the window is reset after this time. */
export function retryAfterSeconds(decision: Decision, now: Date): number {
  return Math.max(1, Math.ceil(decision.binding.resetsAt - now.getTime() / 1000));
}

/** If several have the fewest, the first and shortest window binds. */
function fewestLeft(states: readonly WindowState[]): WindowState {
  return states.reduce((best, state) => (state.remaining < best.remaining ? state : best));
}

function lastToReset(states: readonly WindowState[]): WindowState {
  const exhausted = states.filter((state) => state.remaining === 0);
  if (exhausted.length === 0) throw new Error('a refusal without an exhausted window');
  return exhausted.reduce((last, state) => (state.resetsAt > last.resetsAt ? state : last));
}
