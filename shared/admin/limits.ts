/**
 * An administrator's operations on limits: shows a client's limits, the faults in its rows and how much is used; sets and
 * removes rows. The stream of the table leads to the entries in the activity log.
 */

import * as z from 'zod/mini';
import { GatewayError } from '../contract/errors.ts';
import { settingsIdOf } from '../contract/mode.ts';
import {
  capNames,
  countedPerUnit,
  everyClient,
  isMoney,
  type Limits,
  type LimitTarget,
  limitPolicies,
  limitTargets,
  type PolicyName,
  policies,
  type WindowLimits,
  windowAttributes,
} from '../contract/rate-limits-and-caps.ts';
import { type Feedback, tellsOfMissingClient } from '../edited-table/feedback.ts';
import { changedByMark, type EditedRow, editRow, readEditedRows } from '../edited-table/row-editor.dynamo.ts';
import { capCounterKey, observedCapRefused } from '../limit/client-caps.ts';
import { countIn, observedRefused, readCounts, windowsAt } from '../limit/counters.dynamo.ts';
import { limitMax } from '../limit/entered-limits.ts';
import { defaultsOf, faultsOf, feedbackOf, unreachableLimits } from '../limit/limit-feedback.ts';
import { counterKey } from '../limit/limiter.ts';
import {
  observedRow,
  overrideTable,
  type ParsedRow,
  parseRow,
  rowInForce,
  rowModes,
} from '../limit/overrides.ts';
import { closestName } from '../platform/closest-name.ts';
import type { AdminContext } from './admin-context.ts';
import {
  assertValid,
  attributesToRemove,
  readRowsPage,
  removal,
  removedAttributes,
  type rowsQuery,
  textOf,
  valuesAfter,
} from './edited-rows.ts';
import { requireClient, requireSettingsOwner } from './find-client.ts';
import { keyText } from './request-fields.ts';

export async function readRows(ctx: AdminContext, clientId: string) {
  // Test data has the limits of its client.
  const [own, forAll] = await Promise.all([
    readEditedRows(ctx, overrideTable, settingsIdOf(clientId)),
    readEditedRows(ctx, overrideTable, everyClient),
  ]);
  return { clientId, own, forAll };
}

/** Returns a client's limits for every endpoint and its caps, then its rows for endpoints that do not exist. */
export async function limitsOf(ctx: AdminContext, clientId: string) {
  return viewOf(ctx, await readRows(ctx, clientId));
}

/**
 * Returns what the observing rows of a client would have refused: requests today; for a cap, recipients or an amount this
 * month (UTC).
 */
export async function observedRefusals(ctx: AdminContext, clientId: string, endpoint: string, now: Date) {
  const target = limitTargets.get(endpoint);
  if (target === undefined) return 0;
  const windows = windowsAt(now);
  const [counter, attribute] =
    target.kind === 'cap'
      ? [capCounterKey(clientId, windows), observedCapRefused(target.cap)]
      : [counterKey({ kind: 'client', clientId }, endpoint, windows.day), observedRefused];
  return countIn(await readCounts(ctx, counter), attribute) / countedPerUnit(target);
}

/**
 * Shows the limits of a client, and also rows whose client does not exist. @throws GatewayError `not_found` if there
 * are no rows either
 */
export async function showLimits(ctx: AdminContext, clientId: string) {
  const rows = await readRows(ctx, clientId);
  if (rows.own.length === 0 && clientId !== everyClient) await requireClient(ctx, clientId);
  return viewOf(ctx, rows);
}

export async function listOverrides(ctx: AdminContext, query: z.output<typeof rowsQuery>) {
  const [{ rows, next }, forAll] = await Promise.all([
    readRowsPage(ctx, overrideTable, query),
    readEditedRows(ctx, overrideTable, everyClient),
  ]);
  const limits = await Promise.all(
    rows.map((row) =>
      endpointView(ctx, { clientId: String(row.client_id), own: [row], forAll }, String(row.endpoint)),
    ),
  );
  return { limits, ...next };
}

