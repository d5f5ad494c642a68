/** Shows for every endpoint the limits in force for a client, their source, and their use. */

import {
  type CapName,
  type CapWindow,
  countedPerUnit,
  limitTargets,
  type WindowAttribute,
} from '../contract/rate-limits-and-caps.ts';
import type { EditedRow } from '../edited-table/row-editor.dynamo.ts';
import { capUse } from '../limit/client-caps.ts';
import { countIn, readCounts, windowsAt } from '../limit/counters.dynamo.ts';
import { endpointInForce, inForceText, type WindowInForce } from '../limit/limit-feedback.ts';
import { counterKey } from '../limit/limiter.ts';
import { observedRow, type ParsedRow, parseRow, rowInForce } from '../limit/overrides.ts';
import type { AdminContext } from './admin-context.ts';
import { requireClient } from './find-client.ts';
import { observedRefusals, readRows, rowFor } from './limits.ts';

export type ExplainedEndpoint = Awaited<ReturnType<typeof explain>>;

const windowOf = {
  per_minute: 'minute',
  per_hour: 'hour',
  per_day: 'day',
  per_month: 'month',
} as const satisfies Record<WindowAttribute, CapWindow>;

/** @throws GatewayError `not_found` */
export async function explainLimits(ctx: AdminContext, clientId: string) {
  await requireClient(ctx, clientId);
  const now = ctx.clock();
  const rows = await readRows(ctx, clientId);
  const endpoints = await Promise.all(
    [...limitTargets.keys()].map((endpoint) => explain(ctx, rows, endpoint, now)),
  );
  return {
    client_id: clientId,
    /** The currency of `spend`, ISO 4217. */
    currency: ctx.env.CURRENCY,
    at: now.toISOString(),
    endpoints,
  };
}

async function explain(
  ctx: AdminContext,
  { clientId, own, forAll }: Awaited<ReturnType<typeof readRows>>,
  endpoint: string,
  now: Date,
) {
  const target = limitTargets.get(endpoint);
  if (target === undefined) throw new Error(`no endpoint ${endpoint}`);
  const ownRow = parsed(rowFor(own, endpoint));
  const rows = [ownRow, parsed(rowFor(forAll, endpoint))];
  const row = rowInForce(rows, now);
  const observed = observedRow(rows, now);
  const inForce = endpointInForce(target, row, ctx.capDefaults);
  const use =
    target.kind === 'rate'
      ? await rateUseOf(ctx, { clientId, endpoint, now })
      : await capUseOf(ctx, { clientId, cap: target.cap, now }, inForce.windows);
  const unit = countedPerUnit(target);
  return {
    endpoint,
    policy: target.kind === 'rate' ? target.policy : null,
    cap: target.kind === 'cap' ? target.cap : null,
    source: sourceOf(row, ownRow),
    blocked: inForce.blocked,
    expires_at: row?.expiresAt?.toISOString() ?? null,
    windows: inForce.windows.map(({ window, limit, isDefault }) => {
      const name = windowOf[window];
      return {
        window: name,
        /** For `spend`: an amount in the currency. */
        limit: limit / unit,
        from: isDefault ? 'default' : 'row',
        ...use(name),
      };
    }),
    /** What a row with `mode: observe` would have refused, and its limits; null if no row observes. */
    observed:
      observed === undefined
        ? null
        : {
            source: sourceOf(observed, ownRow),
            blocked: observed.blocked,
            windows: target.windows.flatMap((window) => {
              const limit = observed.limits[window];
              return limit === undefined ? [] : [{ window: windowOf[window], limit: limit / unit }];
            }),
            refused: await observedRefusals(ctx, clientId, endpoint, now),
          },
    summary: inForceText(inForce, ctx.env.CURRENCY),
  };
}

/** Returns the row that determines the limits: the row of the client, the row for every client (`*`), or none. */
function sourceOf(
  row: ParsedRow | undefined,
  ownRow: ParsedRow | undefined,
): 'own_row' | 'every_client_row' | 'default' {
  if (row === undefined) return 'default';
  return row === ownRow ? 'own_row' : 'every_client_row';
}

async function rateUseOf(
  ctx: AdminContext,
  { clientId, endpoint, now }: { clientId: string; endpoint: string; now: Date },
) {
  const windows = windowsAt(now);
  const row = await readCounts(ctx, counterKey({ kind: 'client', clientId }, endpoint, windows.day));
  return (window: CapWindow) => ({
    used: countIn(row, windows.attributes[window]),
    resets_at: new Date(windows.resetsAt[window] * 1000).toISOString(),
  });
}

async function capUseOf(
  ctx: AdminContext,
  { clientId, cap, now }: { clientId: string; cap: CapName; now: Date },
  windows: readonly WindowInForce[],
) {
  const limits = windows.map(({ window, limit }) => ({ cap, window: windowOf[window], limit }));
  const uses = await capUse(ctx, { clientId, limits, now });
  const byWindow = new Map(uses.map(({ window, used, resets_at }) => [window, { used, resets_at }]));
  return (window: CapWindow) => {
    const use = byWindow.get(window);
    if (use === undefined) throw new Error(`no cap on ${cap} in a ${window}`);
    return use;
  };
}

function parsed(row: EditedRow | undefined): ParsedRow | undefined {
  return row === undefined ? undefined : parseRow(row);
}
