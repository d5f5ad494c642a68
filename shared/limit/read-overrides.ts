/** A client's limits and caps: the defaults, and the rows of `limit-overrides` (contract 4.7 and 10.1). */

import { settingsIdOf } from '../contract/mode.ts';
import {
  type CapName,
  type Caps,
  capNames,
  everyClient,
  type Limits,
  maintenanceEndpoint,
  type PolicyName,
  policies,
  type WindowLimits,
} from '../contract/rate-limits-and-caps.ts';
import type { IgnoredValue } from '../edited-table/edited-row.ts';
import { dynamoRowReader } from '../edited-table/row-editor.dynamo.ts';
import { dynamo } from '../platform/aws/clients.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Environment } from '../platform/env.ts';
import { accessCache, cachedRead } from '../platform/expiring-cache.ts';
import { countMetric, log } from '../platform/log.ts';
import { type OverrideRow, type ParsedRow, parseRow, rowInForce } from './override-row.ts';
import { limitOf, limitsBy } from './windows.ts';

/** The limits of a policy in force for a client. */
export interface LimitsInForce extends Limits {
  /** Present if the client may not use the endpoint. */
  readonly blocked?: true;
}

export type LimitReader = (clientId: string, policy: PolicyName) => Promise<LimitsInForce>;

/** Returns the caps in the rows in force. */
export type CapReader = (clientId: string) => Promise<Caps>;

/** A value that is ignored in favor of its default, and reported to the operator. */
export interface InvalidOverride extends IgnoredValue {
  readonly client_id: string;
  readonly endpoint: string;
}

export type OverrideReader = ReturnType<typeof overrideReader>;

type RowsByEndpoint = ReadonlyMap<string, ParsedRow>;

/** Reads the rows of a client and of `*` as often as `accessCache` says, so that an edit takes effect within 60 s. */
export function overrideReader(
  store: { rowsOf(clientId: string): Promise<readonly OverrideRow[]> },
  clock: Clock,
  report: (invalid: InvalidOverride) => void,
) {
  const rowsOf = cachedRead(read, accessCache, clock);
  return {
    limitsOf: async (clientId: string, policy: PolicyName): Promise<LimitsInForce> => {
      const defaults = policies[policy];
      const row = rowInForce(await rowsFor(clientId, defaults.endpoint), clock());
      const limits = limitsBy((window) => row?.limits[`per_${window}`] ?? limitOf(defaults, window));
      return { ...limits, ...(row?.blocked ? { blocked: true } : {}) };
    },
    capsOf: async (clientId: string): Promise<Caps> => {
      const limits: Partial<Record<CapName, WindowLimits>> = {};
      for (const cap of capNames) {
        const row = rowInForce(await rowsFor(clientId, cap), clock());
        if (row !== undefined) limits[cap] = row.limits;
      }
      return limits;
    },
    /** True if the API is in maintenance (contract 8.9). The row takes effect as fast as any other row. */
    inMaintenance: async (): Promise<boolean> => {
      const row = (await rowsOf(everyClient))?.get(maintenanceEndpoint);
      return row !== undefined && (row.expiresAt === undefined || clock() < row.expiresAt);
    },
    /** Starts to read the rows for every client, so that they are read while the caller is still being identified. */
    prepare: (): void => {
      // A failure is met again, and thrown, by the reading that needs the rows.
      rowsOf(everyClient).catch(() => undefined);
    },
  };

  async function read(clientId: string): Promise<RowsByEndpoint> {
    const rows = (await store.rowsOf(clientId)).map(parseRow);
    for (const { endpoint, ignored } of rows) {
      for (const value of ignored) report({ client_id: clientId, endpoint, ...value });
    }
    return new Map(rows.map((row) => [row.endpoint, row]));
  }

  /** Returns the client's own row, and the one for every client. */
  async function rowsFor(clientId: string, endpoint: string): Promise<readonly (ParsedRow | undefined)[]> {
    const [own, forAll] = await Promise.all([rowsOf(settingsIdOf(clientId)), rowsOf(everyClient)]);
    return [own?.get(endpoint), forAll?.get(endpoint)];
  }
}

let overrides: OverrideReader | undefined;

/** Returns one reader for the whole function, so that rows are read once. */
export function overridesFrom(env: Environment<'LIMIT_OVERRIDES_TABLE'>): OverrideReader {
  overrides ??= overrideReader(
    dynamoRowReader(dynamo(), env.LIMIT_OVERRIDES_TABLE),
    systemClock,
    (invalid) => {
      log.warn('invalid limit override ignored', { ...invalid });
      countMetric('InvalidRow');
    },
  );
  return overrides;
}
