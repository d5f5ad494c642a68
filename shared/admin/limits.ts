/** An administrator's operations on limits: shows defaults, overrides and invalid values; sets and removes overrides. */
import { recordActivity } from '../activity/record-activity.ts';
import { GatewayError } from '../contract/errors.ts';
import { limitPolicies } from '../contract/limit-rows.ts';
import { type Limits, type PolicyName, policies } from '../contract/routes.ts';
import { type OverrideRow, type ParsedRow, parseRow } from '../rate-limit/override-row.ts';
import type { OverrideKey } from '../rate-limit/overrides.ts';
import { unreachableLimits } from '../rate-limit/unreachable-limits.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { requireClient } from './clients.ts';

/** One number for each window; an absent one is the default. */
export interface LimitsView {
  readonly per_minute?: number;
  readonly per_hour?: number;
  readonly per_day?: number;
}

export interface LimitFault {
  /** The row's attribute: `endpoint`, `per_minute`, `expires_at`, … */
  readonly field: string;
  /** The invalid value, as text. */
  readonly value: string;
  readonly message: string;
}

export interface EndpointLimits {
  readonly client_id: string;
  readonly endpoint: string;
  /** Null if the row names an endpoint that does not exist. */
  readonly policy: PolicyName | null;
  readonly defaults: LimitsView | null;
  /** The valid values of the row; null if there is no row. */
  readonly override: LimitsView | null;
  readonly in_force: LimitsView | null;
  readonly faults: readonly LimitFault[];
  /** One sentence for each limit that can never be reached because of another one. */
  readonly warnings: readonly string[];
}

/** More rows than people enter by hand. */
const overridesMax = 5000;
const overridesPerPage = 500;

/** A client's limits for every endpoint, then its rows for endpoints that do not exist. */
export async function limitsOf(
  dependencies: AdminDependencies,
  clientId: string,
): Promise<readonly EndpointLimits[]> {
  return viewOf(clientId, await dependencies.overrides.rowsOf(clientId));
}

/** All overrides and all rows with invalid values, by client. */
export async function allOverrides(dependencies: AdminDependencies): Promise<readonly EndpointLimits[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  let after: OverrideKey | undefined;
  do {
    const page = await dependencies.overrides.listRows(overridesPerPage, after);
    rows.push(...page.rows);
    after = page.next;
  } while (after !== undefined && rows.length < overridesMax);
  const byClient = Map.groupBy(rows, (row) => String(row.client_id));
  return [...byClient]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([clientId, ofClient]) => viewOf(clientId, ofClient))
    .filter(({ override, faults }) => override !== null || faults.length > 0);
}

function viewOf(clientId: string, rows: readonly OverrideRow[]): EndpointLimits[] {
  const parsed = new Map(rows.map((row) => [String(row.endpoint), { row, content: parseRow(row) }]));
  const known = limitPolicies.map((policy): EndpointLimits => {
    const { endpoint, perMinute, perHour, perDay } = policies[policy];
    const defaults = { perMinute, perHour, perDay };
    const own = parsed.get(endpoint);
    const override = own === undefined ? undefined : rateLimitsOf(own.content);
    return {
      client_id: clientId,
      endpoint,
      policy,
      defaults: limitsView(defaults),
      override: override === undefined ? null : limitsView(override),
      in_force: limitsView({ ...defaults, ...override }),
      faults: own === undefined ? [] : faultsIn(own.row, own.content),
      warnings: override === undefined ? [] : unreachableLimits({ ...defaults, ...override }),
    };
  });
  const unknown = [...parsed.values()]
    .filter(({ content }) => content.target === undefined)
    .map(
      ({ row, content }): EndpointLimits => ({
        client_id: clientId,
        endpoint: content.endpoint,
        policy: null,
        defaults: null,
        override: null,
        in_force: null,
        faults: faultsIn(row, content),
        warnings: [],
      }),
    );
  return [...known, ...unknown];
}

function rateLimitsOf({ limits: { per_minute, per_hour, per_day } }: ParsedRow): Partial<Limits> {
  return limitsOfView({ per_minute, per_hour, per_day });
}

