/**
 * A client's limits and caps: the defaults, and the rows of `limit-overrides`, which operators edit (contract 4.7 and
 * 10.1). The parser returns a row's valid values, and for each ignored value the reason. The limiter, the feedback and the
 * tools all use it.
 */

import { settingsIdOf } from '../contract/mode.ts';
import {
  type CapName,
  type Caps,
  capNames,
  everyClient,
  isMoney,
  type Limits,
  type LimitTarget,
  limitTargets,
  maintenanceEndpoint,
  millionthsPerUnit,
  type PolicyName,
  perMinuteMax,
  policies,
  type WindowAttribute,
  type WindowLimits,
  windowAttributes,
} from '../contract/rate-limits-and-caps.ts';
import {
  type EditedRow,
  type EditedTable,
  type IgnoredValue,
  type Parsed,
  parseBoolean,
  readEditedRows,
  shownValue,
  validValue,
} from '../edited-table/row-editor.dynamo.ts';
import { type Context, oncePerContext } from '../platform/context.ts';
import { accessCache, cachedRead } from '../platform/expiring-cache.ts';
import { countMetric } from '../platform/log.ts';
import { withoutUndefined } from '../platform/object-fields.ts';
import { limitOf, limitsBy } from './counters.dynamo.ts';
import { plainLimit } from './entered-limits.ts';

/** The limits of a policy that apply to a client. */
export interface LimitsInForce extends Limits {
  /** Present if the client may not use the endpoint. */
  readonly blocked?: true;
  /** The row whose numbers are only observed. */
  readonly observed?: ParsedRow;
}

/** Caches the rows of a client and of `*` for the time in `accessCache`, so that an edit takes effect within 60 s. */
const cachedRows = oncePerContext((context: Context<'LIMIT_OVERRIDES_TABLE'>) =>
  cachedRead((clientId) => rowsByEndpoint(context, clientId), accessCache, context.clock),
);

export async function limitsOf(
  context: Context<'LIMIT_OVERRIDES_TABLE'>,
  clientId: string,
  policy: PolicyName,
): Promise<LimitsInForce> {
  const defaults = policies[policy];
  const rows = await rowsFor(context, clientId, defaults.endpoint);
  const row = rowInForce(rows, context.clock());
  const observed = observedRow(rows, context.clock());
  const limits = limitsBy((window) => row?.limits[`per_${window}`] ?? limitOf(defaults, window));
  return { ...limits, ...(row?.blocked ? { blocked: true } : {}), ...withoutUndefined({ observed }) };
}

/** Returns the caps in the rows that apply to a client. @param rowOf - `observedRow` for the caps that are only observed */
export async function capsInRows(
  context: Context<'LIMIT_OVERRIDES_TABLE'>,
  clientId: string,
  rowOf: typeof rowInForce = rowInForce,
): Promise<Caps> {
  const limits: Partial<Record<CapName, WindowLimits>> = {};
  for (const cap of capNames) {
    const row = rowOf(await rowsFor(context, clientId, cap), context.clock());
    if (row !== undefined) limits[cap] = row.limits;
  }
  return limits;
}

/**
 * Returns true if the API is in maintenance (contract 8.9). The row for maintenance takes effect as fast as any other row.
 */
export async function inMaintenance(context: Context<'LIMIT_OVERRIDES_TABLE'>): Promise<boolean> {
  const row = (await cachedRows(context)(everyClient))?.get(maintenanceEndpoint);
  return row !== undefined && (row.expiresAt === undefined || context.clock() < row.expiresAt);
}

/** Starts to read the rows for every client, while the caller is still being identified. */
export function prepareLimits(context: Context<'LIMIT_OVERRIDES_TABLE'>): void {
  // A failure is ignored here, because the next read of these rows fails too and throws.
  cachedRows(context)(everyClient).catch(() => undefined);
}

/** Returns the client's own row, and the row for every client. */
async function rowsFor(
  context: Context<'LIMIT_OVERRIDES_TABLE'>,
  clientId: string,
  endpoint: string,
): Promise<readonly (ParsedRow | undefined)[]> {
  const rows = cachedRows(context);
  const [own, forAll] = await Promise.all([rows(settingsIdOf(clientId)), rows(everyClient)]);
  return [own?.get(endpoint), forAll?.get(endpoint)];
}

