/**
 * Decides whether a request is admitted and counts it: one write for each check, and none while a refusal is cached.
 * Under any concurrency the admitted requests never exceed a limit. An error of the counter is thrown; `countRequest` makes
 * it a 503.
 */
import { type Limits, type PolicyName, policies } from '../contract/rate-limits-and-caps.ts';
import { epochSeconds } from '../platform/clock.ts';
import { ExpiringMap } from '../platform/expiring-cache.ts';
import { type Decision, decide } from './decision.ts';
import type { LimitReader, LimitsInForce } from './read-overrides.ts';
import {
  type CountOutcome,
  carriedIn,
  counterKey,
  type Generation,
  limitsWithin,
  needsOtherRows,
  type Opening,
  openFirst,
  openNext,
  type RateCounter,
  roomOf,
  type Subject,
  shardCount,
  shardKey,
  shardLimits,
} from './shards.ts';
import {
  limitOf,
  type PerWindow,
  perWindow,
  staleMinutes,
  type Windows,
  windowNames,
  windowsAt,
} from './windows.ts';

export type RateLimiter = ReturnType<typeof rateLimiter>;

/** How long a refusal is cached, at most until the minute ends. */
const refusalCacheSeconds = 5;
const cacheEntries = 5000;

interface Shard extends CountOutcome {
  readonly limits: Limits;
}

/** Rows are closed once a minute at most, so a request meets closed rows twice at most. */
const attemptsMax = 4;

export function rateLimiter({
  counter,
  limitsOf,
  random,
}: {
  readonly counter: RateCounter;
  readonly limitsOf: LimitReader;
  /** Chooses the shard to try first: at least 0, below 1. */
  readonly random: () => number;
}) {
  const refusals = new ExpiringMap<Shard>(cacheEntries);
  const cleanedMinute = new ExpiringMap<number>(cacheEntries);
  /** The generation by the key of the base; absent while the base itself counts. */
  const generations = new ExpiringMap<Generation>(cacheEntries);

  return { check };

  async function check(subject: Subject, policy: PolicyName, now: Date): Promise<Decision> {
    const limits: LimitsInForce =
      subject.kind === 'client' ? await limitsOf(subject.clientId, policy) : policies[policy];
    const windows = windowsAt(now);
    const key = counterKey(subject, policies[policy].endpoint, windows.day);
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const generation = await generationFor(key, limits, windows, now);
      if (generation === undefined) {
        const counted = await count(key, limits, windows, now);
        if (counted.closed === undefined) return decide(policy, limits, counted, windows);
        remember(key, counted.closed.named, windows, now);
      } else {
        const within = { ...limits, ...limitsWithin(limits, generation) };
        const counted = await countInShards(key, generation, within, windows, now);
        if (counted !== 'closed') return decide(policy, within, counted, windows);
        await followRows(key, generation, limits, windows, now);
      }
    }
    throw new Error('the rows of a rate counter were closed again and again');
  }

  /** The rows that count; undefined for the base. Opens others where the limits need them. */
  async function generationFor(
    key: string,
    limits: Limits,
    windows: Windows,
    now: Date,
  ): Promise<Generation | undefined> {
    const known = generations.get(key, now);
    if (known === undefined && shardCount(limits) === 1) return undefined;
    if (known !== undefined && !needsOtherRows(known, limits, now)) return known;
    const opening = openingFor(limits, now);
    // Another process may have opened the rows that these limits need.
    const latest =
      known === undefined
        ? await openFirst(counter, key, opening, windows)
        : await counter.latest(key, known, windows);
    const next = needsOtherRows(latest, limits, now)
      ? await openNext(counter, key, latest, opening, windows)
      : latest;
    return remember(key, next, windows, now);
  }

  /** The rows after closed ones: where the process that closed them has not opened any, this one does. */
  async function followRows(
    key: string,
    closed: Generation,
    limits: Limits,
    windows: Windows,
    now: Date,
  ): Promise<void> {
    const latest = await counter.latest(key, closed, windows);
    const next =
      latest.generation === closed.generation
        ? await openNext(counter, key, closed, openingFor(limits, now), windows)
        : latest;
    remember(key, next, windows, now);
  }

  function remember(key: string, generation: Generation | undefined, { resetsAt }: Windows, now: Date) {
    if (generation !== undefined) generations.set(key, generation, now, resetsAt.day * 1000);
    return generation;
  }

  /**
   * Tries every shard before it refuses; the refusal that ends first decides how long to wait.
   *
   * @param limits - of the whole day, of which earlier rows may have counted a part
   * @returns `closed` if a row was.
   */
  async function countInShards(
    key: string,
    generation: Generation,
    limits: Limits,
    windows: Windows,
    now: Date,
  ): Promise<CountOutcome | 'closed'> {
    const { shards } = generation;
    const carried = carriedIn(generation, windows);
    const room = roomOf(limits, carried);
    const first = Math.floor(random() * shards);
    let refusal: Shard | undefined;
    for (let step = 0; step < shards; step += 1) {
      const shard = (first + step) % shards;
      const part = shardLimits(room, shard, shards);
      if (windowNames.some((window) => limitOf(part, window) === 0)) continue;
      const counted = {
        ...(await count(shardKey(key, generation, shard), part, windows, now)),
        limits: part,
      };
      if (counted.closed !== undefined) return 'closed';
      if (counted.admitted) return { admitted: true, used: usedInAll(limits, carried, counted) };
      if (refusal === undefined || fullUntil(counted, windows) < fullUntil(refusal, windows))
        refusal = counted;
    }
    // Without a row that has room, a window was full before these rows were opened.
    const used =
      refusal === undefined
        ? perWindow((window) => Math.min(carried[window], limitOf(limits, window)))
        : usedInAll(limits, carried, refusal);
    return { admitted: false, used };
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
    if (outcome.closed !== undefined) return outcome;
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

/** Without what else belongs to the limits of a client, because an opening is stored. */
function openingFor({ perMinute, perHour, perDay }: Limits, now: Date): Opening {
  return { limits: { perMinute, perHour, perDay }, openedAt: epochSeconds(now) };
}

/**
 * An estimate for all shards from the one that answered, because requests spread evenly; for headers only. A window is
 * shown as exhausted only if it is so in this shard and the request is refused.
 */
function usedInAll(
  limits: Limits,
  carried: PerWindow<number>,
  { admitted, used, limits: part }: Shard,
): PerWindow<number> {
  return perWindow((window) => {
    const limit = limitOf(limits, window);
    const share = used[window] / limitOf(part, window);
    if (share >= 1 && !admitted) return limit;
    return Math.min(limit - 1, carried[window] + Math.round(share * (limit - carried[window])));
  });
}
