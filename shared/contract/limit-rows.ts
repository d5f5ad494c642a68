/** What a row of `limit-overrides` can name and set (contract, sections 4 and 10): read by the limiter, the feedback and the tools. */
import { millionthsPerUnit } from './money.ts';
import { type PolicyName, policies } from './routes.ts';

/** The `client_id` of a row for every client that has no row of its own for that endpoint. */
export const everyClient = '*';

/** The attributes that limit a window, shortest window first. */
export const windowAttributes = ['per_minute', 'per_hour', 'per_day', 'per_month'] as const;
export type WindowAttribute = (typeof windowAttributes)[number];

/** The caps: values of `endpoint` that are no route, each with its windows. */
export const caps = {
  /** Accepted recipients over all sends. */
  messages: { windows: ['per_minute', 'per_hour', 'per_day', 'per_month'] },
  /** Estimated cost, in the currency of the stage's price list. */
  spend: { windows: ['per_day', 'per_month'] },
} as const satisfies Record<string, { readonly windows: readonly WindowAttribute[] }>;
export type CapName = keyof typeof caps;
export const capNames = Object.keys(caps) as CapName[];

/** Counts by source address, so no client's row applies to it. */
const notPerClient: PolicyName = 'unmatched';

/** The rate-limit policies that a row can change. */
export const limitPolicies = (Object.keys(policies) as PolicyName[]).filter((name) => name !== notPerClient);

/** What the `endpoint` of a row means. */
export type LimitTarget =
  | { readonly kind: 'rate'; readonly policy: PolicyName; readonly windows: readonly WindowAttribute[] }
  | { readonly kind: 'cap'; readonly cap: CapName; readonly windows: readonly WindowAttribute[] };

/** Whether the limits are amounts of money: they are kept in millionths, all others as they are written. */
export function isMoney(target: LimitTarget): boolean {
  return target.kind === 'cap' && target.cap === 'spend';
}

export function countedPerUnit(target: LimitTarget): number {
  return isMoney(target) ? millionthsPerUnit : 1;
}

const rateWindows = ['per_minute', 'per_hour', 'per_day'] as const;

/** By the value of `endpoint`. */
export const limitTargets: ReadonlyMap<string, LimitTarget> = new Map<string, LimitTarget>([
  ...limitPolicies.map((policy): [string, LimitTarget] => [
    policies[policy].endpoint,
    { kind: 'rate', policy, windows: rateWindows },
  ]),
  ...capNames.map((cap): [string, LimitTarget] => [cap, { kind: 'cap', cap, windows: caps[cap].windows }]),
]);