/** Reads the rows of a client, and logs invalid values, for which the defaults apply. */
async function rowsByEndpoint(
  context: Context<'LIMIT_OVERRIDES_TABLE'>,
  clientId: string,
): Promise<ReadonlyMap<string, ParsedRow>> {
  const stored = await readEditedRows(context, overrideTable, clientId);
  const rows = stored.map(parseRow);
  for (const { endpoint, ignored } of rows) {
    for (const value of ignored) {
      context.log.warn('invalid limit override ignored', { client_id: clientId, endpoint, ...value });
      countMetric('InvalidRow');
    }
  }
  return new Map(rows.map((row) => [row.endpoint, row]));
}

export const rowModes = ['enforce', 'observe'] as const;

/** The table's keys, and the attributes that operators edit. */
export const overrideTable = {
  variable: 'LIMIT_OVERRIDES_TABLE',
  sortKey: 'endpoint',
  attributes: [...windowAttributes, 'expires_at', 'blocked', 'mode', 'note'],
  change: { set: 'limits_set', removed: 'limits_removed', what: 'limits' },
} as const satisfies EditedTable;

export interface ParsedRow {
  readonly clientId: string;
  readonly endpoint: string;
  /** Undefined if the endpoint does not exist, so that the row has no effect. */
  readonly target: LimitTarget | undefined;
  /** The valid limits. */
  readonly limits: WindowLimits;
  /** True if the row allows more requests a minute than `perMinuteMax`, which then applies instead (contract 4.8). */
  readonly isLowered: boolean;
  readonly blocked: boolean;
  /** True if the gateway counts what the row would refuse, and refuses nothing because of it. */
  readonly observes: boolean;
  /** After this time, the row has no effect. */
  readonly expiresAt: Date | undefined;
  readonly ignored: readonly IgnoredValue[];
}

export function parseRow(row: EditedRow): ParsedRow {
  const endpoint = String(row.endpoint);
  const target = limitTargets.get(endpoint);
  const ignored: IgnoredValue[] = [];
  const valid = <T>(attribute: string, parse: (value: unknown) => Parsed<T>): T | undefined =>
    validValue(row, attribute, parse, ignored);

  if (target === undefined && !isMaintenance(row)) {
    const reason = `there is no endpoint ${shownValue(endpoint)}, so the row has no effect.`;
    ignored.push({ attribute: 'endpoint', reason });
  }
  const limits: Partial<Record<WindowAttribute, number>> = {};
  for (const attribute of target === undefined ? [] : windowAttributes) {
    const limit = valid(attribute, (value) => parseLimit(value, attribute, target));
    if (limit !== undefined) limits[attribute] = limit;
  }
  const isLowered = target?.kind === 'rate' && (limits.per_minute ?? 0) > perMinuteMax;
  if (isLowered) limits.per_minute = perMinuteMax;
  return {
    clientId: String(row.client_id),
    endpoint,
    target,
    limits,
    isLowered,
    blocked: valid('blocked', (value) => parseBlocked(value, target, String(row.client_id))) ?? false,
    observes: valid('mode', parseMode) === 'observe',
    expiresAt: valid('expires_at', parseExpiry),
    ignored,
  };
}

export function isMaintenance({ client_id, endpoint }: EditedRow): boolean {
  return client_id === everyClient && endpoint === maintenanceEndpoint;
}

/**
 * Returns the row that applies: the client's own row or, if it is missing, observes or has no effect, the row for every
 * client. @param rows - the rows for one endpoint, the client's own first
 */
export function rowInForce(rows: readonly (ParsedRow | undefined)[], now: Date): ParsedRow | undefined {
  return rows.find((row) => row !== undefined && !row.observes && isInForce(row, now));
}

/** Returns the row to observe. A client's own row that enforces hides the row for every client. */
export function observedRow(rows: readonly (ParsedRow | undefined)[], now: Date): ParsedRow | undefined {
  const first = rows.find((row) => row !== undefined && isInForce(row, now));
  return first?.observes === true ? first : undefined;
}

/** True if the row has an effect at `now`. */
export function isInForce({ target, expiresAt }: ParsedRow, now: Date): boolean {
  return target !== undefined && (expiresAt === undefined || now < expiresAt);
}

