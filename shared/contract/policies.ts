/** How many requests each client may make, by policy (specification, section 8; contract 4.1). */

/** Requests allowed in each fixed UTC window, per client (contract 4.1). */
export interface Limits {
  readonly perMinute: number;
  readonly perHour: number;
  readonly perDay: number;
}

/** A rate-limit policy: the requests of its routes are counted together. */
export interface Policy extends Limits {
  /** The sort key of its `limit-overrides` rows, as in section 8. */
  readonly endpoint: string;
}

/** The defaults of section 8; those that it does not have are of the contract's section 4. */
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
  /** The default of the setting `carrierCallbackLimits`, for each carrier. */
  carrier_callback: {
    endpoint: 'ANY /carriers/*',
    perMinute: 30_000,
    perHour: 1_000_000,
    perDay: 10_000_000,
  },
  unmatched: { endpoint: 'ANY /*', perMinute: 60, perHour: 1000, perDay: 10_000 },
} as const satisfies Record<string, Policy>;

export type PolicyName = keyof typeof policies;

/** The policies of requests that count by source address or by carrier, so no client's row applies to them. */
export const notPerClient: readonly PolicyName[] = ['unmatched', 'carrier_callback'];
