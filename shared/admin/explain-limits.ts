/** What `limits explain` tells: for every endpoint the limits in force for a client, their source, and what is used of them. */
import { type CapUse, capUse } from '../cap/cap-use.ts';
import {
  type CapName,
  countedPerUnit,
  everyClient,
  limitTargets,
  type WindowAttribute,
} from '../contract/limit-rows.ts';
import type { PolicyName } from '../contract/routes.ts';
import { endpointInForce, type WindowInForce } from '../rate-limit/feedback/endpoint-in-force.ts';
import { inForceText } from '../rate-limit/feedback/limit-feedback.ts';
import { type OverrideRow, type ParsedRow, parseRow, rowInForce } from '../rate-limit/override-row.ts';
import { counterKeys } from '../rate-limit/shards.ts';
import { windowsAt } from '../rate-limit/windows.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { requireClient } from './clients.ts';

interface ExplainedWindow {
  readonly window: 'minute' | 'hour' | 'day' | 'month';
  /** Of `spend` in the currency. */
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
  /** When the row that decides expires. */
  readonly expires_at: string | null;
  readonly windows: readonly ExplainedWindow[];
  /** At full rate: the window that refuses first, and after how many seconds; null if only the shortest does. */
  readonly first_reached: {
    readonly window: ExplainedWindow['window'];
    readonly after_seconds: number;
  } | null;
  /** One sentence with the limits in force. */
  readonly summary: string;
  /** The feedback in the client's own row, if it has one. */
  readonly status: string | null;
  readonly status_message: string | null;
}

export interface ExplainedLimits {
  readonly client_id: string;
  /** Of `spend`, ISO 4217. */
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
  const [own, forAll] = await Promise.all([
    dependencies.overrides.rowsOf(clientId),
    dependencies.overrides.rowsOf(everyClient),
  ]);
  const endpoints = await Promise.all(
    [...limitTargets.keys()].map((endpoint) =>
      explain(
        dependencies,
        { clientId, endpoint, own: rowFor(own, endpoint), forAll: rowFor(forAll, endpoint) },
        now,
      ),
    ),
  );
  return { client_id: clientId, currency: dependencies.currency, at: now.toISOString(), endpoints };
}

interface ExplainedRows {
  readonly clientId: string;
  readonly endpoint: string;
  /** The client's own. */
  readonly own: OverrideRow | undefined;
  /** The one for every client. */
  readonly forAll: OverrideRow | undefined;
}

async function explain(
  dependencies: AdminDependencies,
  { clientId, endpoint, own, forAll }: ExplainedRows,
  now: Date,
): Promise<ExplainedEndpoint> {
  const target = limitTargets.get(endpoint);
  if (target === undefined) throw new Error(`no endpoint ${endpoint}`);
  const ownRow = parsed(own);
  const row = rowInForce([ownRow, parsed(forAll)], now);
  const inForce = endpointInForce(target, row, dependencies.capDefaults);
  const limits = Object.fromEntries(inForce.windows.map(({ window, limit }) => [window, limit]));
  const use =
    target.kind === 'rate'
      ? await rateUseOf(dependencies, clientId, endpoint, limits, now)
      : await capUseOf(dependencies, clientId, target.cap, inForce.windows, now);
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
        ...use(name),
      };
    }),
    first_reached:
      firstReached === undefined
        ? null
        : { window: windowOf[firstReached.window], after_seconds: Math.round(firstReached.afterSeconds) },
    summary: inForceText(inForce, dependencies.currency),
    status: own?.status === undefined ? null : String(own.status),
    status_message: own?.status_message === undefined ? null : String(own.status_message),
  };
}

type Use = Pick<ExplainedWindow, 'used' | 'resets_at'>;

/** The sum of all shards that the limiter counts in. */
async function rateUseOf(
  { rateUse }: AdminDependencies,
  clientId: string,
  endpoint: string,
  { per_minute = 0, per_hour = 0, per_day = 0 }: Readonly<Partial<Record<WindowAttribute, number>>>,
  now: Date,
): Promise<(window: ExplainedWindow['window']) => Use> {
  const limits = { perMinute: per_minute, perHour: per_hour, perDay: per_day };
  const windows = windowsAt(now);
  const used = await rateUse(
    counterKeys({ kind: 'client', clientId }, endpoint, windows.day, limits),
    windows,
  );
  return (window) => {
    if (window === 'month') throw new Error('a rate limit has no month');
    return { used: used[window], resets_at: new Date(windows.resetsAt[window] * 1000).toISOString() };
  };
}

async function capUseOf(
  { capCounter }: AdminDependencies,
  clientId: string,
  cap: CapName,
  windows: readonly WindowInForce[],
  now: Date,
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

function rowFor(rows: readonly OverrideRow[], endpoint: string): OverrideRow | undefined {
  return rows.find((row) => row.endpoint === endpoint);
}

function parsed(row: OverrideRow | undefined): ParsedRow | undefined {
  return row === undefined ? undefined : parseRow(row);
}
