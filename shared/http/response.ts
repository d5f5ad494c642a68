/** Creates the response to a request: the result of the operation, or an error. All errors have the same form. */
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
 * Returns the names of faulty fields for the log, without the places in them; undefined if there are none. A name that a caller
 * made up may contain a phone number, so a name with digits is left out.
 */
function loggedFields(details: readonly FieldError[]): readonly string[] | undefined {
  const names = details.flatMap(({ field }) => /^[A-Za-z_-]{1,40}(?=$|[.[])/.exec(field)?.[0] ?? []);
  return names.length === 0 ? undefined : [...new Set(names)].slice(0, loggedFieldsMax);
}

/** RFC 6749, section 5.2: an `error_description` has printable ASCII without quotation marks and backslashes. */
const notInDescription = /[^ !#-[\]-~]/gu;

/**
 * Returns the response to a refused request.
 *
 * @param baseUrl - the gateway's own address, for the link to the documentation
 * @param oauth - true to add the error's text under its name in RFC 6749
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

/** Shortens a field name from the caller, which may have any length: a response larger than 6 MB would be lost. */
function shortened(text: string, charactersMax: number): string {
  const whole = text.length <= charactersMax;
  return (whole ? text : `${text.slice(0, charactersMax - 1)}…`).toWellFormed();
}

/** Hides the details of everything that is not a `GatewayError`. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return standardError(isOutage(error) ? 'service_unavailable' : 'internal_error', { cause: error });
}

/** Turns any failure of authenticating or counting into a 503, because no request may skip them. */
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
  // Contention that outlasted all retries. A transaction that a condition cancels does not get here, because its store
  // returns a result instead.
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

/** True if a service is down, slow or over its capacity, so that a later request may succeed. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (outageNames.has(error.name)) return true;
  if ('code' in error && outageCodes.has(error.code)) return true;
  return '$fault' in error && error.$fault === 'server';
}

/** A smaller response fits in one packet without compression. */
const compressedBytesMin = 1024;

/** The last step: returns 304 if the content has not changed, and compresses the response for callers that accept it. */
export function encodeResponse(
  headers: Readonly<Record<string, string>>,
  response: HttpResponse,
): HttpResponse {
  const { ETag: etag } = response.headers;
  if (etag !== undefined && response.statusCode === 200 && matches(headers['if-none-match'], etag)) {
    return { ...response, statusCode: 304, body: '', isBase64Encoded: false };
  }
  // API Gateway uses `Accept` to decide if it decodes the base64 of binary content, and some clients do not send it (such
  // as Go's standard client).
  const coding = headers.accept === undefined ? '' : (headers['accept-encoding'] ?? '');
  // The response to HEAD too: API Gateway leaves its content out, but takes `Content-Length` from it (RFC 9110, section 8.6).
  return compressed(response, coding);
}

/** True if the tags match weakly (RFC 9110, section 13.1.2): the same content in another encoding matches. */
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
  // Loaded at the first compression, because few functions have large responses, and loading it earlier would slow down the
  // start of every function.
  const { gzipSync } = process.getBuiltinModule('node:zlib');
  return {
    ...response,
    headers: { ...varied, 'Content-Encoding': 'gzip' },
    body: gzipSync(body).toString('base64'),
    isBase64Encoded: true,
  };
}

/**
 * True if the caller accepts gzip. A quality of 0 is a refusal, and `*` means every coding that is not named (RFC 9110,
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

/**
 * Redirects to a page of the gateway. The target is right on API Gateway's own address with its stage, on a domain name, and
 * locally.
 */
const thisMachine = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Returns the redirect target. On AWS it is below the gateway's own address, which contains the stage in its path
 * (`…/prod`) or is a domain name. A local gateway has several names, such as a tunnel's, and does not know which one
 * the caller used, so it redirects to the path alone.
 *
 * @param baseUrl - the address at which clients call the API, without a slash at its end
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
