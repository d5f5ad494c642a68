/** Divides a large limit among several counter rows, so that one row's write capacity is no ceiling (contract, section 4). */
import type { Limits } from '../contract/routes.ts';

/** Half of what one row takes in a minute at 1,000 writes a second. */
const shardPerMinute = 30_000;
/** 50,000 requests a second: beyond it the functions themselves are the ceiling. */
const maxShards = 100;

export function shardCount(limits: Limits): number {
  return Math.min(maxShards, Math.max(1, Math.ceil(limits.perMinute / shardPerMinute)));
}

/**
 * The part of the limits that one shard may admit. For each window the parts add up to exactly the limit, which
 * is why the total never exceeds it, whatever share of the requests each shard sees.
 */
export function shardLimits(limits: Limits, shard: number, shards: number): Limits {
  const part = (limit: number): number => Math.floor(limit / shards) + (shard < limit % shards ? 1 : 0);
  return { perMinute: part(limits.perMinute), perHour: part(limits.perHour), perDay: part(limits.perDay) };
}
