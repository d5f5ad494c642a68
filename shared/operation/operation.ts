/** The request that an HTTP operation receives, authenticated, counted and parsed, and the response that it returns. */
import * as z from 'zod/mini';
import type { Client } from '../client/client.ts';
import { type FieldError, GatewayError, invalidFields } from '../contract/errors.ts';
import type { Route, Scope } from '../contract/routes.ts';
import { faultsIn, issueText } from './issue-text.ts';

/** `zod/mini` has no texts by default. */
z.config({ localeError: issueText });

/** The client that sent a request, and the scopes of its credential. */
export interface Caller {
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  /** Its row, read at most 45 s ago. */
  readonly client: Client;
}

export interface ApiRequest {
  /**
   * Identifies this unit of work: new for each invocation, the same for all retries of the SDK within it. A caller can
   * choose the request id of API Gateway, so that one identifies nothing (contract 3.4).
   */
  readonly workId: string;
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed; undefined where there is none. */
  readonly body: unknown;
  readonly rawBody: string;
  /** Names of fields that are ignored, of the body and the query; parsing adds to it, and a header lists them. */
  readonly unknownFields: Set<string>;
  readonly sourceIp: string;
  /** Undefined only where the route has no scope. */
  readonly caller: Caller | undefined;
  /** The time at which the request was received. */
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

export function requireCaller(request: Pick<ApiRequest, 'caller'>): Caller {
  if (request.caller === undefined) throw new Error('the route has no scope');
  return request.caller;
}

export const requiredField = 'This field is required.';

/** @throws GatewayError that names every invalid field at once. */
export function parseBody<S extends z.ZodMiniType>(
  schema: S,
  { body, unknownFields }: Pick<ApiRequest, 'body' | 'unknownFields'>,
): z.output<S> {
  noteUnknownFields(unknownFields, schema, body);
  return parseFields(schema, body);
}

/** Parses the body of an operation whose fields are all optional: no body is the same as an empty one. */
export function parseOptionalBody<S extends z.ZodMiniType>(
  schema: S,
  { body, unknownFields }: Pick<ApiRequest, 'body' | 'unknownFields'>,
): z.output<S> {
  return parseBody(schema, { body: body ?? {}, unknownFields });
}

/** @throws GatewayError that names every invalid parameter at once. */
export function parseQuery<S extends z.ZodMiniType>(
  schema: S,
  { query, unknownFields }: Pick<ApiRequest, 'query' | 'unknownFields'>,
): z.output<S> {
  return parseBody(schema, { body: query, unknownFields });
}

/** Fields that are of no request, or that are read before there is one. @throws GatewayError as `parseBody` does. */
export function parseFields<S extends z.ZodMiniType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new GatewayError('invalid_request', 'The request needs a body that is a JSON object.');
  }
  const details = new Map<string, FieldError>();
  for (const issue of parsed.error.issues.flatMap(faultsIn)) {
    const field = fieldName(issue.path);
    const missing = issue.code !== 'custom' && valueAt(body, issue.path) === undefined;
    const message = missing ? requiredField : issue.message;
    // The response has only the first error of a field.
    if (!details.has(field)) details.set(field, { field, message });
  }
  throw invalidFields([...details.values()]);
}

/** @param path - the place of the value in the body, if it is a part of it that the operation parses itself */
export function noteUnknownFields(
  noted: Set<string>,
  schema: z.ZodMiniType,
  value: unknown,
  path: readonly PropertyKey[] = [],
): void {
  for (const found of unknownFields(schema, value, path)) noted.add(fieldName(found));
}

/** `recipients[2].to` */
export function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((key, depth) => (typeof key === 'number' ? `[${key}]` : `${depth === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** Finds the fields of a request that its schema does not know: they are ignored, and a header names them (contract 1.5). */
type Schema = z.core.$ZodType;
type Path = readonly PropertyKey[];

/** Each path to a field that no object of the schema has, alternatives and maps excepted. */
export function unknownFields(schema: Schema, value: unknown, path: Path = []): Path[] {
  const { def } = schema._zod as { readonly def: z.core.$ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'object':
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
      return Object.entries(value).flatMap(([key, inner]) => {
        const field = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
        return field === undefined ? [[...path, key]] : unknownFields(field, inner, [...path, key]);
      });
    case 'array':
      if (!Array.isArray(value)) return [];
      return value.flatMap((item, index) => unknownFields(def.element, item, [...path, index]));
    case 'optional':
    case 'nullable':
      return unknownFields(def.innerType, value, path);
    case 'pipe':
      return unknownFields(def.in, value, path);
    default:
      return [];
  }
}
