/**
 * Caches values for a limited time and in limited memory. Concurrent reads of a key share one read, unless one of them must
 * be fresh.
 */
import type { Clock } from './clock.ts';

/**
 * A map whose entries expire. If it is full, the least recently used entry is removed. If the clock is set back, entries
 * with a future time are removed, so that no entry is kept too long.
 */
export class ExpiringMap<V> {
  readonly #entries = new Map<
    string,
    {
      readonly value: V;
      readonly setAtMs: number;
      readonly expiresAtMs: number;
    }
  >();
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** @param sinceMs - values that were set at or before this time are ignored */
  get(key: string, now: Date, sinceMs = -Infinity): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.expiresAtMs <= now.getTime() || entry.setAtMs > now.getTime()) return undefined;
    this.#entries.set(key, entry);
    return entry.setAtMs > sinceMs ? entry.value : undefined;
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
 * Returns a read with cached results. The age of a value counts from the start of its read. `undefined` is not cached, so
 * that a new row is found immediately.
 *
 * `lru-cache` is not used: it counts from the end of a read, keeps entries longer if the clock is set back, and restores
 * the old value if a fresh read finds nothing (docs/decisions/bundles-are-commonjs.md).
 */
export function cachedRead<V>(
  read: (key: string) => Promise<V | undefined>,
  {
    maxAgeSeconds,
    maxEntries,
  }: {
    readonly maxAgeSeconds: number;
    readonly maxEntries: number;
  },
  clock: Clock,
) {
  const values = new ExpiringMap<V>(maxEntries);
  /** For each key, the read that began last. */
  const pending = new Map<string, { readonly begunMs: number; readonly value: Promise<V | undefined> }>();

  async function readAgain(key: string): Promise<V | undefined> {
    const begun = clock();
    const reading = { begunMs: begun.getTime(), value: read(key) };
    pending.set(key, reading);
    const isLatest = () => pending.get(key) === reading;
    try {
      const value = await reading.value;
      if (!isLatest()) return value;
      if (value === undefined) values.delete(key);
      else values.set(key, value, begun, begun.getTime() + maxAgeSeconds * 1000);
      return value;
    } finally {
      if (isLatest()) pending.delete(key);
    }
  }

  /** @param ageSeconds - the maximum age of the value; 0 always reads again */
  return async (key = '', ageSeconds = maxAgeSeconds): Promise<V | undefined> => {
    const now = clock();
    const sinceMs = now.getTime() - ageSeconds * 1000;
    const cached = values.get(key, now, sinceMs);
    if (cached !== undefined) return cached;
    const reading = pending.get(key);
    const joined = reading !== undefined && reading.begunMs > sinceMs ? await reading.value : undefined;
    // A read that began earlier may miss a row that was written since.
    return joined ?? (await readAgain(key));
  };
}

/** Creates a value on first use: a schema with a hundred parts would add milliseconds to a function's start. */
export function lazily<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * How long a function uses rows about access, limits or senders before it reads them again. Changes must take effect within
 * 60 s (contract 3.2 and 4.7).
 */
export const accessCache = { maxAgeSeconds: 45, maxEntries: 2000 } as const;
