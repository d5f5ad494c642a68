/** The errors of the API: stable codes, each with its HTTP status, and the body of every error (contract 1.2 and 1.3). */

export const errorStatus = {
  invalid_request: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  no_valid_recipients: 400,
  unauthorized: 401,
  invalid_client: 401,
  forbidden: 403,
  otp_held: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_in_progress: 409,
  otp_already_used: 409,
  otp_attempts_exhausted: 409,
  not_cancelable: 409,
  endpoint_disabled: 409,
  endpoint_limit_reached: 409,
  secret_limit_reached: 409,
  concurrent_change: 409,
  otp_expired: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limit_exceeded: 429,
  message_limit_reached: 429,
  spend_limit_reached: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** The texts of error responses, which the API document also shows as examples. */
export const errorTexts = {
  unsupported_grant_type: 'grant_type must be client_credentials.',
  invalid_scope: (scopes: string) => `This client does not have the scope ${scopes}.`,
  no_valid_recipients: 'No recipient of the request is valid.',
  /** The text for an access token. Other credentials have other texts. */
  unauthorized: 'This access token is not valid, or has expired.',
  invalid_client: 'The client credentials are not valid.',
  /** The text for a disabled client. Other missing permissions have other texts. */
  forbidden: 'This client is disabled.',
  not_found: 'It does not exist, or it belongs to another client.',
  method_not_allowed: (path: string, method: string, allowed: string) =>
    `${path} does not accept ${method}. It accepts ${allowed}.`,
  idempotency_in_progress:
    'The first request with this Idempotency-Key is still being processed. Try again in a minute.',
  idempotency_key_reused: 'This Idempotency-Key was used for a different request. Use a new key.',
  otp_already_used: 'This one-time password has already been verified.',
  otp_attempts_exhausted: 'All attempts for this one-time password are used up. Send a new one.',
  otp_expired: 'This one-time password has expired. Send a new one.',
  not_cancelable: 'Only a scheduled message can be canceled, before its time has come.',
  endpoint_disabled: 'This webhook endpoint is disabled. Enable it first.',
  endpoint_limit_reached: (endpointsMax: number) =>
    `A client can have ${endpointsMax} webhook endpoints. Delete one first.`,
  secret_limit_reached: (endsAt: string) =>
    `There are already two active secrets. The older one expires at ${endsAt}. Rotate again after that, or with overlap_hours 0, which ends all older secrets.`,
  concurrent_change:
    'Other requests are changing the same resource, so this request changed nothing. Retry it.',
  rate_limit_exceeded: (limit: number, window: string) =>
    `The limit of ${limit} requests per ${window} is used up.`,
  payload_too_large: (bytesMax: number) => `The body is larger than ${bytesMax} bytes.`,
  unsupported_media_type: (accepted: string) => `Send the body with Content-Type: ${accepted}.`,
  internal_error: 'Something went wrong on our side.',
  service_unavailable: 'The service is not available right now. Try again soon.',
} as const satisfies Partial<Record<ErrorCode, string | ((...values: never[]) => string)>>;

/** The text for a path without a route, or whose id cannot be valid. */
export const nothingAtPathText = 'There is nothing at this path.';

/** The text for a recipient that is not a phone number, in a row of a bulk request and in the API document. */
export const invalidRecipientText = 'The recipient is not a phone number in international format.';

/** Returns the text for a recipient outside the client's countries, for a 403 or a row of a bulk request. */
export function countryNotAllowed(country: string | undefined): string {
  return `This client may not send to ${placeName(country)}. If it should, ask the operator of the gateway to allow the country.`;
}

/** Returns the text for a country for which one-time passwords by SMS are held. */
export function otpHeldText(country: string | undefined): string {
  return `One-time passwords by SMS to ${placeName(country)} are held, because few of the last ones were verified. Use another channel, or ask the operator of the gateway to allow them.`;
}

function placeName(country: string | undefined): string {
  return country ?? 'numbers of no single country, such as satellite phones';
}

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** The maximum number of details of an error, which equals the maximum number of rows of a bulk request. */
export const errorDetailsMax = 1000;
export const errorFieldCharactersMax = 200;
export const errorMessageCharactersMax = 1000;

/** An error whose message the caller may read. All other errors become `internal_error`. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly details: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      readonly details?: readonly FieldError[];
      /** Headers of the response, such as `Allow`, `WWW-Authenticate`, `X-RateLimit-*`. */
      readonly headers?: Readonly<Record<string, string>>;
      /** The seconds to wait. The body of a 429 and the header `Retry-After` contain them. */
      readonly retryAfterSeconds?: number;
      readonly cause?: unknown;
    } = {},
  ) {
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

export function standardError(
  code: {
    [Code in keyof typeof errorTexts]: (typeof errorTexts)[Code] extends string ? Code : never;
  }[keyof typeof errorTexts],
  options?: ConstructorParameters<typeof GatewayError>[2],
): GatewayError {
  return new GatewayError(code, errorTexts[code], options);
}

/** Returns the 400 error that lists each faulty field in `details`, and the first one in its message. */
export function invalidFields(details: readonly FieldError[]): GatewayError {
  const [first = { field: 'body', message: 'is not valid' }, ...others] = details;
  const end = /[.?!]$/.test(first.message) ? '' : '.';
  const sentence = `${first.field}: ${first.message}${end}`;
  const more = others.length === 0 ? '' : ` ${moreFaults(others.length)}`;
  return new GatewayError('invalid_request', `${sentence}${more}`, { details });
}

function moreFaults(count: number): string {
  return count === 1 ? 'See details for one more error.' : `See details for ${count} more errors.`;
}

/** Returns the error if the work throws one of these codes; undefined if it succeeds. Other errors are thrown. */
export async function refusalAmong<Code extends ErrorCode>(
  codes: readonly Code[],
  work: Promise<void> | undefined,
): Promise<Code | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    const refusal = codes.find((code) => error instanceof GatewayError && error.code === code);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

export function rateLimitExceeded(
  cause: string,
  retryAfterSeconds: number,
  headers: Readonly<Record<string, string>> = {},
): GatewayError {
  return limitReached('rate_limit_exceeded', cause, retryAfterSeconds, headers);
}

/** Returns the 429 error of every limit. Its message, its body and `Retry-After` contain the time to wait. */
export function limitReached(
  code: 'rate_limit_exceeded' | 'message_limit_reached' | 'spend_limit_reached',
  cause: string,
  retryAfterSeconds: number,
  headers: Readonly<Record<string, string>> = {},
): GatewayError {
  const wait = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new GatewayError(code, `${cause} Try again in ${wait}.`, { retryAfterSeconds, headers });
}

/** A restore takes longer than this, but frequent retries by clients do no harm. */
const maintenanceRetrySeconds = 120;

/** Returns the 503 error while a restore is running (contract 8.9). */
export function maintenance(): GatewayError {
  return new GatewayError('service_unavailable', 'The gateway is in maintenance. Try again later.', {
    retryAfterSeconds: maintenanceRetrySeconds,
  });
}

/**
 * Returns the body of every error, including errors from API Gateway and the web ACL. @param baseUrl - the gateway's own
 * URL, which API Gateway and the web ACL do not know
 */
export function errorBody(
  {
    code,
    message,
    details,
    retryAfterSeconds,
  }: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details: readonly FieldError[];
    readonly retryAfterSeconds: number | undefined;
  },
  requestId: string,
  baseUrl?: string,
): Record<string, unknown> {
  return {
    error: code,
    message,
    request_id: requestId,
    ...(baseUrl === undefined ? {} : { doc_url: `${baseUrl}/docs/errors#${code}` }),
    ...(details.length === 0 ? {} : { details }),
    retry_after: retryAfterSeconds,
  };
}
