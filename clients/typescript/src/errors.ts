/** What the client throws. Every error is a `GatewayError`; `instanceof` tells the kinds apart. */
import type { ErrorResponse, FieldError } from './generated/schema.ts';

export type ErrorCode = ErrorResponse['error'];

/** Anything that went wrong with a request or a webhook. */
export class GatewayError extends Error {
  override name = 'GatewayError';
}

/** An option or an argument that cannot be used. Nothing was sent; the message says what to do. */
export class ArgumentError extends GatewayError {
  override name = 'ArgumentError';
}

/** The caller's `signal` ended the call. `cause` is the reason that the caller gave. */
export class AbortError extends GatewayError {
  override name = 'AbortError';
}

/** The gateway was not reached, or its answer was lost. A send may have been accepted: repeat it with the same key. */
export class ConnectionError extends GatewayError {
  override name = 'ConnectionError';
}

/** There was no answer within `timeoutMs`, or within what was left of `deadlineMs`. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError';
}

/** A webhook that the gateway did not sign, or signed too long ago. */
export class WebhookVerificationError extends GatewayError {
  override name = 'WebhookVerificationError';
}

/** The gateway answered with an error. The fields are those of the error's body. */
export class ApiError extends GatewayError {
  override name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** A stable code; `unexpected_response` where the answer is not one of the gateway, but of a proxy for example. */
  readonly error: ErrorCode;
  /** Quote it to support. */
  readonly request_id: string | undefined;
  /** Where the gateway's documentation explains the code. */
  readonly doc_url: string | undefined;
  /** The faulty fields, all of them at once. */
  readonly details: readonly FieldError[];
  /** Seconds to wait; of a `RateLimitError`. */
  readonly retry_after: number | undefined;

  constructor(status: number, { message, error, request_id, doc_url, details, retry_after }: ApiErrorFields) {
    super(message);
    this.status = status;
    this.error = error;
    this.request_id = request_id;
    this.doc_url = doc_url;
    this.details = details;
    this.retry_after = retry_after;
  }
}

interface ApiErrorFields {
  readonly error: ErrorCode;
  readonly message: string;
  readonly request_id: string | undefined;
  readonly doc_url: string | undefined;
  readonly details: readonly FieldError[];
  readonly retry_after: number | undefined;
}

/** 400, 413, 415, 422: the request must be changed. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError';
}
/** 401: the credentials are not valid. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError';
}
/** 403: the client is disabled, or may not do this. */
export class ForbiddenError extends ApiError {
  override name = 'ForbiddenError';
}
/** 404: it does not exist, or belongs to another client. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}
/** 409, 410: the state does not allow it, or not any more. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}
/** 429: a rate limit or a cap is reached. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError';
}
/** 5xx: something is wrong with the gateway. */
export class ServerError extends ApiError {
  override name = 'ServerError';
}

const classes: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  410: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
};

/** The error of a success whose body is not what the gateway answers. */
export function unexpectedAnswer(status: number): ApiError {
  return apiError(status, new Headers(), undefined);
}

/** @param body - as it was parsed; a proxy's may have fields of the same names that are of other types */
export function apiError(status: number, headers: Headers, body: unknown): ApiError {
  const given = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const ErrorClass = classes[status] ?? (status >= 500 ? ServerError : ApiError);
  return new ErrorClass(status, {
    error: text(given.error) ?? 'unexpected_response',
    message: text(given.message) ?? `The answer has status ${status} and is not the gateway's.`,
    request_id: text(given.request_id) ?? headers.get('x-request-id') ?? undefined,
    doc_url: text(given.doc_url),
    details: Array.isArray(given.details) ? given.details.filter(isFieldError) : [],
    retry_after:
      typeof given.retry_after === 'number' ? given.retry_after : secondsOf(headers.get('retry-after')),
  });
}

function isFieldError(value: unknown): value is FieldError {
  return typeof value === 'object' && value !== null && 'field' in value && 'message' in value;
}

/** `Retry-After` is a number of seconds, or a date (RFC 9110, section 10.2.3). */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}
