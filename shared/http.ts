/**
 * The one way in for every HTTP function: authenticate → count → parse → operation, and on the way out, whatever
 * happened, the request id, the rate-limit headers, one form of error and one line of log (contract, section 1).
 */
import { randomUUID } from 'node:crypto';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Operation } from './api.ts';
import { type Clock, systemClock } from './clock.ts';
import { GatewayError } from './errors.ts';
import { type Answer, asGatewayError, errorAnswer, successAnswer, unavailable } from './http/answer.ts';
import { type BodyFormat, readBody } from './http/body.ts';
import { gateParts } from './http/gate.ts';
import { type Arrival, type Identify, type Identity, identifyAddress } from './http/identity.ts';
import { assertWellFormedTexts } from './http/well-formed.ts';
import { log } from './log.ts';
import { countFunctionFailure } from './metrics.ts';
import { type Decision, retryAfterSeconds } from './rate-limit/decision.ts';
import { rateLimitHeaders, uncountedHeaders } from './rate-limit/headers.ts';
import type { RateLimiter } from './rate-limit/limiter.ts';
import type { Route } from './routes.ts';

interface HttpOptions {
  /** Media types that the operation reads: JSON alone where not given, nothing where empty. */
  readonly formats?: readonly BodyFormat[];
  /** Headers of every answer of this function. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Errors also in the words of RFC 6749. */
  readonly oauthErrors?: boolean;
  /** Where the caller is not known by a bearer token. */
  readonly identify?: Identify;
  readonly parts?: HttpParts;
}

/** What the stack needs of the world; a test passes its own. */
export interface HttpParts {
  readonly limiter: RateLimiter;
  readonly identifyBearer: (scope: NonNullable<Route['scope']>) => Identify;
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
interface Exchange {
  readonly arrival: Arrival;
  /** For the log and the answer's header alone. */
  readonly requestId: string;
  readonly workId: string;
  identity?: Identity;
  decision?: Decision;
  body?: unknown;
  logged: Readonly<Record<string, unknown>>;
}

export function httpFunction(route: Route, operation: Operation, options: HttpOptions = {}): HttpFunction {
  const { limiter, clock, newWorkId, writeLog, ...parts } = options.parts ?? productionParts();
  const identify =
    options.identify ?? (route.scope === null ? identifyAddress : parts.identifyBearer(route.scope));
  const exchanges = new WeakMap<APIGatewayProxyEvent, Exchange>();

  const stack = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .before(({ event }) => {
      exchanges.set(event, arrive(event, clock(), newWorkId()));
    })
    .before(async ({ event, context }) => {
      const exchange = exchangeOf(event);
      exchange.identity = await beforeDeadline(context, orUnavailable(identify(exchange.arrival)));
    })
    .before(async ({ event, context }) => {
      const exchange = exchangeOf(event);
      const { subject, caller, refusal } = identityOf(exchange);
      exchange.logged = { client_id: caller?.clientId };
      exchange.decision = await beforeDeadline(
        context,
        orUnavailable(limiter.check(subject, route.policy, exchange.arrival.now)),
      );
      if (!exchange.decision.admitted) throw tooManyRequests(exchange.decision, exchange.arrival.now);
      if (refusal !== undefined) throw refusal;
    })
    .before(({ event }) => {
      const exchange = exchangeOf(event);
      assertReadable(event);
      if (bodilessMethods.has(event.httpMethod)) return;
      exchange.body = readBody(exchange.arrival.rawBody, options.formats ?? ['json']);
    })
    .handler(async (event: APIGatewayProxyEvent, context: Context) => {
      const { arrival, workId, identity, body } = exchangeOf(event);
      const response = await beforeDeadline(
        context,
        operation({
          workId,
          route,
          method: event.httpMethod,
          path: event.path,
          pathParameters: definedValues(event.pathParameters),
          query: definedValues(event.queryStringParameters),
          headers: arrival.headers,
          body,
          rawBody: arrival.rawBody.bytes.toString('utf8'),
          sourceIp: arrival.sourceIp,
          caller: identity?.caller,
          now: arrival.now,
        }),
      );
      exchangeOf(event).logged = { ...exchangeOf(event).logged, ...response.log };
      return leave(event, successAnswer(response));
    })
    .onError((request) => {
      const exchange = exchangeOf(request.event);
      const error = asGatewayError(request.error);
      exchange.logged = { ...exchange.logged, error: error.code, cause: error.cause };
      request.response = leave(
        request.event,
        errorAnswer(error, exchange.requestId, options.oauthErrors === true),
      );
    });
  return async (event, context) => await stack(event, context);

  function exchangeOf(event: APIGatewayProxyEvent): Exchange {
    const exchange = exchanges.get(event);
    if (exchange === undefined) throw new Error('the request did not arrive');
    return exchange;
  }

  function leave(event: APIGatewayProxyEvent, answer: Answer): APIGatewayProxyResult {
    const { requestId, arrival, decision, logged } = exchangeOf(event);
    writeLog(answer.status >= 500 ? 'error' : 'info', {
      request_id: requestId,
      method: event.httpMethod,
      path: event.path,
      status: answer.status,
      duration_ms: clock().getTime() - arrival.now.getTime(),
      source_ip: arrival.sourceIp,
      policy: route.policy,
      remaining: decision?.binding.remaining,
      ...logged,
    });
    if (answer.status >= 500) countFunctionFailure();
    const limits =
      decision === undefined
        ? uncountedHeaders(route.policy, arrival.now)
        : rateLimitHeaders(decision, arrival.now);
    return {
      statusCode: answer.status,
      // A refusal may speak of a limit of its own, as that of sends to one recipient does.
      headers: { ...limits, ...answer.headers, ...options.headers, 'X-Request-Id': requestId },
      body: answer.body,
      isBase64Encoded: answer.isBase64,
    };
  }
}

function productionParts(): HttpParts {
  return {
    ...gateParts(),
    clock: systemClock,
    newWorkId: randomUUID,
    writeLog: (level, fields) => log[level]('request', fields),
  };
}

function arrive(event: APIGatewayProxyEvent, now: Date, workId: string): Exchange {
  const headers = Object.fromEntries(
    Object.entries(definedValues(event.headers)).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  const { requestId, identity } = event.requestContext;
  const rawBody = { bytes, contentType: headers['content-type'] };
  return {
    requestId: shownRequestId(requestId, workId),
    workId,
    arrival: { headers, rawBody, sourceIp: identity.sourceIp, now },
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

function identityOf(exchange: Exchange): Identity {
  if (exchange.identity === undefined) throw new Error('the request was not identified');
  return exchange.identity;
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
