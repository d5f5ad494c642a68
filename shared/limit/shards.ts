/**
 * Divides a large limit among several counter rows, because a row's write capacity is limited (contract 4.8), and
 * keeps the count of a UTC day when their number changes.
 *
 * A day begins with one row, the base. Where the limit needs more, or where the limits of several rows change, the rows of
 * the day so far are closed and others are opened, a generation of them. The base keeps which rows are open, for which
 * limits they were opened, and what the closed ones counted. So what the rows of a generation may admit together is the
 * limit less what was counted before, whatever the limits that a process has read.
 *
 *   close the first open row, which keeps the limits of the next generation: who continues opens the same rows
 *   close the other rows ─ crash → the next request that meets a closed row goes on from here
 *   open the next generation in the base, on the condition that nobody has
 */
import type { Limits } from '../contract/rate-limits-and-caps.ts';
import { epochSeconds } from '../platform/clock.ts';
import {
  isPastMinute,
  limitOf,
  limitsBy,
  type PerWindow,
  perWindow,
  type Windows,
  windowNames,
} from './windows.ts';

/** Half of a row's capacity of 1,000 writes a second. */
const shardPerMinute = 30_000;
/** 50,000 requests a second, more than the functions can serve. */
const shardsMax = 100;
/**
 * How long the rows of a generation are kept at least. Within it every process has read the limits for which they were
 * opened, so those that have not do not change them back.
 */
const generationSeconds = 60;

export function shardCount(limits: Limits): number {
  return Math.min(shardsMax, Math.max(1, Math.ceil(limits.perMinute / shardPerMinute)));
}

/** The key of the base: the counter of a client or address, for an endpoint and a UTC day. */
export function counterKey(subject: Subject, endpoint: string, day: string): string {
  return `${subjectKey(subject)}|${endpoint}|${day}`;
}

export function shardKey(key: string, { generation }: Pick<Generation, 'generation'>, shard: number): string {
  return generation === 1 ? `${key}|${shard}` : `${key}|${shard}|${generation}`;
}

/** The keys of all rows of a generation. */
export function shardKeys(key: string, generation: Generation): string[] {
  return Array.from({ length: generation.shards }, (_, shard) => shardKey(key, generation, shard));
}

/**
 * The part of the limits that one shard may admit. For each window the parts of all shards add up to the limit, so the
 * total never exceeds it.
 */
export function shardLimits(limits: Limits, shard: number, shards: number): Limits {
  const part = (limit: number): number => Math.floor(limit / shards) + (shard < limit % shards ? 1 : 0);
  return limitsBy((window) => part(limitOf(limits, window)));
}

/** Returns the counts of earlier generations in these windows. */
export function carriedIn({ carried }: Generation, { attributes }: Windows): PerWindow<number> {
  return perWindow((window) => carried[attributes[window]] ?? 0);
}

/** Returns what the rows of a generation may admit together. */
export function roomOf(limits: Limits, carried: PerWindow<number>): Limits {
  return limitsBy((window) => Math.max(0, limitOf(limits, window) - carried[window]));
}

/** Returns the limits that hold now: with several rows, higher limits hold only after the rows are opened for them. */
export function limitsWithin(limits: Limits, { shards, limits: opened }: Generation): Limits {
  if (shards === 1) return limits;
  return limitsBy((window) => Math.min(limitOf(limits, window), limitOf(opened, window)));
}

/**
 * Whether other rows are to be opened for these limits. Several rows are, for any change: what one of them has admitted
 * beyond its part of a lower limit is not known to the others.
 */
export function needsOtherRows(
  { shards, limits: opened, openedAt }: Generation,
  limits: Limits,
  now: Date,
): boolean {
  if (shards === 1 && shardCount(limits) === 1) return false;
  const same = windowNames.every((window) => limitOf(opened, window) === limitOf(limits, window));
  return !same && epochSeconds(now) - openedAt >= generationSeconds;
}

