/** Divides a large limit among several counter rows, because a row's write capacity is limited (contract, section 4). */
import type { Limits } from '../contract/routes.ts';
import { type Subject, subjectKey } from './subject.ts';

/** Half of a row's capacity of 1,000 writes a second. */
const shardPerMinute = 30_000;
/** 50,000 requests a second, more than the functions can serve. */
const shardsMax = 100;

export function shardCount(limits: Limits): number {
  return Math.min(shardsMax, Math.max(1, Math.ceil(limits.perMinute / shardPerMinute)));
}

/** The key of the counter of a client or address, for an endpoint and a UTC day; the first part of each shard's key. */
export function counterKey(subject: Subject, endpoint: string, day: string): string {
  return `${subjectKey(subject)}|${endpoint}|${day}`;
}

export function shardKey(key: string, shard: number): string {
  return `${key}|${shard}`;
}

/** The keys of all rows that count the requests under these limits. */
export function counterKeys(subject: Subject, endpoint: string, day: string, limits: Limits): string[] {
  const key = counterKey(subject, endpoint, day);
  const shards = shardCount(limits);
  return shards === 1 ? [key] : Array.from({ length: shards }, (_, shard) => shardKey(key, shard));
}

/**
 * The part of the limits that one shard may admit. For each window the parts of all shards add up to the limit, so the
 * total never exceeds it.
 */
export function shardLimits(limits: Limits, shard: number, shards: number): Limits {
  const part = (limit: number): number => Math.floor(limit / shards) + (shard < limit % shards ? 1 : 0);
  return { perMinute: part(limits.perMinute), perHour: part(limits.perHour), perDay: part(limits.perDay) };
}
