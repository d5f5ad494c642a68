/** What `limits explain` tells: for every endpoint the limits in force for a client, their source, and what is used of them. */

import type { PolicyName } from '../contract/limits.ts';
import { type CapName, countedPerUnit, limitTargets, type WindowAttribute } from '../contract/limits.ts';
import { endpointInForce, inForceText, type WindowInForce } from '../limit/limit-feedback.ts';
import { type OverrideRow, type ParsedRow, parseRow, rowInForce } from '../limit/override-row.ts';
import { counterKey, fullCount } from '../limit/shards.ts';
import { type CapUse, capUse } from '../limit/take-from-caps.ts';
import { windowsAt } from '../limit/windows.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { requireClient } from './find-client.ts';
import { type ClientRows, readRows, rowFor } from './limits.ts';

interface ExplainedWindow {
  readonly window: 'minute' | 'hour' | 'day' | 'month';
  /** For `spend`: an amount in the currency. */
  readonly limit: number;
  readonly from: 'row' | 'default';
  readonly used: number;
  readonly resets_at: string;
}

export interface ExplainedEndpoint {
  readonly endpoint: string;
  readonly policy: PolicyName | null;
  readonly cap: CapName | null;
  /** Which row decides: the client's own, the one for every client (`*`), or none. */
  readonly source: 'own_row' | 'every_client_row' | 'default';
  readonly blocked: boolean;
  readonly expires_at: string | null;
  readonly windows: readonly ExplainedWindow[];
  /** At full rate: the window that refuses first, and after how many seconds; null if only the shortest does. */
  readonly first_reached: {
    readonly window: ExplainedWindow['window'];
    readonly after_seconds: number;
  } | null;
  readonly summary: string;
  /** The feedback in the client's own row, if it has one. */
  readonly status: string | null;
  readonly status_message: string | null;
}

export interface ExplainedLimits {
  readonly client_id: string;
  /** The currency of `spend`, ISO 4217. */
  readonly currency: string;
  readonly at: string;
  readonly endpoints: readonly ExplainedEndpoint[];
}

const windowOf = {
  per_minute: 'minute',
  per_hour: 'hour',
  per_day: 'day',
  per_month: 'month',
} as const satisfies Record<WindowAttribute, ExplainedWindow['window']>;

/** @throws GatewayError `not_found` */
export async function explainLimits(
  dependencies: AdminDependencies,
  clientId: string,
): Promise<ExplainedLimits> {
  await requireClient(dependencies, clientId);
  const now = dependencies.clock();
  const rows = await readRows(dependencies, clientId);
  const endpoints = await Promise.all(
    [...limitTargets.keys()].map((endpoint) => explain(dependencies, rows, endpoint, now)),
  );
  return { client_id: clientId, currency: dependencies.currency, at: now.toISOString(), endpoints };
}

async function explain(
  dependencies: AdminDependencies,
  { clientId, own, forAll }: ClientRows,
  endpoint: string,
  now: Date,
): Promise<ExplainedEndpoint> {
  const target = limitTargets.get(endpoint);
  if (target === undefined) throw new Error(`no endpoint ${endpoint}`);
  const stored = rowFor(own, endpoint);
  const ownRow = parsed(stored);
  const row = rowInForce([ownRow, parsed(rowFor(forAll, endpoint))], now);
  const inForce = endpointInForce(target, row, dependencies.capDefaults);
  const use =
    target.kind === 'rate'
      ? await rateUseOf(dependencies, { clientId, endpoint, now })
      : await capUseOf(dependencies, { clientId, cap: target.cap, now }, inForce.windows);
  const unit = countedPerUnit(target);
  const { firstReached } = inForce;
  return {
    endpoint,
    policy: target.kind === 'rate' ? target.policy : null,
    cap: target.kind === 'cap' ? target.cap : null,
    source: row === undefined ? 'default' : row === ownRow ? 'own_row' : 'every_client_row',
    blocked: inForce.blocked,
    expires_at: row?.expiresAt?.toISOString() ?? null,
    windows: inForce.windows.map(({ window, limit, isDefault }) => {
      const name = windowOf[window];
      return {
        window: name,
        limit: limit / unit,
        from: isDefault ? 'default' : 'row',
        ...use(name, limit),
      };
    }),
    first_reached:
      firstReached === undefined
        ? null
        : { window: windowOf[firstReached.window], after_seconds: Math.round(firstReached.afterSeconds) },
    summary: inForceText(inForce, dependencies.currency),
    status: stored?.status === undefined ? null : String(stored.status),
    status_message: stored?.status_message === undefined ? null : String(stored.status_message),
  };
}

type Use = Pick<ExplainedWindow, 'used' | 'resets_at'>;

async function rateUseOf(
  { rateUse }: AdminDependencies,
  { clientId, endpoint, now }: { clientId: string; endpoint: string; now: Date },
): Promise<(window: ExplainedWindow['window'], limit: number) => Use> {
  const windows = windowsAt(now);
  const used = await rateUse(counterKey({ kind: 'client', clientId }, endpoint, windows.day), windows);
  return (window, limit) => {
    if (window === 'month') throw new Error('a rate limit has no month');
    const isFull = used[window] >= fullCount;
    return {
      used: isFull ? limit : used[window],
      resets_at: new Date(windows.resetsAt[window] * 1000).toISOString(),
    };
  };
}

async function capUseOf(
  { capCounter }: AdminDependencies,
  { clientId, cap, now }: { clientId: string; cap: CapName; now: Date },
  windows: readonly WindowInForce[],
): Promise<(window: CapUse['window']) => Use> {
  const limits = windows.map(({ window, limit }) => ({ cap, window: windowOf[window], limit }));
  const uses = await capUse({ counter: capCounter, limitsOf: async () => limits }, clientId, now);
  const byWindow = new Map(uses.map(({ window, used, resets_at }) => [window, { used, resets_at }]));
  return (window) => {
    const use = byWindow.get(window);
    if (use === undefined) throw new Error(`no cap on ${cap} in a ${window}`);
    return use;
  };
}

function parsed(row: OverrideRow | undefined): ParsedRow | undefined {
  return row === undefined ? undefined : parseRow(row);
}
