/** Makes the response to a request: the result of the operation, or an error in the one form that all errors have. */

import { errorBody, type FieldError, GatewayError, standardError } from '../contract/errors.ts';
import type { ApiResponse } from '../operation/operation.ts';
import type { HttpResponse, Step } from './request-context.ts';

const jsonType = { 'Content-Type': 'application/json' };

export function successResponse({ status, headers = {}, body }: ApiResponse): HttpResponse {
  if (Buffer.isBuffer(body)) {
    return { statusCode: status, headers, body: body.toString('base64'), isBase64Encoded: true };
  }
  if (typeof body === 'string') return { statusCode: status, headers, body, isBase64Encoded: false };
  return {
    statusCode: status,
    headers: { ...jsonType, ...headers },
    body: JSON.stringify(body),
    isBase64Encoded: false,
  };
}

/** Turns what any later step throws into a response. @param oauth - with the error's text as RFC 6749 names it, too */
export function errorResponse(oauth: boolean): Step {
  return {
    onError: (request) => {
      const error = asGatewayError(request.error);
      request.event.logged = { ...request.event.logged, error: error.code, cause: error.cause };
      request.response = responseOf(error, request.event.requestId, oauth);
    },
  };
}

/** As many as a bulk request has rows. */
const detailsMax = 1000;
const fieldCharactersMax = 200;
const messageCharactersMax = 1000;

/** RFC 6749, section 5.2: an `error_description` has printable ASCII without quotation marks and backslashes. */
const notInDescription = /[^ !#-[\]-~]/gu;

function responseOf(error: GatewayError, requestId: string, oauth: boolean): HttpResponse {
  const { code, retryAfterSeconds } = error;
  const text = shortened(error.message, messageCharactersMax);
  const message = oauth ? text.replace(notInDescription, '?') : text;
  const details = error.details.slice(0, detailsMax).map(shortenedDetail);
  const body = {
    ...errorBody({ code, message, details, retryAfterSeconds }, requestId),
    // RFC 6749, section 5.2.
    ...(oauth ? { error_description: message } : {}),
  };
  const retryAfter = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  return {
    statusCode: error.status,
    headers: { ...jsonType, ...error.headers, ...retryAfter },
    body: JSON.stringify(body),
    isBase64Encoded: false,
  };
}

function shortenedDetail({ field, message }: FieldError): FieldError {
  return { field: shortened(field, fieldCharactersMax), message: shortened(message, messageCharactersMax) };
}

/** Field names come from the caller and may have any length; a response larger than 6 MB would be lost. */
function shortened(text: string, charactersMax: number): string {
  const whole = text.length <= charactersMax;
  return (whole ? text : `${text.slice(0, charactersMax - 1)}…`).toWellFormed();
}

/** Hides the details of everything that is not a `GatewayError`. */
function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return standardError(isOutage(error) ? 'service_unavailable' : 'internal_error', { cause: error });
}

/** No request is processed without being authenticated and counted: any failure of these steps is a 503. */
export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw standardError('service_unavailable', { cause });
  }
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

/** A service that we call is down, slow or over its capacity: a later request may succeed. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (outageNames.has(error.name)) return true;
  if ('code' in error && outageCodes.has(error.code)) return true;
  return '$fault' in error && error.$fault === 'server';
}
