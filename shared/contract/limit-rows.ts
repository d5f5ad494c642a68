/**
 * The caps with their windows and notices, the caps of a stage for all clients (contract 10.2), and the targets and
 * attributes of rows of `limit-overrides` (contract 4.7 and 10.1), for the limiter, the feedback and the tools.
 */

import * as z from 'zod/mini';
import { notPerClient, type PolicyName, policies } from './policies.ts';
import { millionthsPerUnit } from './prices.ts';

/** Shortest first. A month is a UTC calendar month. */
export const capWindowNames = ['minute', 'hour', 'day', 'month'] as const;

export type CapWindow = (typeof capWindowNames)[number];

interface Cap {
  /** The windows in which the cap can be set. */
  readonly windows: readonly CapWindow[];
  /** Whether it limits amounts of money, in the currency of the stage's prices: they are counted in millionths. */
  readonly isMoney: boolean;
}

/** The caps: quantities that a client sends, of which a window allows a maximum. */
export const caps = {
  /** Accepted recipients over all sends. */
  messages: { windows: ['minute', 'hour', 'day', 'month'], isMoney: false },
  /** Estimated cost. */
  spend: { windows: ['day', 'month'], isMoney: true },
} as const satisfies Record<string, Cap>;

export type CapName = keyof typeof caps;
export const capNames = Object.keys(caps) as CapName[];

/** The percentages of a spend cap at which administrators are notified, as `shared/limit/cap-notices.ts` says. */
export const noticePercentages = [80, 100] as const;

/** The windows as fields of the stage's setting. */
export const stageCapFields = {
  minute: 'perMinute',
  hour: 'perHour',
  day: 'perDay',
  month: 'perMonth',
} as const satisfies Record<CapWindow, string>;

export function stageCaps() {
  const limits = (name: CapName) => {
    const { windows, isMoney }: Cap = caps[name];
    const limit = isMoney ? z.number().check(z.positive(), z.maximum(1e9)) : z.int().check(z.positive());
    return z.optional(z.partialRecord(z.enum(windows.map((window) => stageCapFields[window])), limit));
  };
  return z.strictObject({ messages: limits('messages'), spend: limits('spend') });
}

export type StageCaps = Readonly<z.output<ReturnType<typeof stageCaps>>>;

/** The `client_id` of a row for every client that has no row of its own for that endpoint. */
export const everyClient = '*';

/**
 * The `endpoint` of the row for every client with which the API answers 503, until the row is removed or its `expires_at`
 * has passed.
 */
export const maintenanceEndpoint = 'maintenance';

/** The attributes that limit a window, shortest window first. */
export const windowAttributes = capWindowNames.map((window) => `per_${window}` as const);
export type WindowAttribute = (typeof windowAttributes)[number];

/** The limits by attribute; amounts of money are in millionths of the currency, so that sums are exact. */
export type WindowLimits = Readonly<Partial<Record<WindowAttribute, number>>>;

/** The limits by cap; a cap without a limit is absent. */
export type Caps = Readonly<Partial<Record<CapName, WindowLimits>>>;

/** The rate-limit policies that a row can change. */
export const limitPolicies = (Object.keys(policies) as PolicyName[]).filter(
  (name) => !notPerClient.includes(name),
);

/** The meaning of a row's `endpoint`. */
export type LimitTarget =
  | { readonly kind: 'rate'; readonly policy: PolicyName; readonly windows: readonly WindowAttribute[] }
  | { readonly kind: 'cap'; readonly cap: CapName; readonly windows: readonly WindowAttribute[] };

/** Whether the limits are amounts of money: they are kept in millionths, all others as they are written. */
export function isMoney(target: LimitTarget): boolean {
  return target.kind === 'cap' && caps[target.cap].isMoney;
}

export function countedPerUnit(target: LimitTarget): number {
  return isMoney(target) ? millionthsPerUnit : 1;
}

const rateWindows = ['per_minute', 'per_hour', 'per_day'] as const;

/** The targets by the value of `endpoint`. */
export const limitTargets: ReadonlyMap<string, LimitTarget> = new Map<string, LimitTarget>([
  ...limitPolicies.map((policy): [string, LimitTarget] => [
    policies[policy].endpoint,
    { kind: 'rate', policy, windows: rateWindows },
  ]),
  ...capNames.map((cap): [string, LimitTarget] => [
    cap,
    { kind: 'cap', cap, windows: caps[cap].windows.map((window) => `per_${window}` as const) },
  ]),
]);
