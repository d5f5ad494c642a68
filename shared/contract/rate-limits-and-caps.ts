/**
 * The limits of clients. Requests are limited by policy (specification, section 8; contract 4.1), messages and spend by
 * caps, of a client and of a stage (contract 10.2), and one-time passwords by recipient (contract 5.8). A row of
 * `limit-overrides` changes a limit (contract 4.7 and 10.1). A sender has a pace (contract 14.4).
 */
import * as z from 'zod/mini';

/** The requests that a client may send in each fixed UTC window (contract 4.1). */
export interface Limits {
  readonly perMinute: number;
  readonly perHour: number;
  readonly perDay: number;
}

/** A rate-limit policy, whose routes are counted together. */
export interface Policy extends Limits {
  /** The sort key of the policy's rows in `limit-overrides`. */
  readonly endpoint: string;
}

/** The defaults of the specification's section 8; section 4 of the contract adds the others. */
export const policies = {
  sms_send: { endpoint: 'POST /api/v1/sms/send', perMinute: 60, perHour: 1000, perDay: 10_000 },
  sms_bulk: { endpoint: 'POST /api/v1/sms/bulk', perMinute: 10, perHour: 100, perDay: 500 },
  otp_send: { endpoint: 'POST /api/v1/otp/send', perMinute: 30, perHour: 500, perDay: 5000 },
  otp_verify: { endpoint: 'POST /api/v1/otp/verify', perMinute: 30, perHour: 500, perDay: 5000 },
  whatsapp_send: { endpoint: 'POST /api/v1/whatsapp/send', perMinute: 60, perHour: 1000, perDay: 10_000 },
  sms_status: { endpoint: 'GET /api/v1/sms/status/*', perMinute: 120, perHour: 5000, perDay: 50_000 },
  auth_token: { endpoint: 'POST /api/v1/auth/token', perMinute: 20, perHour: 200, perDay: 1000 },
  messages: { endpoint: 'GET /api/v1/messages', perMinute: 120, perHour: 5000, perDay: 50_000 },
  account: { endpoint: 'GET /api/v1/account', perMinute: 60, perHour: 1000, perDay: 10_000 },
  webhooks: { endpoint: 'GET /api/v1/webhook-endpoints', perMinute: 120, perHour: 5000, perDay: 50_000 },
  suppressions: { endpoint: 'GET /api/v1/suppressions', perMinute: 120, perHour: 5000, perDay: 50_000 },
  admin: { endpoint: 'ANY /admin/api/*', perMinute: 600, perHour: 10_000, perDay: 100_000 },
  unmatched: { endpoint: 'ANY /*', perMinute: 60, perHour: 1000, perDay: 10_000 },
} as const satisfies Record<string, Policy>;

export type PolicyName = keyof typeof policies;

/**
 * Half of the 1,000 writes a second of one row, because one row counts a client's requests to an endpoint on a day
 * (contract 4.8).
 */
export const perMinuteMax = 30_000;

/**
 * Amounts of money are counted in whole millionths of the currency, because binary fractions do not add up exactly. Prices
 * have five decimals, and spend caps six.
 */
export const millionthsPerUnit = 1_000_000;

/** Shortest first. A month is a UTC calendar month. */
export const capWindowNames = ['minute', 'hour', 'day', 'month'] as const;

export type CapWindow = (typeof capWindowNames)[number];

/** Each cap limits a quantity that a client sends in a window. */
export const caps = {
  /** The accepted recipients of all sends. */
  messages: { windows: ['minute', 'hour', 'day', 'month'], isMoney: false },
  spend: { windows: ['day', 'month'], isMoney: true },
} as const satisfies Record<
  string,
  {
    readonly windows: readonly CapWindow[];
    /** True if the cap limits money, in the currency of the stage's prices, counted in millionths. */
    readonly isMoney: boolean;
  }
>;

export type CapName = keyof typeof caps;
export const capNames = Object.keys(caps) as CapName[];

export const stageCapFields = {
  minute: 'perMinute',
  hour: 'perHour',
  day: 'perDay',
  month: 'perMonth',
} as const satisfies Record<CapWindow, string>;

export function stageCaps() {
  const limits = (name: CapName) => {
    const { windows, isMoney } = caps[name];
    const limit = isMoney ? z.number().check(z.positive(), z.maximum(1e9)) : z.int().check(z.positive());
    return z.optional(z.partialRecord(z.enum(windows.map((window) => stageCapFields[window])), limit));
  };
  return z.strictObject({ messages: limits('messages'), spend: limits('spend') });
}

export type StageCaps = Readonly<z.output<ReturnType<typeof stageCaps>>>;

/** The lowest and highest pace of a sender, in segments a second. */
export const paceMin = 0.01;
export const paceMax = 10_000;

/** The `client_id` of a row that applies to every client without its own row for the endpoint. */
export const everyClient = '*';

/** The `endpoint` of the row that puts the API into maintenance (503) until the row is removed or expires. */
export const maintenanceEndpoint = 'maintenance';

/** The attributes with the limit of each window, shortest window first. */
export const windowAttributes = capWindowNames.map((window) => `per_${window}` as const);
export type WindowAttribute = (typeof windowAttributes)[number];

/** The limits by attribute. Amounts of money are in millionths of the currency, so that sums are exact. */
export type WindowLimits = Readonly<Partial<Record<WindowAttribute, number>>>;

export type Caps = Readonly<Partial<Record<CapName, WindowLimits>>>;

/** All policies except the one for requests that count by source address, to which no row applies. */
export const limitPolicies = (Object.keys(policies) as PolicyName[]).filter((name) => name !== 'unmatched');

export type LimitTarget =
  | { readonly kind: 'rate'; readonly policy: PolicyName; readonly windows: readonly WindowAttribute[] }
  | { readonly kind: 'cap'; readonly cap: CapName; readonly windows: readonly WindowAttribute[] };

/** True if the limits are amounts of money, which are stored in millionths. Other limits are stored as written. */
export function isMoney(target: LimitTarget): boolean {
  return target.kind === 'cap' && caps[target.cap].isMoney;
}

export function countedPerUnit(target: LimitTarget): number {
  return isMoney(target) ? millionthsPerUnit : 1;
}

const rateWindows = ['per_minute', 'per_hour', 'per_day'] as const;

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

/** The country code of a hold on all of a client's countries together. */
export const allCountries = '*';

/** The maximum number of one-time passwords from a client to a recipient in this window. */
export const recipientSendsMax = 5;
export const recipientWindowSeconds = 600;
