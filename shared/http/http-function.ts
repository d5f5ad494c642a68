/**
 * Creates an HTTP function from an operation. `answer` contains the steps of each request, in the same order for every
 * function (contract 1.1); `finish` completes every response, including refusals.
 */
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context as LambdaContext } from 'aws-lambda';
import { errorTexts, GatewayError, maintenance, rateLimitExceeded } from '../contract/errors.ts';
import { policies } from '../contract/rate-limits-and-caps.ts';
import { failingSends, type Route, type RouteName, routes, type Scope } from '../contract/routes.ts';
import type { authenticatedRequests, countedRequests } from '../contract/uses.ts';
import {
  checkRate,
  type Decision,
  rateLimitHeaders,
  retryAfterSeconds,
  type Subject,
  uncountedHeaders,
} from '../limit/limiter.ts';
import { inMaintenance, limitsOf, prepareLimits } from '../limit/overrides.ts';
import type { Operation } from '../operation/operation.ts';
import type { Context } from '../platform/context.ts';
import { deadlineIn } from '../platform/deadline.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { countMetric } from '../platform/log.ts';
import { authenticateBearer, type Identity } from './authenticate.ts';
import {
  type BodyFormat,
  callerAddress,
  checkTexts,
  type IncomingRequest,
  readBody,
  readRequest,
} from './read-request.ts';
import {
  asGatewayError,
  encodeResponse,
  errorResponse,
  type HttpResponse,
  loggedError,
  orUnavailable,
  successResponse,
} from './response.ts';

export type HttpFunction = (
  event: APIGatewayProxyEvent,
  lambda: LambdaContext,
) => Promise<APIGatewayProxyResult>;

/** Creates the function of a route that needs a token or an API key. Requests count towards the limits of their client. */
export function httpFunction(
  context: Context<keyof EnvironmentFor<typeof authenticatedRequests>>,
  route: Route & { readonly scope: Scope },
  operation: Operation,
): HttpFunction {
  const run = publicHttpFunction(context, route, operation, {
    authenticate: (request) => authenticateBearer(context, request, route.scope),
    overrides: context,
    // Authenticated responses must not be cached.
    headers: { 'Cache-Control': 'no-store' },
  });
  return (event, lambda) => {
    prepareLimits(context);
    return run(event, lambda);
  };
}

/** The state of a request between the steps. */
interface Handling {
  readonly event: APIGatewayProxyEvent;
  readonly request: IncomingRequest;
  readonly workId: string;
  /** Used only in the log and the `X-Request-Id` header, because a caller can choose it. */
  readonly requestId: string;
  /** Rejects shortly before Lambda would stop the function, even if the work is not done. */
  readonly inTime: <T>(work: Promise<T>) => Promise<T>;
  identity?: Identity;
  /** Undefined until the request is counted. */
  decision?: Decision;
  /** Fields that the operation or the error adds to the log line. */
  logged: Readonly<Record<string, unknown>>;
}

const deadlineMarginMs = 500;

