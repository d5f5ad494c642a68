/** The rate-limit headers of every response: the four of the specification and the two of the IETF draft. */
import { type PolicyName, policies } from '../contract/routes.ts';
import { type Decision, decide, type WindowState } from './decision.ts';
import { limitOf, perWindow, windowSeconds, windowsAt } from './windows.ts';

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

/** The headers when the counter cannot be reached: the policy's default limits, and no requests left. */
export function uncountedHeaders(policy: PolicyName, now: Date): Record<string, string> {
  const limits = policies[policy];
  const used = perWindow((window) => limitOf(limits, window));
  return rateLimitHeaders(decide(policy, limits, { admitted: true, used }, windowsAt(now)), now);
}

function secondsUntil(resetsAt: number, now: Date): number {
  return Math.max(0, Math.ceil(resetsAt - now.getTime() / 1000));
}
