/**
 * The one way in for every HTTP function: authenticate → count → parse → operation, and on the way out, whatever
 * happened, the request id, the rate-limit headers, one form of error and one line of log (contract, section 1).
 */
import { randomUUID } from 'node:crypto';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { GatewayError } from '../contract/errors.ts';
import type { Route } from '../contract/routes.ts';
import type { Operation } from '../operation/operation.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { log } from '../platform/log.ts';
import { countFunctionFailure } from '../platform/metrics.ts';
import { type Decision, retryAfterSeconds } from '../rate-limit/decision.ts';
import { rateLimitHeaders, uncountedHeaders } from '../rate-limit/headers.ts';
import type { RateLimiter } from '../rate-limit/limiter.ts';
import {
  type Authenticator,
  authenticateByAddress,
  type Identity,
  type IncomingRequest,
} from './authenticate.ts';
import { type BodyFormat, readBody } from './request-body.ts';
import { requestGuards } from './request-guards.ts';
import { type Answer, asGatewayError, errorAnswer, successAnswer, unavailable } from './response.ts';
import { assertWellFormedTexts } from './well-formed.ts';

interface HttpOptions {
  /** Media types that the operation reads: JSON alone where not given, nothing where empty. */
  readonly formats?: readonly BodyFormat[];
  /** Headers of every answer of this function. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Errors also in the words of RFC 6749. */
  readonly oauthErrors?: boolean;
  /** Where the caller is not known by a bearer token. */
  readonly authenticate?: Authenticator;
  readonly dependencies?: HttpDependencies;
}

/** What the stack needs of the world; a test passes its own. */
export interface HttpDependencies {
  readonly limiter: RateLimiter;
  readonly authenticateBearer: (scope: NonNullable<Route['scope']>) => Authenticator;
  readonly clock: Clock;
  /** An id that no caller can foresee or choose. */
  readonly newWorkId: () => string;
  readonly writeLog: (level: 'info' | 'error', fields: Record<string, unknown>) => void;
}

export type HttpFunction = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** Left of the function's time when it gives up, to answer 503 instead of being cut off. */
const deadlineMarginMs = 500;

/** RFC 9110, section 9.3: content in such a request has no meaning. */
const bodilessMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/** A request on its way through the stack. */
interface RequestContext {
  readonly incoming: IncomingRequest;
  /** For the log and the answer's header alone. */
  readonly requestId: string;
  readonly workId: string;
  identity?: Identity;
  decision?: Decision;
  body?: unknown;
  logged: Readonly<Record<string, unknown>>;
}

export function httpFunction(route: Route, operation: Operation, options: HttpOptions = {}): HttpFunction {
  const { limiter, clock, newWorkId, writeLog, ...dependencies } =
    options.dependencies ?? productionDependencies();
  const authenticate =
    options.authenticate ??
    (route.scope === null ? authenticateByAddress : dependencies.authenticateBearer(route.scope));
  const requestContexts = new WeakMap<APIGatewayProxyEvent, RequestContext>();

  const pipeline = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .before(({ event }) => {
      requestContexts.set(event, readEvent(event, clock(), newWorkId()));
    })
    .before(async ({ event, context }) => {
      const requestContext = contextOf(event);
      requestContext.identity = await beforeDeadline(
        context,
        orUnavailable(authenticate(requestContext.incoming)),
      );
    })
    .before(async ({ event, context }) => {
      const requestContext = contextOf(event);
      const { subject, caller, refusal } = identityOf(requestContext);
      requestContext.logged = { client_id: caller?.clientId };
      requestContext.decision = await beforeDeadline(
        context,
        orUnavailable(limiter.check(subject, route.policy, requestContext.incoming.now)),
      );
      if (!requestContext.decision.admitted)
        throw tooManyRequests(requestContext.decision, requestContext.incoming.now);
      if (refusal !== undefined) throw refusal;
    })
    .before(({ event }) => {
      const requestContext = contextOf(event);
      assertReadable(event);
      if (bodilessMethods.has(event.httpMethod)) return;
      requestContext.body = readBody(requestContext.incoming.rawBody, options.formats ?? ['json']);
    })
    .handler(async (event: APIGatewayProxyEvent, context: Context) => {
      const { incoming, workId, identity, body } = contextOf(event);
      const response = await beforeDeadline(
        context,
        operation({
          workId,
          route,
          method: event.httpMethod,
          path: event.path,
          pathParameters: definedValues(event.pathParameters),
          query: definedValues(event.queryStringParameters),
          headers: incoming.headers,
          body,
          rawBody: incoming.rawBody.bytes.toString('utf8'),
          sourceIp: incoming.sourceIp,
          caller: identity?.caller,
          now: incoming.now,
        }),
      );
      contextOf(event).logged = { ...contextOf(event).logged, ...response.log };
      return respond(event, successAnswer(response));
    })
    .onError((request) => {
      const requestContext = contextOf(request.event);
      const error = asGatewayError(request.error);
      requestContext.logged = { ...requestContext.logged, error: error.code, cause: error.cause };
      request.response = respond(
        request.event,
        errorAnswer(error, requestContext.requestId, options.oauthErrors === true),
      );
    });
  return async (event, context) => await pipeline(event, context);

  function contextOf(event: APIGatewayProxyEvent): RequestContext {
    const requestContext = requestContexts.get(event);
    if (requestContext === undefined) throw new Error('the request did not arrive');
    return requestContext;
  }

  function respond(event: APIGatewayProxyEvent, answer: Answer): APIGatewayProxyResult {
    const { requestId, incoming, decision, logged } = contextOf(event);
    writeLog(answer.status >= 500 ? 'error' : 'info', {
      request_id: requestId,
      method: event.httpMethod,
      path: event.path,
      status: answer.status,
      duration_ms: clock().getTime() - incoming.now.getTime(),
      source_ip: incoming.sourceIp,
      policy: route.policy,
      remaining: decision?.binding.remaining,
      ...logged,
    });
    if (answer.status >= 500) countFunctionFailure();
    const limits =
      decision === undefined
        ? uncountedHeaders(route.policy, incoming.now)
        : rateLimitHeaders(decision, incoming.now);
    return {
      statusCode: answer.status,
      // A refusal may speak of a limit of its own, as that of sends to one recipient does.
      headers: { ...limits, ...answer.headers, ...options.headers, 'X-Request-Id': requestId },
      body: answer.body,
      isBase64Encoded: answer.isBase64,
    };
  }
}

