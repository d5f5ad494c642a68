/**
 * What API Gateway answers by itself, in the gateway's own form: the error body and the header names of every
 * other response, with values as true as static ones can be (contract, section 1).
 */
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';

interface OwnResponse {
  readonly type: ResponseType;
  readonly status: number;
  readonly error: string;
  readonly message: string;
  /** Seconds after which to ask again; only on 429. */
  readonly retryAfterSeconds?: number;
}

const refused = { status: 403, error: 'forbidden', message: 'The request was refused.' };
const unauthorized = { status: 401, error: 'unauthorized', message: 'Valid credentials are required.' };
const broken = { status: 500, error: 'internal_error', message: 'The request could not be handled.' };
const unavailable = {
  status: 503,
  error: 'service_unavailable',
  message: 'The service is busy; the request may be repeated.',
};
const malformed = { status: 400, error: 'invalid_request', message: 'The request is malformed.' };
const unknown = { status: 404, error: 'not_found', message: 'There is nothing at this path.' };
const throttled = {
  status: 429,
  error: 'rate_limit_exceeded',
  message: 'Too many requests. Retry after 1 second.',
  retryAfterSeconds: 1,
};

/** Every type there is; the two defaults are left to what a future type brings. */
export const ownResponses: readonly OwnResponse[] = [
  { type: ResponseType.ACCESS_DENIED, ...refused },
  { type: ResponseType.API_CONFIGURATION_ERROR, ...broken },
  { type: ResponseType.AUTHORIZER_CONFIGURATION_ERROR, ...broken },
  { type: ResponseType.AUTHORIZER_FAILURE, ...broken },
  { type: ResponseType.BAD_REQUEST_BODY, ...malformed },
  { type: ResponseType.BAD_REQUEST_PARAMETERS, ...malformed },
  { type: ResponseType.DEFAULT_4XX, ...malformed },
  { type: ResponseType.DEFAULT_5XX, ...broken },
  { type: ResponseType.EXPIRED_TOKEN, ...unauthorized },
  { type: ResponseType.INTEGRATION_FAILURE, ...unavailable },
  { type: ResponseType.INTEGRATION_TIMEOUT, ...unavailable },
  { type: ResponseType.INVALID_API_KEY, ...refused },
  { type: ResponseType.INVALID_SIGNATURE, ...unauthorized },
  // Also what a path without any resource gives.
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, ...unknown },
  { type: ResponseType.QUOTA_EXCEEDED, ...throttled },
  {
    type: ResponseType.REQUEST_TOO_LARGE,
    status: 413,
    error: 'payload_too_large',
    message: 'The request body is too large.',
  },
  { type: ResponseType.RESOURCE_NOT_FOUND, ...unknown },
  { type: ResponseType.THROTTLED, ...throttled },
  { type: ResponseType.UNAUTHORIZED, ...unauthorized },
  {
    type: ResponseType.UNSUPPORTED_MEDIA_TYPE,
    status: 415,
    error: 'unsupported_media_type',
    message: 'The body must be JSON.',
  },
  { type: ResponseType.WAF_FILTERED, ...refused },
];

/** Nothing was counted, so the limit is stated as spent: `Reset` 0 is a moment that has passed. */
export const notCounted = {
  /** Where not even the request has an id. */
  requestId: 'none',
  headers: {
    'X-RateLimit-Limit': '0',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '0',
    'X-RateLimit-Policy': '0;w=1;comment=not_counted',
  },
} as const;

const headers = {
  'X-Request-Id': 'context.requestId',
  ...Object.fromEntries(Object.entries(notCounted.headers).map(([name, value]) => [name, `'${value}'`])),
};

/** Gives the API these responses. */
export function addGatewayResponses(api: RestApi): void {
  for (const { type, status, error, message, retryAfterSeconds } of ownResponses) {
    const pause = retryAfterSeconds === undefined ? {} : { retry_after: retryAfterSeconds };
    api.addGatewayResponse(`Response${type.responseType}`, {
      type,
      statusCode: String(status),
      responseHeaders: {
        ...headers,
        ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': `'${retryAfterSeconds}'` }),
        ...(status === 401 ? { 'WWW-Authenticate': "'Bearer'" } : {}),
      },
      templates: {
        'application/json': JSON.stringify({ error, message, request_id: '$context.requestId', ...pause }),
      },
    });
  }
}
