/** A client's limits: the policy's defaults, and the overrides in `limit-overrides` (contract, section 4). */
import * as z from 'zod/mini';
import { type Limits, type PolicyName, policies } from '../contract/routes.ts';
import type { Clock } from '../platform/clock.ts';
import { accessCache, CachedReader } from '../platform/expiring-cache.ts';

export type LimitReader = (clientId: string, policy: PolicyName) => Promise<Limits>;

/** A row as it is in the table. People edit it by hand, so any attribute may have any value. */
export type OverrideRow = Readonly<Record<string, unknown>>;

export interface OverrideKey {
  readonly client_id: string;
  readonly endpoint: string;
}

/** A value that is ignored in favor of its default, and reported to the operator. */
export interface InvalidOverride {
  readonly client_id: string;
  readonly endpoint: string;
  readonly field: 'endpoint' | 'per_minute' | 'per_hour' | 'per_day';
}

type Overrides = ReadonlyMap<string, Partial<Limits>>;

/** In the console a number is easily entered as a string, so a string of digits is accepted. */
const limit = z.pipe(
  z.union([z.number(), z.pipe(z.string().check(z.trim(), z.regex(/^\d+$/)), z.transform(Number))]),
  z.int().check(z.minimum(1)),
);
const fields = { per_minute: 'perMinute', per_hour: 'perHour', per_day: 'perDay' } as const;
const fieldNames = ['per_minute', 'per_hour', 'per_day'] as const;
const knownEndpoints: ReadonlySet<string> = new Set(Object.values(policies).map((policy) => policy.endpoint));

/** An invalid value is reported and its default applies; the valid values of the same row still apply. */
export function parseOverrides(
  clientId: string,
  rows: readonly OverrideRow[],
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

/** Reads a client's rows at most every 45 s, so that an edit takes effect within 60 s. */
export function limitReader(
  store: { rowsOf(clientId: string): Promise<readonly OverrideRow[]> },
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
