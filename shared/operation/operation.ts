/** The request that an HTTP operation receives, authenticated, counted and parsed, and the response that it returns. */
import * as z from 'zod/mini';
import type { Client } from '../client/client.ts';
import { type FieldError, GatewayError, invalidFields } from '../contract/errors.ts';
import type { Route, Scope } from '../contract/routes.ts';
import { describeUnknown, faultsIn, fieldName, issueText, unknownIn } from './fields.ts';

/** `zod/mini` has no texts by default. */
z.config({ localeError: issueText });

/** The client that sent a request, and the scopes of its credential. */
export interface Caller {
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  /** The client's row, read at most 45 s ago. */
  readonly client: Client;
}

export interface ApiRequest {
  /**
   * Identifies this unit of work: new for each invocation, the same for all retries of the SDK within it. A caller can
   * choose the request id of API Gateway, so that id identifies nothing (contract 3.4).
   */
  readonly workId: string;
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; undefined if there is none. */
  readonly body: unknown;
  readonly rawBody: Buffer;
  readonly sourceIp: string;
  /** Undefined only if the route has no scope. */
  readonly caller: Caller | undefined;
  readonly now: Date;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value; or text or bytes, with a `Content-Type` header. */
  readonly body: unknown;
  /** Fields for the request's log line: ids, never a body, a secret or a whole phone number. */
  readonly log?: Readonly<Record<string, unknown>>;
}

export type Operation = (request: ApiRequest) => Promise<ApiResponse>;

export function requireCaller(request: { readonly caller: Caller | undefined }): Caller {
  if (request.caller === undefined) throw new Error('the route has no scope');
  return request.caller;
}

export const requiredField = 'This field is required.';

/** @throws GatewayError that names every invalid field at once. */
export function parseBody<S extends z.ZodMiniType>(
  schema: S,
  { body }: { readonly body: unknown },
): z.output<S> {
  return parseFields(schema, body);
}

/** Parses the body of an operation whose fields are all optional. Treats a missing body as an empty one. */
export function parseOptionalBody<S extends z.ZodMiniType>(
  schema: S,
  { body }: { readonly body: unknown },
): z.output<S> {
  return parseFields(schema, body ?? {});
}

/** @throws GatewayError that names every invalid and every unknown parameter at once. */
export function parseQuery<S extends z.ZodMiniType>(
  schema: S,
  { query }: { readonly query: ApiRequest['query'] },
): z.output<S> {
  return parseFields(schema, query, describeUnknown(unknownIn(schema, query), 'parameter'));
}

/**
 * Parses fields that do not come from a request, or that are read before the request is complete.
 *
 * @param refused - the faults that are already known
 * @throws GatewayError that names every invalid field at once.
 */
export function parseFields<S extends z.ZodMiniType>(
  schema: S,
  body: unknown,
  refused: readonly FieldError[] = [],
): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success && refused.length > 0) throw invalidFields(refused);
  if (parsed.success) return parsed.data;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new GatewayError('invalid_request', 'The request needs a body that is a JSON object.');
  }
  const details = new Map<string, FieldError>();
  for (const issue of parsed.error.issues.flatMap(faultsIn)) {
    const field = fieldName(issue.path);
    const missing = issue.code !== 'custom' && valueAt(body, issue.path) === undefined;
    const message = missing ? requiredField : issue.message;
    // The response contains only the first error of a field.
    if (!details.has(field)) details.set(field, { field, message });
  }
  throw invalidFields([...refused, ...details.values()]);
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
