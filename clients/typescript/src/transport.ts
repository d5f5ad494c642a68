/** Sends a request until it has an answer: with a valid token, a time limit for each attempt, and retries that are safe. */
import { AccessTokens, type IssuedToken } from './access-tokens.ts';
import { AuthenticationError, apiError, ConnectionError, TimeoutError } from './errors.ts';
import { type Repeat, retryDelayMs } from './retry.ts';
import { version } from './version.ts';

export interface GatewayOptions {
  /** Such as `https://messages.example.com`. */
  readonly baseUrl: string;
  /** With `clientSecret`: the client requests and renews access tokens. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Instead of the two: a legacy API key, `sk-…`. */
  readonly apiKey?: string | undefined;
  /** Milliseconds for each attempt, from the connection to the end of the answer. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed request is repeated. Default 3; 0 switches retries off. */
  readonly maxRetries?: number | undefined;
  /** A `Retry-After` beyond it is not waited for: the error is thrown at once. Milliseconds, default 60,000. */
  readonly maxRetryAfterMs?: number | undefined;
  /** In place of the global `fetch`, for a proxy or for logging. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface RequestOptions {
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  /** Ends the call, its retries included. */
  readonly signal?: AbortSignal | undefined;
}

export interface SendOptions extends RequestOptions {
  /**
   * Chosen for each call if it is not given, so that retries of the call send nothing twice. Give your own, such as
   * `order-42-shipped`, so that nothing is sent twice either if your program dies and calls again.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface GatewayRequest {
  readonly method: string;
  readonly path: string;
  readonly repeat: Repeat;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
}

export type CallGateway = <Answer>(request: GatewayRequest, options?: SendOptions) => Promise<Answer>;

/** What a test replaces. */
export interface Runtime {
  /** Milliseconds of a clock that nobody sets. */
  readonly now: () => number;
  readonly random: () => number;
  readonly wait: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Aborts after so many milliseconds. */
  readonly timeout: (milliseconds: number) => AbortSignal;
}

const systemRuntime: Runtime = {
  now: () => performance.now(),
  random: Math.random,
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', stop, { once: true });
    }),
  timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
};

/** @throws TypeError where the credentials are not one of the two kinds */
export function connect(options: GatewayOptions, runtime: Runtime = systemRuntime): CallGateway {
  const { clientId, clientSecret, apiKey } = options;
  const hasClient =
    clientId !== undefined && clientId !== '' && clientSecret !== undefined && clientSecret !== '';
  const hasKey = apiKey !== undefined && apiKey !== '';
  if (hasClient === hasKey) throw new TypeError('Give clientId and clientSecret, or apiKey.');
  // In JavaScript it may be missing.
  const baseUrl = String(options.baseUrl).replace(/\/+$/, '');
  if (!URL.canParse(baseUrl)) throw new TypeError(`baseUrl is not a URL: ${options.baseUrl}`);

  async function attempt(
    { method, path, query, body }: GatewayRequest,
    headers: Readonly<Record<string, string>>,
    { timeoutMs = options.timeoutMs ?? 30_000, signal }: RequestOptions,
  ): Promise<unknown> {
    const timeout = runtime.timeout(timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await (options.fetch ?? globalThis.fetch)(`${baseUrl}${path}${queryString(query)}`, {
        method,
        headers: {
          Accept: 'application/json',
          'User-Agent': `messaging-gateway-client-typescript/${version}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // The API does not redirect, and credentials must not follow anyone else's redirect.
        redirect: 'manual',
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      });
      text = await response.text();
    } catch (cause) {
      signal?.throwIfAborted();
      if (timeout.aborted) throw new TimeoutError(`No answer within ${timeoutMs} ms.`, { cause });
      throw new ConnectionError('The gateway was not reached, or its answer was lost.', { cause });
    }
    const answer = parsed(text);
    if (!response.ok || (answer === undefined && text !== ''))
      throw apiError(response.status, response.headers, answer);
    return answer;
  }

  async function withRetries<Answer>(
    repeat: Repeat,
    { maxRetries = options.maxRetries ?? 3, signal }: RequestOptions,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    for (let failed = 1; ; failed += 1) {
      try {
        return await work();
      } catch (error) {
        const longestWaitMs = options.maxRetryAfterMs ?? 60_000;
        const question = { repeat, attempt: failed, longestWaitMs, random: runtime.random() };
        const delayMs = failed > maxRetries ? undefined : retryDelayMs(error, question);
        if (delayMs === undefined) throw error;
        await runtime.wait(delayMs, signal);
      }
    }
  }

  const tokens = new AccessTokens(
    () =>
      withRetries('always', {}, async () => {
        const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
        const request = { method: 'POST', path: '/api/v1/auth/token', body, repeat: 'always' } as const;
        return (await attempt(request, {}, {})) as IssuedToken;
      }),
    runtime.now,
  );

  async function authorized(
    request: GatewayRequest,
    headers: Readonly<Record<string, string>>,
    options: RequestOptions,
  ): Promise<unknown> {
    if (apiKey !== undefined && hasKey)
      return await attempt(request, { ...headers, Authorization: `Bearer ${apiKey}` }, options);
    const token = await abortable(tokens.get(), options.signal);
    try {
      return await attempt(request, { ...headers, Authorization: `Bearer ${token}` }, options);
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      tokens.forget(token);
      const renewed = await abortable(tokens.get(), options.signal);
      return await attempt(request, { ...headers, Authorization: `Bearer ${renewed}` }, options);
    }
  }

  return async <Answer>(request: GatewayRequest, options: SendOptions = {}): Promise<Answer> => {
    const { idempotencyKey = request.repeat === 'with_key' ? crypto.randomUUID() : undefined } = options;
    const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    const answer = await withRetries(request.repeat, options, () => authorized(request, headers, options));
    return answer as Answer;
  };
}

/** The token is requested for all who wait for it: one of them can leave, but not end the request. */
async function abortable<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return await promise;
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function queryString(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) search.set(name, String(value));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/** A path segment. @throws TypeError for what a URL would take as no segment, or as a step up */
export function segment(value: string): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new TypeError(`not an id: ${String(value)}`);
  return encodeURIComponent(value);
}