function viewOf(ctx: AdminContext, rows: Awaited<ReturnType<typeof readRows>>) {
  const known = [...limitTargets.keys()];
  const others = rows.own.map(({ endpoint }) => String(endpoint)).filter((name) => !known.includes(name));
  return Promise.all([...known, ...others].map((endpoint) => endpointView(ctx, rows, endpoint)));
}

async function endpointView(
  ctx: AdminContext,
  { clientId, own, forAll }: Awaited<ReturnType<typeof readRows>>,
  endpoint: string,
) {
  const { clock, capDefaults } = ctx;
  const target = limitTargets.get(endpoint);
  const row = rowFor(own, endpoint);
  const parsed = row === undefined ? undefined : parseRow(row);
  const defaults = target === undefined ? null : limitsView(target, defaultsOf(target, capDefaults));
  const override = target === undefined || parsed === undefined ? null : limitsView(target, parsed.limits);
  const now = clock();
  const deciding = rowInForce([parsed], now);
  const inForce = deciding === undefined ? defaults : { ...defaults, ...override };
  const isCounted = observedRow([parsed], now) !== undefined && clientId !== everyClient;
  const feedback = row === undefined ? undefined : rowFeedback(ctx, row, rowFor(forAll, endpoint), now);
  return {
    client_id: clientId,
    endpoint,
    /** Null if the row names an endpoint that does not exist, or a cap. */
    policy: target?.kind === 'rate' ? target.policy : null,
    /** Null if the row is not for a cap. */
    cap: target?.kind === 'cap' ? target.cap : null,
    /** The currency of a spend cap, ISO 4217; null for any other row. */
    currency: target !== undefined && isMoney(target) ? ctx.env.CURRENCY : null,
    /** The windows that a row can limit; empty if the endpoint does not exist. */
    windows: target?.windows ?? [],
    defaults,
    /** The valid values of the row; null if there is no row. */
    override,
    /** The limits that follow from the row and the defaults; `explainLimits` also considers the row for every client. */
    in_force: inForce,
    blocked: deciding?.blocked === true,
    /** `observe` if what the row would refuse is only counted. */
    mode: parsed?.observes === true ? 'observe' : 'enforce',
    /** What the row would have refused; null if it does not observe one client. `explainLimits` shows it for `*`. */
    observed_refused: isCounted ? await observedRefusals(ctx, clientId, endpoint, now) : null,
    /** ISO 8601; null if the row does not expire. */
    expires_at: parsed?.expiresAt?.toISOString() ?? null,
    note: textOf(row?.note),
    /** The feedback in the row; null if there is no row. */
    status: feedback?.status ?? null,
    status_message: feedback?.status_message ?? null,
    faults: row === undefined || parsed === undefined ? [] : faultsIn(row, parsed),
    /** One sentence for each limit that can never be reached because of another limit. */
    warnings: override === null || inForce === null ? [] : warningsOf(inForce),
  };
}

/** Returns the text that the review writes into the row, even if the review has not written it yet. */
function rowFeedback(
  { capDefaults, env }: AdminContext,
  row: EditedRow,
  forAll: EditedRow | undefined,
  now: Date,
): Feedback {
  return feedbackOf(row, {
    now,
    clientExists: !tellsOfMissingClient(row),
    forEveryClient: forAll === undefined ? undefined : parseRow(forAll),
    capDefaults,
    currency: env.CURRENCY,
  });
}

function warningsOf({ per_minute, per_hour, per_day }: WindowLimits): readonly string[] {
  return per_minute === undefined || per_hour === undefined || per_day === undefined
    ? []
    : unreachableLimits({ perMinute: per_minute, perHour: per_hour, perDay: per_day } satisfies Limits);
}

function faultsIn(row: EditedRow, parsed: ParsedRow) {
  return faultsOf(row, parsed, !tellsOfMissingClient(row)).map(({ attribute, reason }) => ({
    /** The name of the attribute as it is in the row: `endpoint`, `per_minute`, `per_mintue`, … */
    field: attribute,
    value: textOf(row[attribute]) ?? '',
    message: reason,
  }));
}

