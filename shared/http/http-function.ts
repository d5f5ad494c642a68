/**
 * Makes an HTTP function of an operation: the list of steps that each request passes through, in the same order for
 * every function (contract 1.1).
 */
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { GatewayError, maintenance, rateLimitExceeded } from '../contract/errors.ts';
import type { PolicyName } from '../contract/rate-limits-and-caps.ts';
import { failingSends, type Route, type RouteName, routes, type Scope } from '../contract/routes.ts';
import { type Decision, rateLimitHeaders, retryAfterSeconds, uncountedHeaders } from '../limit/decision.ts';
import type { RateLimiter } from '../limit/limiter.ts';
import type { ApiRequest, Operation } from '../operation/operation.ts';
import type { Clock } from '../platform/clock.ts';
import { countMetric } from '../platform/log.ts';
import { type Authenticator, authenticate } from './authenticate.ts';
import { type BodyFormat, checkText, parseRequestBody } from './request-body.ts';
import {
  beforeDeadline,
  type CallerAddress,
  deadlineOf,
  definedValues,
  type HttpResponse,
  onEveryResponse,
  onRequest,
  type RequestContext,
  requestContext,
  type Step,
} from './request-context.ts';
import { encodeResponse, errorResponse, orUnavailable, successResponse } from './response.ts';

export interface PublicHttpDependencies {
  readonly limiter: RateLimiter;
  /** The address of the caller; by default the source address. */
  readonly addressOf?: CallerAddress | undefined;
  readonly clock: Clock;
  /** An id that no caller can foresee or choose. */
  readonly newWorkId: () => string;
  readonly writeLog: WriteLog;
  /** The gateway's own address, without a slash at its end. */
  readonly baseUrl: string;
  /**
   * Resolves to true while the tables are being restored, which refuses all requests; absent if the function reads no
   * tables.
   */
  readonly inMaintenance?: (() => Promise<boolean>) | undefined;
}

export interface HttpDependencies extends PublicHttpDependencies {
  readonly authenticateBearer: (scope: Scope) => Authenticator;
  /** Starts the reads for a client's rate check while the caller is still being identified; returns at once. */
  readonly prepare: () => void;
}

interface HttpOptions<Dependencies> {
  readonly dependencies: Dependencies;
  /** Media types that the operation accepts: JSON by default; an empty list ignores the body. */
  readonly formats?: readonly BodyFormat[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Errors also have the fields of RFC 6749. */
  readonly oauthErrors?: boolean;
}

interface PublicHttpOptions extends HttpOptions<PublicHttpDependencies> {
  /** Identifies the caller; by default a request has none. */
  readonly authenticate?: Authenticator;
}

export type HttpFunction = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

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

/** Makes the function of a route without a bearer token: a request counts against its source address. */
export function publicHttpFunction(
  route: Route & { readonly scope: null },
  operation: Operation,
  options: PublicHttpOptions,
): HttpFunction {
  return pipeline(route, operation, options.authenticate ?? sourceAddressOnly, options);
}

/** Authenticated responses must not be cached. */
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
  const { limiter, addressOf, clock, newWorkId, writeLog, baseUrl, inMaintenance } = dependencies;
  const steps = middy<RequestContext, HttpResponse>()
    // On the way back, from the last to the first:
    .use(encodeResponse())
    .use(requestLog(writeLog, route, clock))
    .use(responseHeaders(route.policy, route.scope === null ? headers : { ...noStore, ...headers }))
    .use(errorResponse(baseUrl, oauthErrors))
    // On the way in:
    .use(refuseInMaintenance(inMaintenance))
    .use(authenticate(authenticator))
    .use(countRequest(limiter, route.policy))
    .use(checkText())
    .use(parseRequestBody(formats))
    .handler(async (request: RequestContext) => {
      const response = await beforeDeadline(request, operation(apiRequest(route, request)));
      request.logged = { ...response.log };
      return successResponse(response);
    });
  return async (event, context) => {
    const deadline = deadlineOf(context);
    try {
      const request = requestContext(event, clock(), newWorkId(), deadline.reached, addressOf);
      return await deadline.run(() => steps(request, context));
    } finally {
      deadline.clear();
    }
  };
}

function apiRequest(route: Route, { event, incoming, workId, identity, body }: RequestContext): ApiRequest {
  return {
    workId,
    route,
    method: event.httpMethod,
    path: event.path,
    pathParameters: definedValues(event.pathParameters),
    query: incoming.query,
    headers: incoming.headers,
    body,
    rawBody: incoming.rawBody.bytes,
    sourceIp: incoming.sourceIp,
    caller: identity.caller,
    now: incoming.now,
  };
}

