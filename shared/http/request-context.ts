/** A request in the pipeline of an HTTP function, with the values that each step reads and adds. */

import { BlockList, isIP } from 'node:net';
import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { TrustedProxies } from '../contract/api.ts';
import type { GatewayError } from '../contract/errors.ts';
import type { Decision } from '../limit/decision.ts';
import type { Subject } from '../limit/subject.ts';
import type { Caller } from '../operation/operation.ts';
import { type Deadline, deadlineIn } from '../platform/deadline.ts';

export interface RawBody {
  /** As the caller sent them: API Gateway's base64 is decoded. */
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  readonly contentEncoding?: string | undefined;
}

export interface IncomingRequest {
  readonly method: string;
  readonly path: string;
  /** The parameters by name. The values of a repeated parameter are joined by commas, as in headers. */
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: RawBody;
  /** The address of the caller, also behind a trusted proxy. */
  readonly sourceIp: string;
  readonly now: Date;
}

export interface Identity {
  /** Undefined if the request is not counted: the verified callback of a carrier. */
  readonly subject: Subject | undefined;
  readonly caller?: Caller;
  readonly refusal?: GatewayError;
}

export interface RequestContext {
  readonly event: APIGatewayProxyEvent;
  readonly incoming: IncomingRequest;
  /** For the log and the `X-Request-Id` header only: a caller can choose it. */
  readonly requestId: string;
  readonly workId: string;
  /** Rejects shortly before Lambda would stop the function. */
  readonly deadline: Promise<never>;
  /** The source address until a credential names a client. */
  identity: Identity;
  /** Undefined until the request is counted. */
  decision: Decision | undefined;
  /** Undefined until it is parsed, or if there is none. */
  body: unknown;
  /** Fields of the log line that come from the operation or from the error. */
  logged: Readonly<Record<string, unknown>>;
}

export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** A step of the pipeline. middy runs `before` in the order of the list, `after` and `onError` in reverse order. */
export type Step = MiddlewareObj<RequestContext, HttpResponse>;

export function requestContext(
  event: APIGatewayProxyEvent,
  now: Date,
  workId: string,
  deadline: Promise<never>,
  addressOf: CallerAddress = callerAddress(undefined),
): RequestContext {
  const headers = Object.fromEntries(
    Object.entries(definedValues(event.headers)).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  const query = queryOf(event);
  const { requestId, identity } = event.requestContext;
  const sourceIp = addressOf(identity.sourceIp, headers);
  const rawBody = {
    bytes,
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
  };
  return {
    event,
    incoming: { method: event.httpMethod, path: event.path, query, headers, rawBody, sourceIp, now },
    requestId: isRequestId(requestId) ? requestId : workId,
    workId,
    deadline,
    identity: { subject: { kind: 'address', address: sourceIp } },
    decision: undefined,
    body: undefined,
    logged: {},
  };
}

/**
 * Returns the parameters of a query, including repeated ones. API Gateway's own record contains only the last value:
 * `dry_run=true&dry_run=false` would send.
 */
function queryOf({
  queryStringParameters,
  multiValueQueryStringParameters,
}: APIGatewayProxyEvent): Record<string, string> {
  const parameters = Object.entries(definedValues(queryStringParameters)).map(([name, value]) => [
    name,
    [...new Set(multiValueQueryStringParameters?.[name] ?? [value])].join(','),
  ]);
  return Object.fromEntries(parameters);
}

/** True if the id has the form of AWS's request ids: a caller may set it (`x-amzn-RequestId`) to anything. */
function isRequestId(given: unknown): given is string {
  return typeof given === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(given);
}

/** Makes a step that runs before the operation. If it throws, the request is refused. */
export function onRequest(work: (request: RequestContext) => void | Promise<void>): Step {
  return { before: ({ event: request }) => work(request) };
}

/** Makes a step that may replace every response, of the operation or of an error. */
export function onEveryResponse(
  change: (request: RequestContext, response: HttpResponse) => HttpResponse,
): Step {
  const apply: Step['after'] = (request) => {
    if (request.response) request.response = change(request.event, request.response);
  };
  return { after: apply, onError: apply };
}

export function definedValues(
  values: Readonly<Record<string, string | undefined>> | null,
): Record<string, string> {
  const defined = Object.entries(values ?? {}).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(defined);
}

const deadlineMarginMs = 500;

/** Starts the deadline, shortly before Lambda would stop the function. */
export function deadlineOf(context: Pick<Context, 'getRemainingTimeInMillis'>): Deadline {
  return deadlineIn(Math.max(0, context.getRemainingTimeInMillis() - deadlineMarginMs));
}

/** Answers 503 when the deadline is reached before the work is done. @throws GatewayError `service_unavailable` */
export function beforeDeadline<T>({ deadline }: RequestContext, work: Promise<T>): Promise<T> {
  return Promise.race([work, deadline]);
}

/**
 * Returns the address that a request counts against if no client is known: the source address, or the address that a
 * trusted proxy names. Ignores the header if the caller sends it past the proxies, or if it is not an address.
 */
export type CallerAddress = (sourceIp: string, headers: Readonly<Record<string, string>>) => string;

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * Returns a function that finds the caller's address from the source address and the headers, whose names are in
 * lower case.
 */
export function callerAddress(proxies: TrustedProxies | undefined): CallerAddress {
  if (proxies === undefined) return (sourceIp) => sourceIp;
  const trusted = new BlockList();
  for (const block of proxies.addresses) {
    const [address = '', bits] = block.split('/');
    trusted.addSubnet(address, Number(bits), family(address));
  }
  const header = proxies.header.toLowerCase();
  return (sourceIp, headers) => {
    const named = headers[header]?.trim() ?? '';
    const isNamedByProxy = isIP(sourceIp) !== 0 && trusted.check(sourceIp, family(sourceIp));
    return isNamedByProxy && isIP(named) !== 0 ? named : sourceIp;
  };
}
