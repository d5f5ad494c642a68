/** Caches values for a limited time, in limited memory. Concurrent reads of one key are one read. */
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
 * A map whose entries expire; the least recently used one is removed first. If the clock is set back, entries from the
 * future are removed, so that none is kept longer than its time.
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

/**
 * Caches the results of a read. A value's age counts from the start of its read. `undefined` is not cached, so that a
 * new row is found at once.
 *
 * Not `lru-cache`: it counts from the end of a read, keeps entries longer if the clock is set back, and restores the
 * old value if a fresh read finds nothing (docs/decisions/own-code-instead-of-a-library.md).
 */
export class CachedReader<V> {
  readonly #values: ExpiringMap<V>;
  readonly #pending = new Map<string, Promise<V | undefined>>();
  readonly #read: (key: string) => Promise<V | undefined>;
  readonly #clock: Clock;
  readonly #maxAgeSeconds: number;

  constructor(read: (key: string) => Promise<V | undefined>, bounds: CacheBounds, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
    this.#maxAgeSeconds = bounds.maxAgeSeconds;
    this.#values = new ExpiringMap(bounds.maxEntries);
  }

  async get(key: string): Promise<V | undefined> {
    return this.#values.get(key, this.#clock()) ?? (await this.#load(key));
  }

  /** Reads without the cache, and caches the result. */
  async getFresh(key: string): Promise<V | undefined> {
    this.#values.delete(key);
    return await this.#load(key);
  }

  #load(key: string): Promise<V | undefined> {
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const now = this.#clock();
    const expiresAtMs = now.getTime() + this.#maxAgeSeconds * 1000;
    const load = this.#read(key)
      .then((value) => {
        if (value !== undefined) this.#values.set(key, value, now, expiresAtMs);
        return value;
      })
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, load);
    return load;
  }
}
