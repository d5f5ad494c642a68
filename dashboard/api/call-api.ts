/** Calls the gateway that served the page. A call that fails throws an ApiError, whose message can be shown to the user. */
import type { ResponseOf } from '../../shared/admin/http/admin-operations.ts';
import {
  type AdminApiRouteName,
  adminApiRoutes,
  type PathParameter,
} from '../../shared/contract/admin-api-routes.ts';
import type { FieldError } from '../../shared/contract/errors.ts';
import type { Mode } from '../../shared/contract/mode.ts';
import type { Session } from '../session.ts';
import { ApiError } from './api-error.ts';

/** The path of API Gateway's stage (`/live`), or empty if the URL does not contain it. */
const base = location.pathname.replace(/\/admin\/?$/, '');
const timeLimitMs = 20_000;
/** If `Retry-After` is longer than this, the error is shown instead. */
const retryAfterMaxSeconds = 10;

export type Query = Readonly<Record<string, string | null | undefined>>;

/** The values of the parameters in an operation's path, such as `{ client_id }`. */
export type PathValues<Name extends AdminApiRouteName> = Readonly<Record<PathParameter<Name>, string>>;

/** The names of the operations that only read. */
export type ReadName = {
  [Name in AdminApiRouteName]: (typeof adminApiRoutes)[Name]['method'] extends 'GET' ? Name : never;
}[AdminApiRouteName];

/**
 * @param mode - the data that lists of all clients show
 * @param onEnd - called if the gateway no longer accepts the token
 */
export function apiOf(session: Session, mode: Mode, onEnd: (session: Session) => void) {
  const call = async <Name extends AdminApiRouteName>(
    name: Name,
    values: Readonly<Record<string, string>>,
    { query = {}, ...options }: Options & { readonly query?: Query | undefined },
  ): Promise<ResponseOf<Name>> => {
    const { method, path } = adminApiRoutes[name];
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, parameter) =>
      encodeURIComponent(values[parameter] ?? ''),
    );
    const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
    const headers = { Authorization: `Bearer ${session.token}`, 'Data-Mode': mode };
    try {
      return (await request(method, `${filled}${search}`, { headers, ...options })) as ResponseOf<Name>;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) onEnd(session);
      throw error;
    }
  };
  return {
    get: <Name extends ReadName>(name: Name, path: PathValues<Name>, query?: Query, signal?: AbortSignal) =>
      call(name, path, { query, signal }),
    send: <Name extends Exclude<AdminApiRouteName, ReadName>>(
      name: Name,
      path: PathValues<Name>,
      body?: unknown,
    ) => call(name, path, { body }),
  };
}

/** @throws ApiError */
export async function signIn(clientId: string, clientSecret: string): Promise<Session> {
  const answer = (await request('POST', '/api/v1/auth/token', {
    body: { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' },
  })) as { readonly access_token: string; readonly expires_in: number };
  const token = answer.access_token;
  if (!scopesIn(token).includes('admin')) {
    throw new ApiError(403, 'This client is not an administrator of the gateway.');
  }
  return {
    token,
    clientId,
    endsAt: Date.now() + answer.expires_in * 1000,
  };
}

/** Returns the scopes in the token, which is a JWT (contract 2.2). The admin API checks them itself. */
function scopesIn(token: string): readonly string[] {
  const [, payload = ''] = token.split('.');
  const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  const { scope } = claims as { readonly scope: string };
  return scope.split(' ');
}

interface Options {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

async function request(
  method: string,
  path: string,
  { headers = {}, body, signal }: Options,
): Promise<unknown> {
  const attempt = (): Promise<Response> => {
    const timeLimit = AbortSignal.timeout(timeLimitMs);
    return fetch(`${base}${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal === undefined ? timeLimit : AbortSignal.any([signal, timeLimit]),
    }).catch(() => {
      throw new ApiError(0, 'The gateway cannot be reached. Check the connection, then try again.');
    });
  };
  let response = await attempt();
  const retryAfterSeconds = Number(response.headers.get('Retry-After'));
  // A request that got a 429 changed no data, so it can be retried.
  if (response.status === 429 && retryAfterSeconds > 0 && retryAfterSeconds <= retryAfterMaxSeconds) {
    await new Promise((resolve) => setTimeout(resolve, retryAfterSeconds * 1000));
    response = await attempt();
  }
  const answer: unknown = await response.json().catch(() => {
    // The connection broke before the response was complete.
    if (response.ok) throw new ApiError(0, 'The response of the gateway could not be read. Try again.');
    return {};
  });
  if (response.ok) return answer;
  const { message, details } = answer as { message?: string; details?: readonly FieldError[] };
  throw new ApiError(
    response.status,
    message ?? `The gateway responded with status ${response.status}.`,
    details,
  );
}