const limit = z.optional(z.nullable(z.number().check(z.positive(), z.maximum(limitMax))));
/** Checks the form only. The row reader checks if the values fit the endpoint. */
export const limitsBody = z.object({
  endpoint: keyText,
  per_minute: limit,
  per_hour: limit,
  per_day: limit,
  per_month: limit,
  expires_at: z.optional(z.nullable(z.union([z.string().check(z.maxLength(40)), z.number()]))),
  blocked: z.optional(z.nullable(z.boolean())),
  mode: z.optional(z.nullable(z.enum(rowModes))),
  note: z.optional(z.nullable(z.string().check(z.maxLength(1000)))),
  remove: attributesToRemove,
});
export const endpointBody = z.object({ endpoint: keyText });

const changeable = [...windowAttributes, 'expires_at', 'blocked', 'mode', 'note'] as const;

/**
 * Sets limits; null restores a default. Also removes the invalid values of the row. Attributes that the gateway does
 * not know remain, unless `remove` names them.
 */
export async function setLimits(
  ctx: AdminContext,
  actor: string,
  clientId: string,
  { endpoint: named, remove, ...change }: z.output<typeof limitsBody>,
) {
  const endpoint = requireEndpoint(named);
  if (clientId !== everyClient) await requireSettingsOwner(ctx, clientId);
  const { clock } = ctx;
  const key = { client_id: clientId, endpoint };
  const forAll = rowFor(await readEditedRows(ctx, overrideTable, everyClient), endpoint);
  await editRow(ctx, overrideTable, key, (row) => {
    const held = row ?? key;
    const values = {
      ...valuesAfter(held, parseRow(held).ignored, change, changeable),
      ...removedAttributes(remove, overrideTable),
    };
    assertValid(parseRow({ ...values, ...key }).ignored, 'The limits are not valid.');
    if (Object.values(values).every((value) => value === undefined)) {
      return row && { removeMarked: changedByMark(actor, clock(), true) };
    }
    const feedback = rowFeedback(ctx, { ...held, ...values }, forAll, clock());
    return { set: { ...values, ...feedback, changed_by: changedByMark(actor, clock(), false) } };
  });
  return endpointView(ctx, await readRows(ctx, clientId), endpoint);
}

export async function removeLimits(
  ctx: AdminContext,
  actor: string,
  clientId: string,
  named: string,
): Promise<void> {
  // The endpoint need not exist, so that a row with a misspelled endpoint can be removed.
  const isRow = rowFor(await readEditedRows(ctx, overrideTable, clientId), named) !== undefined;
  const policy = limitPolicies.find((name) => name === named);
  const endpoint = isRow || policy === undefined ? named : endpointOf(policy);
  const remove = removal(ctx, actor, 'This client has no limits of its own there.');
  await editRow(ctx, overrideTable, { client_id: clientId, endpoint }, remove);
}

/** Returns the `endpoint` of a row. The text is this value or the name of its policy. @throws GatewayError */
function requireEndpoint(text: string): string {
  if (limitTargets.has(text)) return text;
  const found = limitPolicies.find((name) => name === text);
  if (found !== undefined) return endpointOf(found);
  const meant = closestName(text, [...shortNames, ...limitTargets.keys()]);
  const suggestion = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new GatewayError('invalid_request', `There is no endpoint ${text}.${suggestion}`, {
    details: [{ field: 'endpoint', message: `must be one of ${shortNames.join(', ')}` }],
  });
}

/** The policies of endpoints and the caps; `messages` is both. */
const shortNames = [...new Set<string>([...limitPolicies, ...capNames])];

function endpointOf(policy: PolicyName): string {
  return policies[policy].endpoint;
}

export function rowFor(rows: readonly EditedRow[], endpoint: string): EditedRow | undefined {
  return rows.find((row) => row.endpoint === endpoint);
}

/** Returns the limits as displayed: `spend` as an amount in the currency. */
function limitsView(target: LimitTarget, limits: WindowLimits): WindowLimits {
  const unit = countedPerUnit(target);
  return Object.fromEntries(
    windowAttributes.flatMap((name) => {
      const limit = limits[name];
      return limit === undefined ? [] : [[name, limit / unit]];
    }),
  );
}
