/**
 * Makes an HTTP function of an operation: the list of steps that each request passes through, in the same order for
 * every function (contract, section 1).
 */
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Route, Scope } from '../contract/routes.ts';
import type { ApiRequest, Operation } from '../operation/operation.ts';
import type { Clock } from '../platform/clock.ts';
import type { RateLimiter } from '../rate-limit/limiter.ts';
import { type Authenticator, authenticate } from './authenticate.ts';
import { checkText } from './check-text.ts';
import { countRequest } from './count-request.ts';
import { beforeDeadline } from './deadline.ts';
import { encodeResponse } from './encode-response.ts';
import { type BodyFormat, parseRequestBody } from './request-body.ts';
import { definedValues, type HttpResponse, type RequestContext, requestContext } from './request-context.ts';
import { requestLog, type WriteLog } from './request-log.ts';
import { errorResponse, successResponse } from './response.ts';
import { responseHeaders } from './response-headers.ts';

export interface PublicHttpDependencies {
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  /** An id that no caller can foresee or choose. */
  readonly newWorkId: () => string;
  readonly writeLog: WriteLog;
}

export interface HttpDependencies extends PublicHttpDependencies {
  readonly authenticateBearer: (scope: Scope) => Authenticator;
  /** Starts to read what the rate check of a client needs, while the caller is identified; returns at once. */
  readonly prepare: () => void;
}

interface HttpOptions<Dependencies> {
  readonly dependencies: Dependencies;
  /** Media types that the operation accepts: JSON by default; an empty list ignores the body. */
  readonly formats?: readonly BodyFormat[];
  /** Headers of every response of this function. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Errors also have the fields of RFC 6749. */
  readonly oauthErrors?: boolean;
}

interface PublicHttpOptions extends HttpOptions<PublicHttpDependencies> {
  /** By default a request has no caller. */
  readonly authenticate?: Authenticator;
}

export type HttpFunction = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** For a route that needs a bearer token or an API key. */
export function httpFunction(
  route: Route & { readonly scope: Scope },
  operation: Operation,
  options: HttpOptions<HttpDependencies>,
): HttpFunction {
  const { authenticateBearer, prepare } = options.dependencies;
  const run = pipeline(route, operation, authenticateBearer(route.scope), options);
  return (event, context) => {
    prepare();
    return run(event, context);
  };
}

/** For a route without a bearer token: a request counts against its source address. */
export function publicHttpFunction(
  route: Route & { readonly scope: null },
  operation: Operation,
  options: PublicHttpOptions,
): HttpFunction {
  return pipeline(route, operation, options.authenticate ?? sourceAddressOnly, options);
}

/** What needed a credential is nobody else's. */
const noStore = { 'Cache-Control': 'no-store' };

const sourceAddressOnly: Authenticator = async ({ sourceIp }) => ({
  subject: { kind: 'address', address: sourceIp },
});

function pipeline(
  route: Route,
  operation: Operation,
  authenticator: Authenticator,
  {
    dependencies,
    formats = ['json'],
    headers = {},
    oauthErrors = false,
  }: HttpOptions<PublicHttpDependencies>,
): HttpFunction {
  const { limiter, clock, newWorkId, writeLog } = dependencies;
  const steps = middy<RequestContext, HttpResponse>()
    // On the way back, from the last to the first:
    .use(encodeResponse())
    .use(requestLog(writeLog, route.policy, clock))
    .use(responseHeaders(route.policy, route.scope === null ? headers : { ...noStore, ...headers }))
    .use(errorResponse(oauthErrors))
    // On the way in:
    .use(authenticate(authenticator))
    .use(countRequest(limiter, route.policy))
    .use(checkText())
    .use(parseRequestBody(formats))
    .handler(async (request: RequestContext, context: Context) => {
      const response = await beforeDeadline(context, operation(apiRequest(route, request)));
      request.logged = { ...response.log };
      return successResponse(response);
    });
  return (event, context) => steps(requestContext(event, clock(), newWorkId()), context);
}

function apiRequest(
  route: Route,
  { event, incoming, workId, identity, body, query, unknownFields }: RequestContext,
): ApiRequest {
  return {
    workId,
    route,
    method: event.httpMethod,
    path: event.path,
    pathParameters: definedValues(event.pathParameters),
    query,
    headers: incoming.headers,
    body,
    rawBody: incoming.rawBody.bytes.toString('utf8'),
    unknownFields,
    sourceIp: incoming.sourceIp,
    caller: identity.caller,
    now: incoming.now,
  };
}