type GenerationStore = Pick<RateCounter, 'close' | 'open'>;

/** Opens the first generation, unless another process has. */
export async function openFirst(store: GenerationStore, key: string, opening: Opening, windows: Windows) {
  return store.open(key, 0, firstRows(opening), windows);
}

/** Closes the rows of a generation, and opens the next one, unless another process has. */
export async function openNext(
  store: GenerationStore,
  key: string,
  current: Generation,
  opening: Opening,
  windows: Windows,
): Promise<Generation> {
  const [first = '', ...others] = shardKeys(key, current);
  const closed = await store.close(first, opening, windows);
  const rest = await Promise.all(others.map((row) => store.close(row, opening, windows)));
  const counts = [current.carried, ...[closed, ...rest].map((row) => row.counts)].flatMap(Object.entries);
  const carried: Record<string, number> = {};
  for (const [attribute, count] of counts) {
    // The write has room for about 200 attributes, and minutes that have passed are not asked for any more.
    if (!isPastMinute(attribute, windows)) carried[attribute] = (carried[attribute] ?? 0) + count;
  }
  return store.open(key, current.generation, { ...firstRows(closed.opening), carried }, windows);
}

function firstRows(opening: Opening) {
  return { ...opening, shards: shardCount(opening.limits), carried: {} };
}

/** What rows are opened for. */
export interface Opening {
  readonly limits: Limits;
  /** Seconds since the epoch. */
  readonly openedAt: number;
}

/** Which rows count the requests of a client or address, an endpoint and a UTC day. */
export interface Generation extends Opening {
  /** 1 is the first after the base. */
  readonly generation: number;
  readonly shards: number;
  /** What earlier generations and the base counted, by attribute. */
  readonly carried: Readonly<Record<string, number>>;
}

export interface CountRequest {
  /** The row's key: subject, endpoint, UTC day, and the shard if there are several. */
  readonly counter: string;
  readonly windows: Windows;
  readonly limits: Limits;
  /** Attributes of past minutes to remove in the same write. */
  readonly staleAttributes: readonly string[];
}

/** More than any limit: a count that a person made something else than a number is full until its window ends. */
export const fullCount = 1e12;

export interface CountOutcome {
  readonly admitted: boolean;
  /** Requests counted in each window, including this one if it was admitted. */
  readonly used: PerWindow<number>;
  /** Present if the row was closed, because others count: a base names their generation. */
  readonly closed?: { readonly named?: Generation };
}

interface ClosedRow {
  /** What the rows are opened for that follow: given by the call that closed the row. */
  readonly opening: Opening;
  /** By attribute. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Counts one request in all three windows, or in none; and opens and closes the rows that count. */
export interface RateCounter {
  count(request: CountRequest): Promise<CountOutcome>;
  /** The generation that a base names, which is this one or a later one. By a write, as functions may not read counters. */
  latest(base: string, known: Generation, windows: Windows): Promise<Generation>;
  /** Closes a row to further requests. A repeated call changes nothing. */
  close(row: string, opening: Opening, windows: Windows): Promise<ClosedRow>;
  /**
   * Names the next generation in the base, and closes the base if it counted until now.
   *
   * @param after - the generation before; 0 for the base, whose own counts are carried
   * @returns the generation that the base names now: another one, if another process was first.
   */
  open(
    base: string,
    after: number,
    next: Omit<Generation, 'generation'>,
    windows: Windows,
  ): Promise<Generation>;
}

/** Whose limits a request counts against: its client's, or those of its source address if it is not authenticated. */
export type Subject =
  | { readonly kind: 'client'; readonly clientId: string }
  | { readonly kind: 'address'; readonly address: string };

/** The first part of a counter's key. Client ids have no colon, so the two kinds cannot collide. */
export function subjectKey(subject: Subject): string {
  return subject.kind === 'client' ? subject.clientId : `address:${addressBlock(subject.address)}`;
}

/** One IPv6 caller usually has a whole /64, so all of it counts together. */
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
