/** What a caller can be told went wrong: stable codes, each with its HTTP status decided here once (contract, section 1). */

export const errorStatus = {
  invalid_request: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  no_valid_recipients: 400,
  unauthorized: 401,
  invalid_client: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_in_progress: 409,
  otp_already_used: 409,
  otp_attempts_exhausted: 409,
  not_cancelable: 409,
  otp_expired: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limit_exceeded: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** One faulty field: `recipients[2].to` and a sentence for a person. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

interface GatewayErrorOptions {
  readonly details?: readonly FieldError[];
  /** Headers that this refusal must carry: `Allow`, `WWW-Authenticate`, `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds to wait; a 429 repeats it in its body and in `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** For the log, never for the caller. */
  readonly cause?: unknown;
}

/** A refusal whose text a caller may read. Anything else that is thrown becomes `internal_error`. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly details: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}
