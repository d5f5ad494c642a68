/** Makes what goes out on the wire: every answer with its request id, every refusal in one form, nothing else said. */

import { type FieldError, GatewayError } from '../contract/errors.ts';
import type { ApiResponse } from '../operation/operation.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64: boolean;
}

const jsonType = { 'Content-Type': 'application/json' };

export function successAnswer(response: ApiResponse): Answer {
  const { status, headers = {}, body } = response;
  if (Buffer.isBuffer(body)) return { status, headers, body: body.toString('base64'), isBase64: true };
  if (typeof body === 'string') return { status, headers, body, isBase64: false };
  return { status, headers: { ...jsonType, ...headers }, body: JSON.stringify(body), isBase64: false };
}

/** As many as a bulk request has rows. */
const detailsMax = 1000;
const fieldCharactersMax = 200;
const messageCharactersMax = 1000;

export function errorAnswer(error: GatewayError, requestId: string, oauth: boolean): Answer {
  const { code, details, retryAfterSeconds } = error;
  const text = shown(error.message, messageCharactersMax);
  const body = {
    error: code,
    // RFC 6749, section 5.2, names the same text otherwise.
    ...(oauth ? { error_description: text } : {}),
    message: text,
    request_id: requestId,
    ...(details.length > 0 ? { details: details.slice(0, detailsMax).map(shownDetail) } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retry_after: retryAfterSeconds }),
  };
  const retryAfter = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  return {
    status: error.status,
    headers: { ...jsonType, ...error.headers, ...retryAfter },
    body: JSON.stringify(body),
    isBase64: false,
  };
}

function shownDetail({ field, message }: FieldError): FieldError {
  return { field: shown(field, fieldCharactersMax), message: shown(message, messageCharactersMax) };
}

/** Names are the caller's own text, of any length and form; an answer beyond 6 MB would be lost. */
function shown(text: string, charactersMax: number): string {
  const whole = text.length <= charactersMax;
  return (whole ? text : `${text.slice(0, charactersMax - 1)}…`).toWellFormed();
}

/** What a caller may be told of anything that was thrown. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return isOutage(error)
    ? unavailable(error)
    : new GatewayError('internal_error', 'Something went wrong on our side.', { cause: error });
}

/** Something behind us failed that a later request may find working. */
export function unavailable(cause: unknown): GatewayError {
  return new GatewayError('service_unavailable', 'The service is not available right now. Try again soon.', {
    cause,
  });
}

const outageNames: ReadonlySet<string> = new Set([
  'TimeoutError',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'KMSInternalException',
  'DependencyTimeoutException',
]);
const outageCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** A service behind us that is down, slow or over its capacity, not a fault of ours: worth trying again. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (outageNames.has(error.name)) return true;
  if ('code' in error && outageCodes.has(error.code)) return true;
  return '$fault' in error && error.$fault === 'server';
}