type ScopedRouteName = {
  [Name in RouteName]: (typeof routes)[Name]['scope'] extends Scope ? Name : never;
}[RouteName];

/**
 * Makes one Lambda function for several routes with the same permissions. Each request goes to the operation of its
 * route.
 */
export function httpFunctions(
  operations: Readonly<Partial<Record<ScopedRouteName, Operation>>>,
  dependencies: HttpDependencies,
): HttpFunction {
  const functions = new Map(
    (Object.entries(operations) as [ScopedRouteName, Operation][]).map(([name, operation]) => {
      const route: Route & { readonly scope: Scope } = routes[name];
      return [`${route.method} ${route.path}`, httpFunction(route, operation, { dependencies })];
    }),
  );
  return async (event, context) => {
    // HEAD is answered as GET.
    const method = event.httpMethod === 'HEAD' ? 'GET' : event.httpMethod;
    const found = functions.get(`${method} ${event.resource}`);
    if (found === undefined) throw new Error(`${method} ${event.resource} is not a route of this function`);
    return found(event, context);
  };
}

/**
 * Refuses requests during maintenance before anything else is read: the table of clients may be the one that is
 * restored.
 */
function refuseInMaintenance(inMaintenance: PublicHttpDependencies['inMaintenance']): Step {
  return onRequest(async (request) => {
    if (inMaintenance !== undefined && (await beforeDeadline(request, orUnavailable(inMaintenance()))))
      throw maintenance();
  });
}

/**
 * Counts a request against the limit of its client or source address, which the authenticator chose (`authenticate.ts`, for
 * tokens `authenticate-by-credentials.ts`), then throws the refusal of the authenticator, if there is one.
 */
export function countRequest(limiter: RateLimiter, policy: PolicyName): Step {
  return onRequest(async (request) => {
    const { now } = request.incoming;
    const { subject, refusal } = request.identity;
    if (subject === undefined) return;
    const decision = await beforeDeadline(request, orUnavailable(limiter.check(subject, policy, now)));
    request.decision = decision;
    if (decision.blocked) throw new GatewayError('forbidden', 'This client is blocked from this endpoint.');
    if (!decision.admitted) throw tooManyRequests(decision, now);
    if (refusal !== undefined) throw refusal;
  });
}

function tooManyRequests(decision: Decision, now: Date): GatewayError {
  const seconds = retryAfterSeconds(decision, now);
  const { limit, window } = decision.binding;
  return rateLimitExceeded(`The limit of ${limit} requests per ${window} is used up.`, seconds);
}

/** Writes one log line for each request. Counts a 5xx of a send, which Lambda's metric `Errors` takes for a success. */
type WriteLog = (level: 'info' | 'error', fields: Record<string, unknown>) => void;

function requestLog(writeLog: WriteLog, { policy, functionName }: Route, clock: Clock): Step {
  const isSend = failingSends.includes(functionName);
  return onEveryResponse((request, response) => {
    const { event, incoming, requestId, identity, decision, logged } = request;
    const failed = response.statusCode >= 500;
    writeLog(failed ? 'error' : 'info', {
      request_id: requestId,
      method: event.httpMethod,
      // The template of its route: the path itself may have a phone number.
      path: event.resource,
      status: response.statusCode,
      duration_ms: clock().getTime() - incoming.now.getTime(),
      source_ip: incoming.sourceIp,
      policy,
      remaining: decision?.binding.remaining,
      client_id: identity.caller?.clientId,
      ...logged,
    });
    if (failed && isSend) countMetric('SendFailed');
    return response;
  });
}

/** Adds the headers of every response: the rate limit, the function's own headers, and the request id. */
export function responseHeaders(policy: PolicyName, ofFunction: Readonly<Record<string, string>>): Step {
  return onEveryResponse(({ incoming, decision, requestId }, response) => {
    const limits =
      decision === undefined
        ? uncountedHeaders(policy, incoming.now)
        : rateLimitHeaders(decision, incoming.now);
    return {
      ...response,
      // The operation's own headers override the limits: a refusal may describe another limit, such as a recipient's.
      headers: {
        ...limits,
        ...response.headers,
        ...ofFunction,
        'X-Request-Id': requestId,
      },
    };
  });
}
