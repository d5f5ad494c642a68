/**
 * Decides if a request is admitted, and counts it: one write for each check, and none while a refusal is cached.
 * Under any concurrency the admitted requests never exceed a limit. An error of the counter is thrown; `countRequest`
 * turns it into a 503.
 */
import { type PolicyName, policies } from '../contract/rate-limits-and-caps.ts';
import { ExpiringMap } from '../platform/expiring-cache.ts';
import { add, type Counters, countIn } from './counters.dynamo.ts';
import { type CountOutcome, type Decision, decide } from './decision.ts';
import type { LimitReader, LimitsInForce } from './read-overrides.ts';
import { counterKey, type Subject } from './subject.ts';
import { limitOf, perWindow, type Windows, windowNames, windowSeconds, windowsAt } from './windows.ts';

export type RateLimiter = ReturnType<typeof rateLimiter>;

/** How long a refusal is cached, at most until the minute ends. */
const refusalCacheSeconds = 5;
const cacheEntries = 5000;
const keptDaysAfterUse = 2;

export function rateLimiter({
  counters,
  limitsOf,
}: {
  readonly counters: Counters;
  readonly limitsOf: LimitReader;
}) {
  const refusals = new ExpiringMap<CountOutcome>(cacheEntries);

  return { check };

  async function check(subject: Subject, policy: PolicyName, now: Date): Promise<Decision> {
    const limits: LimitsInForce =
      subject.kind === 'client' ? await limitsOf(subject.clientId, policy) : policies[policy];
    const windows = windowsAt(now);
    const key = counterKey(subject, policies[policy].endpoint, windows.day);
    return decide(policy, limits, await count(key, limits, windows, now), windows);
  }

  async function count(
    key: string,
    limits: LimitsInForce,
    windows: Windows,
    now: Date,
  ): Promise<CountOutcome> {
    // The limits are part of the key, so that a raised limit takes effect as soon as it is read.
    const cacheKey = `${key}|${limits.perMinute}|${limits.perHour}|${limits.perDay}`;
    const cached = refusals.get(cacheKey, now);
    if (cached !== undefined) return cached;

    const { attributes, resetsAt } = windows;
    const addition = {
      counter: key,
      amounts: Object.fromEntries(windowNames.map((window) => [attributes[window], 1])),
      limits: Object.fromEntries(windowNames.map((window) => [attributes[window], limitOf(limits, window)])),
      purgeAt: resetsAt.day + keptDaysAfterUse * windowSeconds.day,
    };
    const { added, row } = await add(counters, addition, now);
    const outcome = { admitted: added, used: perWindow((window) => countIn(row, attributes[window])) };
    if (!added) {
      // At most until the minute ends, because the counts of the minute then change.
      const until = Math.min(now.getTime() + refusalCacheSeconds * 1000, resetsAt.minute * 1000);
      refusals.set(cacheKey, outcome, now, until);
    }
    return outcome;
  }
}