function productionDependencies(): HttpDependencies {
  return {
    ...requestGuards(),
    clock: systemClock,
    newWorkId: randomUUID,
    writeLog: (level, fields) => log[level]('request', fields),
  };
}

function readEvent(event: APIGatewayProxyEvent, now: Date, workId: string): RequestContext {
  const headers = Object.fromEntries(
    Object.entries(definedValues(event.headers)).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  const { requestId, identity } = event.requestContext;
  const rawBody = { bytes, contentType: headers['content-type'] };
  return {
    requestId: shownRequestId(requestId, workId),
    workId,
    incoming: { headers, rawBody, sourceIp: identity.sourceIp, now },
    logged: {},
  };
}

/** A caller may set it (`x-amzn-RequestId`): shown while it has the form of an id, else the work's own is. */
function shownRequestId(given: unknown, workId: string): string {
  return typeof given === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(given) ? given : workId;
}

/** No id of ours is longer. */
const pathParameterLengthMax = 128;

/** @throws GatewayError where a text is not well-formed, or a path parameter can be the id of nothing. */
function assertReadable(event: APIGatewayProxyEvent): void {
  assertWellFormedTexts(
    event.headers,
    event.multiValueHeaders,
    event.queryStringParameters,
    event.multiValueQueryStringParameters,
    event.pathParameters,
    // As text only where API Gateway did not pass on the bytes.
    event.isBase64Encoded ? undefined : { body: event.body ?? undefined },
  );
  const { proxy: _rest, ...ids } = definedValues(event.pathParameters);
  if (Object.values(ids).some((id) => id.length > pathParameterLengthMax)) {
    throw new GatewayError('not_found', 'There is nothing at this path.');
  }
}

function identityOf(requestContext: RequestContext): Identity {
  if (requestContext.identity === undefined) throw new Error('the request was not identified');
  return requestContext.identity;
}

function tooManyRequests(decision: Decision, now: Date): GatewayError {
  const seconds = retryAfterSeconds(decision, now);
  const { limit, window } = decision.binding;
  const text = `The limit of ${limit} requests a ${window} is used up. Try again in ${seconds} seconds.`;
  return new GatewayError('rate_limit_exceeded', text, { retryAfterSeconds: seconds });
}

/** Nothing is let in that could not be identified and counted: what fails there is an outage, not a fault of the request. */
async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw unavailable(cause);
  }
}

async function beforeDeadline<T>(context: Context, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    const refuse = (): void =>
      reject(new GatewayError('service_unavailable', 'The request took too long. Try again soon.'));
    timer = setTimeout(refuse, Math.max(0, context.getRemainingTimeInMillis() - deadlineMarginMs));
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

function definedValues(values: Readonly<Record<string, string | undefined>> | null): Record<string, string> {
  const defined = Object.entries(values ?? {}).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(defined);
}
