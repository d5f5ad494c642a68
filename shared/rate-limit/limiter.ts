/**
 * Decides whether a request is admitted and counts it: one write for each check, and none while a refusal is cached.
 * Under any concurrency the admitted requests never exceed a limit. An error of the counter is thrown; `countRequest` makes
 * it a 503.
 */
import { type Limits, type PolicyName, policies } from '../contract/routes.ts';
import { ExpiringMap } from '../platform/expiring-cache.ts';
import { type Decision, decide } from './decision.ts';
import type { LimitReader, LimitsInForce } from './overrides.ts';
import type { CountOutcome, RateCounter } from './rate-counter.ts';
import { counterKey, shardCount, shardKey, shardLimits } from './shards.ts';
import type { Subject } from './subject.ts';
import {
  limitOf,
  type PerWindow,
  perWindow,
  staleMinutes,
  type Windows,
  windowNames,
  windowsAt,
} from './windows.ts';

export interface RateLimiter {
  check(subject: Subject, policy: PolicyName, now: Date): Promise<Decision>;
}

interface LimiterDependencies {
  readonly counter: RateCounter;
  readonly limitsOf: LimitReader;
  /** Chooses the shard to try first: at least 0, below 1. */
  readonly random: () => number;
}

/** How long a refusal is cached, at most until the minute ends. */
const refusalCacheSeconds = 5;
const cacheEntries = 5000;

interface Shard extends CountOutcome {
  readonly limits: Limits;
}

export function rateLimiter({ counter, limitsOf, random }: LimiterDependencies): RateLimiter {
  const refusals = new ExpiringMap<Shard>(cacheEntries);
  const cleanedMinute = new ExpiringMap<number>(cacheEntries);

  return { check };

  async function check(subject: Subject, policy: PolicyName, now: Date): Promise<Decision> {
    const limits: LimitsInForce =
      subject.kind === 'client' ? await limitsOf(subject.clientId, policy) : policies[policy];
    const windows = windowsAt(now);
    const key = counterKey(subject, policies[policy].endpoint, windows.day);
    if (shardCount(limits) === 1) {
      return decide(policy, limits, await count(key, limits, windows, now), windows);
    }
    const counted = await countInAnyShard(key, limits, windows, now);
    const used = usedInAll(limits, counted);
    return decide(policy, limits, { admitted: counted.admitted, used }, windows);
  }

  /** Tries every shard before it refuses; the refusal that ends first decides how long to wait. */
  async function countInAnyShard(key: string, limits: Limits, windows: Windows, now: Date): Promise<Shard> {
    const shards = shardCount(limits);
    const first = Math.floor(random() * shards);
    let refusal: Shard | undefined;
    for (let step = 0; step < shards; step += 1) {
      const shard = (first + step) % shards;
      const part = shardLimits(limits, shard, shards);
      if (windowNames.some((window) => limitOf(part, window) === 0)) continue;
      const counted = { ...(await count(shardKey(key, shard), part, windows, now)), limits: part };
      if (counted.admitted) return counted;
      if (refusal === undefined || fullUntil(counted, windows) < fullUntil(refusal, windows))
        refusal = counted;
    }
    if (refusal === undefined) throw new Error('the limits allow no request in any shard');
    return refusal;
  }

  async function count(key: string, limits: Limits, windows: Windows, now: Date): Promise<CountOutcome> {
    // The limits are part of the key, so that a raised limit takes effect as soon as it is read.
    const cacheKey = `${key}|${limits.perMinute}|${limits.perHour}|${limits.perDay}`;
    const cached = refusals.get(cacheKey, now);
    if (cached !== undefined) return cached;

    const cleaned = cleanedMinute.get(key, now) === windows.minuteOfDay;
    const outcome = await counter.count({
      counter: key,
      windows,
      limits,
      staleAttributes: cleaned ? [] : staleMinutes(windows.minuteOfDay),
    });
    if (outcome.admitted) {
      if (!cleaned) cleanedMinute.set(key, windows.minuteOfDay, now, windows.resetsAt.minute * 1000);
    } else {
      // At most until the minute ends, because the counts of the minute then change.
      const until = Math.min(now.getTime() + refusalCacheSeconds * 1000, windows.resetsAt.minute * 1000);
      refusals.set(cacheKey, { ...outcome, limits }, now, until);
    }
    return outcome;
  }
}

/** When this row's last full window resets, in seconds since the epoch. */
function fullUntil({ used, limits }: Shard, windows: Windows): number {
  const full = windowNames.filter((window) => used[window] >= limitOf(limits, window));
  return Math.max(...full.map((window) => windows.resetsAt[window]));
}

/**
 * An estimate for all shards from the one that answered, because requests spread evenly; for headers only. A window is
 * shown as exhausted only if it is so in this shard and the request is refused.
 */
function usedInAll(limits: Limits, { admitted, used, limits: part }: Shard): PerWindow<number> {
  return perWindow((window) => {
    const limit = limitOf(limits, window);
    const share = used[window] / limitOf(part, window);
    if (share >= 1 && !admitted) return limit;
    return Math.min(limit - 1, Math.round(share * limit));
  });
}
