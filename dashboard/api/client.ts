/** Calls the gateway that served the page; failures are an ApiError whose message can be shown. */
import type { Session } from '../session.ts';

/** API Gateway's stage (`/live`) where it is part of the path, else empty. */
const base = location.pathname.replace(/\/admin\/?$/, '');
const timeLimitMs = 20_000;
/** With a longer `Retry-After` the error is shown instead. */
const retryAfterMaxSeconds = 10;

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** By field. */
  readonly details: Readonly<Record<string, string>>;

  constructor(status: number, message: string, details: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

export type Query = Readonly<Record<string, string | undefined>>;

export interface Api {
  get<Answer>(path: string, query?: Query): Promise<Answer>;
  send<Answer>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
}

/** @param onEnd - called when the gateway no longer accepts the token */
export function apiOf(session: Session, onEnd: () => void): Api {
  const call = async (method: string, path: string, body?: unknown): Promise<never> => {
    const headers: Record<string, string> = { Authorization: `Bearer ${session.token}` };
    try {
      return (await request(method, `/admin/api${path}`, headers, body)) as never;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) onEnd();
      throw error;
    }
  };
  return {
    get: (path, query = {}) => {
      const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
      return call('GET', given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`);
    },
    send: (method, path, body) => call(method, path, body),
  };
}

interface TokenAnswer {
  readonly access_token: string;
  readonly expires_in: number;
}

/** @throws ApiError */
export async function signIn(clientId: string, clientSecret: string): Promise<Session> {
  const answer = (await request(
    'POST',
    '/api/v1/auth/token',
    {},
    { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' },
  )) as TokenAnswer;
  const session = {
    token: answer.access_token,
    clientId,
    endsAt: Date.now() + answer.expires_in * 1000,
  };
  const refused = await apiOf(session, () => undefined)
    .get('/about')
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  if (refused instanceof ApiError && refused.status === 403) {
    throw new ApiError(403, 'This client is not an administrator of the gateway.');
  }
  if (refused !== undefined) throw refused;
  return session;
}

interface ErrorBody {
  readonly message?: string;
  readonly details?: readonly { readonly field: string; readonly message: string }[];
}

async function request(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<unknown> {
  const attempt = (): Promise<Response> =>
    fetch(`${base}${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeLimitMs),
    }).catch(() => {
      throw new ApiError(0, 'The gateway cannot be reached. Check the connection, then try again.');
    });
  let response = await attempt();
  const retryAfterSeconds = Number(response.headers.get('Retry-After'));
  // A request refused with 429 has done nothing, so it can be repeated.
  if (response.status === 429 && retryAfterSeconds > 0 && retryAfterSeconds <= retryAfterMaxSeconds) {
    await new Promise((resolve) => setTimeout(resolve, retryAfterSeconds * 1000));
    response = await attempt();
  }
  const answer: unknown = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const { message, details = [] } = answer as ErrorBody;
  throw new ApiError(
    response.status,
    message ?? `The gateway responded with status ${response.status}.`,
    Object.fromEntries(details.map((detail) => [detail.field, detail.message])),
  );
}
