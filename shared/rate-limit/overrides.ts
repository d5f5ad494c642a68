/** A client's limits: the policy's defaults, and what an administrator typed into `limit-overrides` (contract, section 4). */
import * as z from 'zod/mini';
import { type Limits, type PolicyName, policies } from '../contract/routes.ts';
import type { Clock } from '../platform/clock.ts';
import { accessCache, CachedReader } from '../platform/expiring-cache.ts';

export type LimitReader = (clientId: string, policy: PolicyName) => Promise<Limits>;

/** The rows of one client as they stand in the table: a person may have typed anything. */
export interface OverrideStore {
  rowsOf(clientId: string): Promise<Readonly<Record<string, unknown>>[]>;
}

export interface OverrideKey {
  readonly client_id: string;
  readonly endpoint: string;
}

/** What an administrator sets from a shell or the dashboard; the same row as one typed in the console. */
export interface OverrideEditor {
  set(clientId: string, policy: PolicyName, limits: Partial<Limits>): Promise<void>;
  /** By what the row says, which need not be an endpoint that there is. */
  remove(clientId: string, endpoint: string): Promise<void>;
  /** The rows of all clients, a page at a time. */
  listRows(
    limit: number,
    after?: OverrideKey,
  ): Promise<{ readonly rows: Readonly<Record<string, unknown>>[]; readonly next: OverrideKey | undefined }>;
}

/** A value that is left to its default, told to whoever looks after the table. */
export interface InvalidOverride {
  readonly client_id: string;
  readonly endpoint: string;
  readonly field: 'endpoint' | 'per_minute' | 'per_hour' | 'per_day';
}

type Overrides = ReadonlyMap<string, Partial<Limits>>;

/** The console makes it easy to type a number as a string, so digits are taken as the number they mean. */
const limit = z.pipe(
  z.union([z.number(), z.pipe(z.string().check(z.trim(), z.regex(/^\d+$/)), z.transform(Number))]),
  z.int().check(z.minimum(1)),
);
const fields = { per_minute: 'perMinute', per_hour: 'perHour', per_day: 'perDay' } as const;
const fieldNames = ['per_minute', 'per_hour', 'per_day'] as const;
const knownEndpoints: ReadonlySet<string> = new Set(Object.values(policies).map((policy) => policy.endpoint));

/** Every bad value falls back to its default and is reported; the good ones beside it hold. */
export function parseOverrides(
  clientId: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  report: (invalid: InvalidOverride) => void,
): Overrides {
  const overrides = new Map<string, Partial<Limits>>();
  for (const row of rows) {
    const endpoint = String(row.endpoint);
    if (!knownEndpoints.has(endpoint)) {
      report({ client_id: clientId, endpoint, field: 'endpoint' });
      continue;
    }
    const values: { -readonly [K in keyof Limits]?: number } = {};
    for (const field of fieldNames) {
      if (row[field] === undefined) continue;
      const parsed = limit.safeParse(row[field]);
      if (parsed.success) values[fields[field]] = parsed.data;
      else report({ client_id: clientId, endpoint, field });
    }
    overrides.set(endpoint, values);
  }
  return overrides;
}

/** Reads a client's rows at most every 45 s, so that an edit holds within 60 s. */
export function limitReader(
  store: OverrideStore,
  clock: Clock,
  report: (invalid: InvalidOverride) => void,
): LimitReader {
  const read = async (clientId: string): Promise<Overrides> =>
    parseOverrides(clientId, await store.rowsOf(clientId), report);
  const cache = new CachedReader(read, accessCache, clock);
  return async (clientId, policy) => {
    const { endpoint, perMinute, perHour, perDay } = policies[policy];
    const overrides = await cache.get(clientId);
    return { perMinute, perHour, perDay, ...overrides?.get(endpoint) };
  };
}