/** Parses a number or a string of digits, because the console easily creates strings. */
function parseLimit(
  value: unknown,
  attribute: WindowAttribute,
  target: LimitTarget | undefined,
): Parsed<number> {
  if (target?.windows.includes(attribute) !== true) {
    return {
      reason: `this endpoint has no such limit. Remove ${attribute}; valid are ${new Intl.ListFormat('en-GB').format(target?.windows ?? [])}.`,
    };
  }
  const money = isMoney(target);
  const written = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
  const text = plainLimit({ cap: target.kind === 'cap' ? target.cap : null }, written);
  const format = money ? /^(\d+)(?:\.(\d{1,6}))?$/ : /^(\d+)$/;
  const [, whole, fraction = ''] = format.exec(text) ?? [];
  const limit =
    whole === undefined
      ? undefined
      : money
        ? Number(whole) * millionthsPerUnit + Number(fraction.padEnd(6, '0'))
        : Number(whole);
  if (limit === 0) return { reason: `${shownValue(value)} is not a valid limit. ${insteadOfZero(target)}` };
  if (limit !== undefined && Number.isSafeInteger(limit)) return { value: limit };
  if (limit !== undefined) return { reason: `${shownValue(value)} is too large. Write a smaller number.` };
  const form = money
    ? 'an amount above 0 with at most six decimals, such as 12.50'
    : 'a whole number of 1 or more, such as 600 or 1,000';
  return { reason: `${shownValue(value)} is not a valid limit. Write ${form}.` };
}

function insteadOfZero(target: LimitTarget): string {
  return target.kind === 'rate'
    ? 'To block this endpoint, set blocked to true.'
    : 'To stop all messages, set blocked to true in a row for each send endpoint, or disable the client.';
}

function parseBlocked(value: unknown, target: LimitTarget | undefined, clientId: string): Parsed<boolean> {
  const blocked = parseBoolean(value);
  if (
    'value' in blocked &&
    blocked.value &&
    clientId === everyClient &&
    target?.kind === 'rate' &&
    target.policy === 'auth_token'
  ) {
    return {
      reason:
        'tokens cannot be refused to every client, because administrators could not sign in to undo it. Set blocked in a row for each send endpoint, or disable the clients.',
    };
  }
  if ('value' in blocked && blocked.value && target?.kind === 'cap') {
    return {
      reason: `${target.cap} is a cap and cannot be blocked. Set blocked in a row for each send endpoint.`,
    };
  }
  return blocked;
}

function parseMode(value: unknown): Parsed<(typeof rowModes)[number]> {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  const mode = rowModes.find((name) => name === text);
  return mode === undefined
    ? { reason: `${shownValue(value)} is not a mode. Write observe or enforce.` }
    : { value: mode };
}

/** A date means the start of its day in UTC, and a time without an offset is in UTC. */
const isoTime = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;
/** Accepts only seconds in the years 2000 to 3000, so that milliseconds and counts of days are detected. */
const earliestSeconds = 946_684_800;
const latestSeconds = 32_503_680_000;

function parseExpiry(value: unknown): Parsed<Date> {
  const text = typeof value === 'string' ? value.trim() : value;
  const seconds = typeof text === 'string' && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  const at = typeof seconds === 'number' ? seconds * 1000 : isoMilliseconds(seconds);
  if (at !== undefined && at >= earliestSeconds * 1000 && at < latestSeconds * 1000)
    return { value: new Date(at) };
  const milliseconds =
    typeof seconds === 'number' && seconds >= latestSeconds
      ? ' A number is in seconds, not milliseconds.'
      : '';
  return {
    reason: `${shownValue(value)} is not a valid time, so the row does not expire. Write it as 2026-11-30T18:00:00Z, or in seconds since 1970.${milliseconds}`,
  };
}

function isoMilliseconds(text: unknown): number | undefined {
  const [, day, time = '00:00', offset = 'Z'] = (typeof text === 'string' ? isoTime.exec(text) : null) ?? [];
  if (day === undefined) return undefined;
  // `Date.parse` would turn the 31st of a shorter month into a day of the next month.
  const start = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== day) return undefined;
  const at = Date.parse(`${day}T${time}${offset.toUpperCase()}`);
  return Number.isNaN(at) ? undefined : at;
}
