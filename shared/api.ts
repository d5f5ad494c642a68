/** An HTTP operation as the domain sees it: a request that was authenticated, counted and parsed, and its answer. */
import type * as z from 'zod';
import { type FieldError, GatewayError } from './errors.ts';
import type { Scope } from './routes.ts';

export interface Caller {
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly client: { readonly countries?: readonly string[]; readonly senders?: readonly string[] };
}

export interface ApiRequest {
  readonly requestId: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly caller: Caller | undefined;
  readonly now: Date;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

export type Operation = (request: ApiRequest) => Promise<ApiResponse>;

export function requireCaller(request: ApiRequest): Caller {
  if (request.caller === undefined) throw new Error('the route has no scope');
  return request.caller;
}

export function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const details: FieldError[] = parsed.error.issues.map((issue) => ({
    field: issue.path.join('.'),
    message: issue.message,
  }));
  throw new GatewayError('invalid_request', 'Some fields are not valid.', { details });
}
