/** The request that an HTTP operation receives (authenticated, counted and parsed), and the response that it returns. */
import * as z from 'zod/mini';
import type { Client } from '../client/client.ts';
import { type FieldError, GatewayError, invalidFields } from '../contract/errors.ts';
import type { Route, Scope } from '../contract/routes.ts';
import { describeUnknown, faultsIn, fieldName, issueText, unknownIn } from './fields.ts';

/** `zod/mini` contains no error texts by default. */
z.config({ localeError: issueText });

/** The client that sent a request, and the scopes of its credential. */
export interface Caller {
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  /** The client's row, which may be 45 s old. */
  readonly client: Client;
}

export interface ApiRequest {
  /**
   * Identifies this request: new for each invocation, but the same for all SDK retries within it. A caller can choose the
   * request id of API Gateway, so that id is not used for this (contract 3.4).
   */
  readonly workId: string;
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; undefined if the request has none. */
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
  /** A JSON value, or text or bytes with a `Content-Type` header. */
  readonly body: unknown;
  /** Fields for the request's log line: ids, but never a body, a secret or a whole phone number. */
  readonly log?: Readonly<Record<string, unknown>>;
}

export type Operation = (request: ApiRequest) => Promise<ApiResponse>;

export function requireCaller(request: { readonly caller: Caller | undefined }): Caller {
  if (request.caller === undefined) throw new Error('the route has no scope');
  return request.caller;
}

export const requiredField = 'This field is required.';

/** @throws GatewayError, which names all invalid fields. */
export function parseBody<S extends z.ZodMiniType>(
  schema: S,
  { body }: { readonly body: unknown },
): z.output<S> {
  return parseFields(schema, body);
}

/** Parses a body whose fields are all optional. A missing body is treated as an empty one. */
export function parseOptionalBody<S extends z.ZodMiniType>(
  schema: S,
  { body }: { readonly body: unknown },
): z.output<S> {
  return parseFields(schema, body ?? {});
}

/** @throws GatewayError, which names all invalid and unknown parameters. */
export function parseQuery<S extends z.ZodMiniType>(
  schema: S,
  { query }: { readonly query: ApiRequest['query'] },
): z.output<S> {
  return parseFields(schema, query, describeUnknown(unknownIn(schema, query), 'parameter'));
}

/**
 * Parses fields that do not come from a request, or that are read before the request is complete.
 *
 * @param refused - errors that are already known
 * @throws GatewayError, which names all invalid fields.
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
    // The response contains only the first error of each field.
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