/** Creates the function of a route, by default one without a bearer token. */
export function publicHttpFunction(
  context: Context<keyof EnvironmentFor<typeof countedRequests>>,
  route: Route,
  operation: Operation,
  options: {
    /** Identifies the caller. By default, a request counts by source address. */
    readonly authenticate?: (request: IncomingRequest) => Promise<Identity>;
    /** Supplies the limits of clients and the maintenance state; absent if the function reads no other table. */
    readonly overrides?: Context<'LIMIT_OVERRIDES_TABLE'>;
    /** The media types that the operation accepts; JSON by default. With an empty list, the body is ignored. */
    readonly formats?: readonly BodyFormat[];
    readonly headers?: Readonly<Record<string, string>>;
    /** True if errors also have the fields of RFC 6749. */
    readonly oauthErrors?: boolean;
  } = {},
): HttpFunction {
  const { authenticate = sourceAddressOnly, overrides, formats = ['json'], oauthErrors = false } = options;
  const { TOKEN_ISSUER: baseUrl, TRUSTED_PROXIES: proxies } = context.env;
  const addressOf = callerAddress(proxies);

  const handle = middy<Handling, HttpResponse>()
    .use({
      after: (done) => {
        if (done.response) done.response = finish(done.event, done.response);
      },
      onError: (failed) => {
        const error = asGatewayError(failed.error);
        failed.event.logged = { ...failed.event.logged, ...loggedError(error) };
        const response = errorResponse(error, failed.event.requestId, baseUrl, oauthErrors);
        failed.response = finish(failed.event, response);
      },
    })
    .handler(answer);

  return async (event, lambda) => {
    const deadline = deadlineIn(Math.max(0, lambda.getRemainingTimeInMillis() - deadlineMarginMs));
    const workId = context.newId();
    const { requestId } = event.requestContext;
    try {
      const handling: Handling = {
        event,
        request: readRequest(event, addressOf, context.clock()),
        workId,
        requestId: isRequestId(requestId) ? requestId : workId,
        inTime: (work) => Promise.race([work, deadline.reached]),
        logged: {},
      };
      return await deadline.run(() => handle(handling, lambda));
    } finally {
      deadline.clear();
    }
  };

  async function answer(handling: Handling): Promise<HttpResponse> {
    const { event, request, workId, inTime } = handling;
    // Maintenance is checked first, because a restore may be restoring the table of clients.
    if (overrides !== undefined && (await inTime(orUnavailable(inMaintenance(overrides)))))
      throw maintenance();
    handling.identity = await inTime(orUnavailable(authenticate(request)));
    const { subject, caller, refusal } = handling.identity;
    if (subject !== undefined) {
      handling.decision = await inTime(orUnavailable(count(subject, request.now)));
      assertAdmitted(handling.decision, request.now);
    }
    // A request from a refused caller counts too.
    if (refusal !== undefined) throw refusal;
    checkTexts(event);
    const body = readBody(request, formats);
    const response = await inTime(operation({ ...request, workId, route, caller, body }));
    handling.logged = { ...response.log };
    return successResponse(response);
  }

  async function count(subject: Subject, now: Date): Promise<Decision> {
    const limits =
      subject.kind === 'client' && overrides !== undefined
        ? await limitsOf(overrides, subject.clientId, route.policy)
        : policies[route.policy];
    return checkRate(context, subject, route.policy, limits, now);
  }

  function finish(handling: Handling, response: HttpResponse): HttpResponse {
    const { request, requestId, decision } = handling;
    const { now } = request;
    const headers = {
      ...(decision === undefined ? uncountedHeaders(route.policy, now) : rateLimitHeaders(decision, now)),
      // The operation's own headers override the limits, because a refusal may describe another limit, such as a
      // recipient's.
      ...response.headers,
      ...options.headers,
      'X-Request-Id': requestId,
    };
    logRequest(handling, response.statusCode);
    return encodeResponse(request.headers, { ...response, headers });
  }

  /** Writes one log line for each request. Counts a 5xx response to a send, because Lambda's metric `Errors` does not. */
  function logRequest({ event, request, requestId, identity, decision, logged }: Handling, status: number) {
    const failed = status >= 500;
    context.log[failed ? 'error' : 'info']('request', {
      request_id: requestId,
      method: request.method,
      // The route's template is logged, because the path itself may contain a phone number.
      path: event.resource,
      status,
      duration_ms: context.clock().getTime() - request.now.getTime(),
      source_ip: request.sourceIp,
      policy: route.policy,
      remaining: decision?.binding.remaining,
      client_id: identity?.caller?.clientId,
      ...logged,
    });
    if (failed && failingSends.includes(route.functionName)) countMetric('SendFailed');
  }
}

const sourceAddressOnly: (request: IncomingRequest) => Promise<Identity> = async ({ sourceIp }) => ({
  subject: { kind: 'address', address: sourceIp },
});

/** True if the id has the form of AWS's request ids. A caller may set the header (`x-amzn-RequestId`) to any text. */
function isRequestId(given: unknown): given is string {
  return typeof given === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(given);
}

/** @throws GatewayError `forbidden` or `rate_limit_exceeded` */
function assertAdmitted(decision: Decision, now: Date): void {
  if (decision.blocked) throw new GatewayError('forbidden', 'This client is blocked from this endpoint.');
  if (decision.admitted) return;
  const { limit, window } = decision.binding;
  const message = errorTexts.rate_limit_exceeded(limit, window);
  throw rateLimitExceeded(message, retryAfterSeconds(decision, now));
}

type ScopedRouteName = {
  [Name in RouteName]: (typeof routes)[Name]['scope'] extends Scope ? Name : never;
}[RouteName];

/**
 * Creates one Lambda function for several routes with the same permissions. Each request runs the operation of its route.
 */
export function httpFunctions(
  context: Context<keyof EnvironmentFor<typeof authenticatedRequests>>,
  operations: Readonly<Partial<Record<ScopedRouteName, Operation>>>,
): HttpFunction {
  const functions = new Map(
    (Object.entries(operations) as [ScopedRouteName, Operation][]).map(([name, operation]) => {
      const route: Route & { readonly scope: Scope } = routes[name];
      return [`${route.method} ${route.path}`, httpFunction(context, route, operation)];
    }),
  );
  return async (event, lambda) => {
    // A HEAD request is handled like GET.
    const method = event.httpMethod === 'HEAD' ? 'GET' : event.httpMethod;
    const found = functions.get(`${method} ${event.resource}`);
    if (found === undefined) throw new Error(`${method} ${event.resource} is not a route of this function`);
    return found(event, lambda);
  };
}
