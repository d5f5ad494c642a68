/** One HTTP request and its answer: checked, reported to the hooks, and remembered for `responseOf`. */
import { ArgumentError, apiError } from './errors.ts';
import { type GatewayOptions, sendable } from './options.ts';
import { rememberResponse } from './response.ts';
import type { Repeat } from './retry.ts';
import type { Runtime, TimeLimit } from './runtime.ts';
import { version } from './version.ts';

export interface GatewayRequest {
  readonly method: string;
  readonly path: string;
  readonly repeat: Repeat;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
}

/** A request as every attempt sends it, without its credentials. */
export interface PreparedRequest {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

/** @throws ArgumentError for what cannot be sent */
export function prepare(
  options: GatewayOptions,
  { method, path, query, body }: GatewayRequest,
  given: Readonly<Record<string, string>>,
): PreparedRequest {
  const headers = sendable({
    ...options.headers,
    ...given,
    Accept: 'application/json',
    'User-Agent': `messaging-gateway-client-typescript/${version}`,
  });
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  const url = `${options.baseUrl.replace(/\/+$/, '')}${path}${queryString(query)}`;
  return { method, path, url, headers, body: body === undefined ? undefined : textOf(body) };
}

export type Exchange = (
  request: PreparedRequest,
  authorization: string | undefined,
  attempt: number,
  limit: TimeLimit,
) => Promise<object>;

export function exchangeWith(options: GatewayOptions, runtime: Runtime): Exchange {
  return async ({ method, path, url, headers: prepared, body }, authorization, attempt, limit) => {
    const report = { method, path, attempt };
    const startedAtMs = runtime.now();
    const tell = (outcome: { response?: Response; error?: Error }): void =>
      notify(options.onResponse, {
        ...report,
        durationMs: runtime.now() - startedAtMs,
        status: outcome.response?.status,
        requestId: outcome.response?.headers.get('x-request-id') ?? undefined,
        error: outcome.error,
      });
    const headers = new Headers(prepared);
    if (authorization !== undefined) headers.set('Authorization', authorization);
    notify(options.onRequest, report);
    let response: Response;
    let text: string;
    try {
      response = await (options.fetch ?? globalThis.fetch)(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        // The API does not redirect, and credentials must not follow anyone else's redirect.
        redirect: 'manual',
        signal: limit.signal,
      });
      text = await response.text();
    } catch (cause) {
      const error = limit.errorOf(cause);
      tell({ error });
      throw error;
    }
    tell({ response });
    const answer = parsed(text);
    if (!response.ok || typeof answer !== 'object' || answer === null || Array.isArray(answer))
      throw apiError(response.status, response.headers, answer);
    rememberResponse(answer, response);
    return answer;
  };
}

/** A message that was sent must not look as if it was not, because a log failed, at once or later. */
function notify<Report>(hook: ((report: Report) => unknown) | undefined, report: Report): void {
  new Promise((resolve) => resolve(hook?.(report))).catch(() => undefined);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(body: object): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new ArgumentError('The body cannot be written as JSON.', { cause });
  }
}

function queryString(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) search.set(name, String(value));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/** A path segment. @throws ArgumentError for what a URL would take as no segment, or as a step up */
export function segment(value: string): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new ArgumentError(`not an id: ${String(value)}`);
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw new ArgumentError('not an id: it is no Unicode text', { cause });
  }
}
