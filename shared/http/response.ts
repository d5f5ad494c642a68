/** Creates the response from the operation's result or from an error. All errors have the same form. */
import {
  errorBody,
  errorDetailsMax,
  errorFieldCharactersMax,
  errorMessageCharactersMax,
  type FieldError,
  GatewayError,
  standardError,
} from '../contract/errors.ts';
import type { ApiResponse } from '../operation/operation.ts';

export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

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

/** Returns the fields of an error for the log line of its request. */
export function loggedError({ code, details, cause }: GatewayError): Readonly<Record<string, unknown>> {
  return { error: code, faulty_fields: loggedFields(details), cause };
}

const loggedFieldsMax = 5;

/**
 * Returns the names of faulty fields for the log, without list indexes; undefined if there are none. Names with digits are
 * left out, because a caller's name may contain a phone number.
 */
function loggedFields(details: readonly FieldError[]): readonly string[] | undefined {
  const names = details.flatMap(({ field }) => /^[A-Za-z_-]{1,40}(?=$|[.[])/.exec(field)?.[0] ?? []);
  return names.length === 0 ? undefined : [...new Set(names)].slice(0, loggedFieldsMax);
}

/**
 * An `error_description` may contain only printable ASCII, without quotation marks and backslashes (RFC 6749, section 5.2).
 */
const notInDescription = /[^ !#-[\]-~]/gu;

/**
 * Returns the response for an error.
 *
 * @param baseUrl - the gateway's own URL, for the link to the documentation
 * @param oauth - true to add the error's text under the name that RFC 6749 defines
 */
export function errorResponse(
  error: GatewayError,
  requestId: string,
  baseUrl: string,
  oauth: boolean,
): HttpResponse {
  const { code, retryAfterSeconds } = error;
  const text = shortened(error.message, errorMessageCharactersMax);
  const message = oauth ? text.replace(notInDescription, '?') : text;
  const details = error.details.slice(0, errorDetailsMax).map(shortenedDetail);
  const body = {
    ...errorBody({ code, message, details, retryAfterSeconds }, requestId, baseUrl),
    // RFC 6749, section 5.2.
    ...(oauth ? { error_description: message } : {}),
  };
  return {
    statusCode: error.status,
    headers: {
      ...jsonType,
      ...error.headers,
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
    body: JSON.stringify(body),
    isBase64Encoded: false,
  };
}

function shortenedDetail({ field, message }: FieldError): FieldError {
  return {
    field: shortened(field, errorFieldCharactersMax),
    message: shortened(message, errorMessageCharactersMax),
  };
}

/** Shortens a field name from the caller, which can have any length. A response above 6 MB would be lost. */
function shortened(text: string, charactersMax: number): string {
  const whole = text.length <= charactersMax;
  return (whole ? text : `${text.slice(0, charactersMax - 1)}…`).toWellFormed();
}

/** Returns the error itself if it is a `GatewayError`, and otherwise one without details. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return standardError(isOutage(error) ? 'service_unavailable' : 'internal_error', { cause: error });
}

/** Turns any failure to authenticate or count a request into 503, because no request may skip these steps. */
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
  // SQS marks all of its own errors as client faults.
  'RequestThrottled',
  'KmsThrottled',
  // Contention that outlasted all retries. If a condition cancels a transaction, its store returns a result instead.
  'TransactionConflictException',
  'TransactionCanceledException',
  'TransactionInProgressException',
  'ReplicatedWriteConflictException',
  'ItemsRemain',
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

/** True if an AWS service is down, slow or over capacity, so that a later request may succeed. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (outageNames.has(error.name)) return true;
  if ('code' in error && outageCodes.has(error.code)) return true;
  return '$fault' in error && error.$fault === 'server';
}

/** A smaller response fits into one packet without compression. */
const compressedBytesMin = 1024;

/** Returns 304 if the content has not changed, and compresses the response if the caller accepts this. */
export function encodeResponse(
  headers: Readonly<Record<string, string>>,
  response: HttpResponse,
): HttpResponse {
  const { ETag: etag } = response.headers;
  if (etag !== undefined && response.statusCode === 200 && matches(headers['if-none-match'], etag)) {
    return { ...response, statusCode: 304, body: '', isBase64Encoded: false };
  }
  // API Gateway decodes base64 only if the request has a matching `Accept` header, which some clients do not send (such as
  // Go's standard client).
  const coding = headers.accept === undefined ? '' : (headers['accept-encoding'] ?? '');
  // HEAD gets the same response: API Gateway drops its content, but takes `Content-Length` from it (RFC 9110, section 8.6).
  return compressed(response, coding);
}

/** True if the tags match weakly (RFC 9110, section 13.1.2), so that the same content in another encoding matches. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const weak = (tag: string): string => tag.trim().replace(/^W\//, '');
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim() === '*' || weak(tag) === weak(etag));
}

function compressed(response: HttpResponse, acceptEncoding: string): HttpResponse {
  const { body, headers, isBase64Encoded } = response;
  if (isBase64Encoded || headers['Content-Encoding'] !== undefined) return response;
  if (body.length < compressedBytesMin) return response;
  const varied = { ...headers, Vary: 'Accept-Encoding' };
  if (!acceptsGzip(acceptEncoding)) return { ...response, headers: varied };
  // Loaded at the first compression: few functions have large responses, and loading it earlier would slow every function's
  // start.
  const { gzipSync } = process.getBuiltinModule('node:zlib');
  return {
    ...response,
    headers: { ...varied, 'Content-Encoding': 'gzip' },
    body: gzipSync(body).toString('base64'),
    isBase64Encoded: true,
  };
}

/**
 * True if the caller accepts gzip. A quality of 0 refuses a coding, and `*` means every coding that is not named (RFC 9110,
 * section 12.5.3).
 */
function acceptsGzip(acceptEncoding: string): boolean {
  const qualities = new Map(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .map((coding) => {
        const [name = '', ...parameters] = coding.split(';').map((part) => part.trim());
        const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
        return [name, Number(quality)] as const;
      }),
  );
  return (qualities.get('gzip') ?? qualities.get('x-gzip') ?? qualities.get('*') ?? 0) > 0;
}

/** Host names of a local gateway, for redirects to its pages. */
const thisMachine = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Returns the redirect target. On AWS it begins with the gateway's own URL, which contains the stage in its path (`…/prod`)
 * or has a domain name. A local gateway has several names, such as a tunnel's, and does not know which one the caller used,
 * so the target is only a path.
 *
 * @param baseUrl - the URL at which clients call the API, without a final slash
 */
export function redirectTo(baseUrl: string, path: string): ApiResponse {
  const isLocal = thisMachine.has(new URL(baseUrl).hostname);
  return {
    status: 302,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      Location: isLocal ? path : `${baseUrl}${path}`,
      'Cache-Control': 'public, max-age=300',
    },
    body: '',
  };
}
