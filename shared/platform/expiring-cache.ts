/** Caches values for a limited time, in limited memory. Concurrent reads of one key are one read, unless one must be fresh. */
import type { Clock } from './clock.ts';

export interface CacheBounds {
  readonly maxAgeSeconds: number;
  readonly maxEntries: number;
}

interface Entry<V> {
  readonly value: V;
  readonly setAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * A map whose entries expire. It removes the least recently used entry first. If the clock is set back, it removes
 * entries from the future, so that none is kept longer than its time.
 */
export class ExpiringMap<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(key: string, now: Date): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.expiresAtMs <= now.getTime() || entry.setAtMs > now.getTime()) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V, now: Date, expiresAtMs: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, setAtMs: now.getTime(), expiresAtMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) break;
      this.#entries.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  get size(): number {
    return this.#entries.size;
  }
}

interface Reading<V> {
  readonly begunMs: number;
  readonly value: Promise<V | undefined>;
}

/**
 * Caches the results of a read. A value's age counts from the start of its read. `undefined` is not cached, so that a
 * new row is found at once.
 *
 * Not `lru-cache`: it counts from the end of a read, keeps entries longer if the clock is set back, and restores the
 * old value if a fresh read finds nothing (docs/decisions/bundles-are-commonjs.md).
 */
export class CachedReader<V> {
  readonly #values: ExpiringMap<{ readonly begunMs: number; readonly value: V }>;
  /** The read that began last, by key. */
  readonly #pending = new Map<string, Reading<V>>();
  readonly #read: (key: string) => Promise<V | undefined>;
  readonly #clock: Clock;
  readonly #maxAgeSeconds: number;

  constructor(read: (key: string) => Promise<V | undefined>, bounds: CacheBounds, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
    this.#maxAgeSeconds = bounds.maxAgeSeconds;
    this.#values = new ExpiringMap(bounds.maxEntries);
  }

  /** @param maxAgeSeconds - the longest time since the read of the value began; at most the cache's own bound */
  async get(key: string, maxAgeSeconds = this.#maxAgeSeconds): Promise<V | undefined> {
    const now = this.#clock();
    const since = now.getTime() - maxAgeSeconds * 1000;
    const cached = this.#values.get(key, now);
    if (cached !== undefined && cached.begunMs > since) return cached.value;
    const pending = this.#pending.get(key);
    const joined = pending !== undefined && pending.begunMs > since ? await pending.value : undefined;
    // A read that began earlier may miss a row that has been written since.
    return joined ?? (await this.getFresh(key));
  }

  /** Reads without the cache, and without joining a read that began earlier; caches the result. */
  async getFresh(key: string): Promise<V | undefined> {
    const now = this.#clock();
    const reading = { begunMs: now.getTime(), value: this.#read(key) };
    this.#pending.set(key, reading);
    const isLatest = () => this.#pending.get(key) === reading;
    try {
      const value = await reading.value;
      if (isLatest()) this.#keep(key, value, now);
      return value;
    } finally {
      if (isLatest()) this.#pending.delete(key);
    }
  }

  #keep(key: string, value: V | undefined, begun: Date): void {
    const begunMs = begun.getTime();
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, { begunMs, value }, begun, begunMs + this.#maxAgeSeconds * 1000);
  }
}

/** Reads the same key only once, for as long as the returned function is kept. */
export function readOnce<Value>(read: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const known = new Map<string, Promise<Value>>();
  return (key) => {
    const value = known.get(key) ?? read(key);
    known.set(key, value);
    return value;
  };
}

/** Makes a value when it is first needed: a schema of a hundred parts takes milliseconds of a function's start. */
export function lazily<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * How long a function uses rows that decide about access, limits or senders before it reads them again: changes must take
 * effect within 60 s (contract 3.2 and 4.7).
 */
export const accessCache = { maxAgeSeconds: 45, maxEntries: 2000 } as const;
