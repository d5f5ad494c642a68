/**
 * The responses that API Gateway itself generates. They have the usual error body and headers, with static values (contract
 * 1.1).
 */
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import {
  errorBody,
  GatewayError,
  nothingAtPathText,
  rateLimitExceeded,
} from '../../../shared/contract/errors.ts';

const refused = new GatewayError('forbidden', 'The request was refused.');
const unauthorized = new GatewayError('unauthorized', 'Valid credentials are required.');
const broken = new GatewayError('internal_error', 'The request could not be handled.');
const unavailable = new GatewayError(
  'service_unavailable',
  'The service is busy; the request may be repeated.',
);
const malformed = new GatewayError('invalid_request', 'The request is malformed.');
const unknown = new GatewayError('not_found', nothingAtPathText);
const throttled = rateLimitExceeded('Too many requests.', 1);

/** Every current response type. The two default responses apply to types that AWS adds later. */
export const ownResponses: readonly { readonly type: ResponseType; readonly error: GatewayError }[] = [
  { type: ResponseType.ACCESS_DENIED, error: refused },
  { type: ResponseType.API_CONFIGURATION_ERROR, error: broken },
  { type: ResponseType.AUTHORIZER_CONFIGURATION_ERROR, error: broken },
  { type: ResponseType.AUTHORIZER_FAILURE, error: broken },
  { type: ResponseType.BAD_REQUEST_BODY, error: malformed },
  { type: ResponseType.BAD_REQUEST_PARAMETERS, error: malformed },
  { type: ResponseType.DEFAULT_4XX, error: malformed },
  { type: ResponseType.DEFAULT_5XX, error: broken },
  { type: ResponseType.EXPIRED_TOKEN, error: unauthorized },
  { type: ResponseType.INTEGRATION_FAILURE, error: unavailable },
  { type: ResponseType.INTEGRATION_TIMEOUT, error: unavailable },
  { type: ResponseType.INVALID_API_KEY, error: refused },
  { type: ResponseType.INVALID_SIGNATURE, error: unauthorized },
  // API Gateway sends this response for unknown paths, too.
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, error: unknown },
  { type: ResponseType.QUOTA_EXCEEDED, error: throttled },
  {
    type: ResponseType.REQUEST_TOO_LARGE,
    error: new GatewayError('payload_too_large', 'The request body is too large.'),
  },
  { type: ResponseType.RESOURCE_NOT_FOUND, error: unknown },
  { type: ResponseType.THROTTLED, error: throttled },
  { type: ResponseType.UNAUTHORIZED, error: unauthorized },
  {
    type: ResponseType.UNSUPPORTED_MEDIA_TYPE,
    error: new GatewayError('unsupported_media_type', 'The body must be JSON.'),
  },
  { type: ResponseType.WAF_FILTERED, error: refused },
];

/** The values for a request that was not counted: a limit of 0, and a `Reset` in the past. */
export const notCounted = {
  /** Some malformed requests have no request id. */
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

/**
 * Returns the responses by type, for the API's body. If they were separate resources, every import of a body would delete
 * them.
 */
export function gatewayResponses(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    ownResponses.map(({ type, error }) => [type.responseType, gatewayResponse(error)]),
  );
}

function gatewayResponse(error: GatewayError) {
  const { status, retryAfterSeconds } = error;
  const sent = {
    ...headers,
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': `'${retryAfterSeconds}'` }),
    ...(status === 401 ? { 'WWW-Authenticate': "'Bearer'" } : {}),
  };
  return {
    statusCode: String(status),
    responseParameters: Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [`gatewayresponse.header.${name}`, value]),
    ),
    responseTemplates: { 'application/json': JSON.stringify(errorBody(error, '$context.requestId')) },
  };
}