function faultsIn(row: OverrideRow, { ignored }: ParsedRow): LimitFault[] {
  return ignored.map(({ attribute, reason }) => ({
    field: attribute,
    value: shown(row[attribute]),
    message: reason,
  }));
}

/** Null restores the default; an absent field is not changed. */
interface LimitsChange {
  readonly per_minute?: number | null | undefined;
  readonly per_hour?: number | null | undefined;
  readonly per_day?: number | null | undefined;
}

/** Also removes the invalid values of the row. */
export async function setLimits(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
  endpoint: string,
  change: LimitsChange,
): Promise<EndpointLimits> {
  const policy = policyOf(endpoint);
  await requireClient(dependencies, clientId);
  const path = endpointOf(policy);
  const rows = await dependencies.overrides.rowsOf(clientId);
  const row = rows.find((candidate) => candidate.endpoint === path);
  const held = row === undefined ? {} : rateLimitsOf(parseRow(row));
  const limits = limitsView(limitsOfView({ ...limitsView(held), ...named(change) }));
  await recordActivity(dependencies, actor, {
    kind: 'limits_set',
    summary: `${actor} set the limits of ${path}`,
    clientId,
    before: { endpoint: path, ...rowOf(rows, path) },
    after: { endpoint: path, ...limits },
  });
  if (Object.keys(limits).length === 0) await dependencies.overrides.remove(clientId, path);
  else await dependencies.overrides.set(clientId, policy, limitsOfView(limits));
  const after = (await limitsOf(dependencies, clientId)).find((view) => view.policy === policy);
  if (after === undefined) throw new Error(`the limits of ${path} are gone`);
  return after;
}

export async function removeLimits(
  dependencies: AdminDependencies,
  actor: string,
  clientId: string,
  endpoint: string,
): Promise<void> {
  const before = rowOf(await dependencies.overrides.rowsOf(clientId), endpoint);
  if (before === undefined) {
    throw new GatewayError('not_found', 'This client has no limits of its own there.');
  }
  await recordActivity(dependencies, actor, {
    kind: 'limits_removed',
    summary: `${actor} removed the limits of ${endpoint}: the defaults apply again`,
    clientId,
    before: { endpoint, ...before },
    after: { endpoint },
  });
  // The endpoint need not exist, so that a row with a misspelled one can be removed.
  await dependencies.overrides.remove(clientId, endpoint);
}

/** Finds a policy by its endpoint or by its own name. @throws GatewayError */
export function policyOf(text: string): PolicyName {
  const found = limitPolicies.find((name) => name === text || policies[name].endpoint === text);
  if (found !== undefined) return found;
  throw new GatewayError('invalid_request', `There is no endpoint ${text}.`, {
    details: [{ field: 'endpoint', message: `One of: ${limitPolicies.map(endpointOf).join(', ')}.` }],
  });
}

export function endpointOf(policy: PolicyName): string {
  return policies[policy].endpoint;
}

/** The row's three fields, valid or not. */
function rowOf(
  rows: readonly Readonly<Record<string, unknown>>[],
  endpoint: string,
): Readonly<Record<string, string>> | undefined {
  const row = rows.find((candidate) => candidate.endpoint === endpoint);
  if (row === undefined) return undefined;
  return Object.fromEntries(
    (['per_minute', 'per_hour', 'per_day'] as const)
      .filter((field) => row[field] !== undefined)
      .map((field) => [field, shown(row[field])]),
  );
}

/** A value of any type as text. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function limitsView({ perMinute, perHour, perDay }: Partial<Limits>): LimitsView {
  return {
    ...(perMinute === undefined ? {} : { per_minute: perMinute }),
    ...(perHour === undefined ? {} : { per_hour: perHour }),
    ...(perDay === undefined ? {} : { per_day: perDay }),
  };
}

function limitsOfView({ per_minute, per_hour, per_day }: LimitsChange): Partial<Limits> {
  return {
    ...(typeof per_minute === 'number' ? { perMinute: per_minute } : {}),
    ...(typeof per_hour === 'number' ? { perHour: per_hour } : {}),
    ...(typeof per_day === 'number' ? { perDay: per_day } : {}),
  };
}

function named(change: LimitsChange): LimitsChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
