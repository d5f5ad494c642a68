/** What a caller can set: for all calls of a client, or for one call. Checked before anything is sent. */
import { ArgumentError } from './errors.ts';

export interface RequestOptions {
  /** Milliseconds for each attempt, from the request for its token to the end of the answer. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed attempt is repeated, its token request included. Default 3; 0 switches retries off. */
  readonly maxRetries?: number | undefined;
  /** Milliseconds for the whole call: its token, every attempt and the waits between them. Default: no limit. */
  readonly deadlineMs?: number | undefined;
  /** Further headers of the request. Those that the client sets itself cannot be replaced. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
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

export interface ListOptions extends RequestOptions {
  /** The iteration ends after so many items. Default: all. */
  readonly maxItems?: number | undefined;
}

export interface GatewayOptions extends Omit<RequestOptions, 'signal'> {
  /** Such as `https://messages.example.com`. */
  readonly baseUrl: string;
  /** With `clientSecret`: the client requests and renews access tokens. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Instead of the two: a legacy API key, `sk-…`. */
  readonly apiKey?: string | undefined;
  /** A `Retry-After` beyond it is not waited for: the error is thrown at once. Milliseconds, default 60,000. */
  readonly maxRetryAfterMs?: number | undefined;
  /** In place of the global `fetch`, for example one that goes through a proxy. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Where processes with the same credentials share their access token. */
  readonly tokenStore?: TokenStore | undefined;
  /** Called before each attempt, token requests included, for a log. Its errors are ignored, and no promise is waited for. */
  readonly onRequest?: ((request: RequestReport) => unknown) | undefined;
  /** Called after each attempt with its outcome. Its errors are ignored, and no promise is waited for. */
  readonly onResponse?: ((response: ResponseReport) => unknown) | undefined;
}

/** Keeps a text for a time, for example in Redis. The text contains the access token: it is a secret. */
export interface TokenStore {
  get(key: string): Promise<string | null | undefined>;
  set(key: string, value: string, seconds: number): Promise<unknown>;
}

export interface RequestReport {
  readonly method: string;
  /** Without the query, which may contain phone numbers. */
  readonly path: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

export interface ResponseReport extends RequestReport {
  readonly durationMs: number;
  /** The HTTP status; undefined where there was no answer. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** Why there was no answer. */
  readonly error: Error | undefined;
}

/** Timers take no more: beyond it they fire at once. */
const longestMs = 2 ** 31 - 1;
const keyPattern = /^[!-~]{1,255}$/;

/** @throws ArgumentError for a number out of range, headers or an idempotency key that cannot be sent */
export function checkOptions(options: Partial<GatewayOptions & SendOptions & ListOptions>): void {
  if (typeof options !== 'object' || options === null)
    throw new ArgumentError('The options must be an object.');
  const { timeoutMs, deadlineMs, maxRetries, maxRetryAfterMs, maxItems, idempotencyKey, headers } = options;
  checkNumber('timeoutMs', timeoutMs, 1, longestMs);
  checkNumber('deadlineMs', deadlineMs, 1, longestMs);
  checkNumber('maxRetryAfterMs', maxRetryAfterMs, 0, longestMs);
  checkNumber('maxRetries', maxRetries, 0, 100, Number.isInteger);
  checkNumber('maxItems', maxItems, 0, Number.MAX_SAFE_INTEGER, Number.isInteger);
  if (idempotencyKey !== undefined && !keyPattern.test(idempotencyKey))
    throw new ArgumentError('idempotencyKey must be 1 to 255 visible ASCII characters, without spaces');
  if (headers !== undefined) sendable(headers);
}

function checkNumber(
  name: string,
  value: number | undefined,
  least: number,
  most: number,
  isNumber: (value: unknown) => boolean = Number.isFinite,
): void {
  if (value !== undefined && !(isNumber(value) && value >= least && value <= most))
    throw new ArgumentError(
      `${name} must be a ${isNumber === Number.isInteger ? 'whole ' : ''}number from ${least} to ${most}.`,
    );
}

/** Whether a header can have it as a bearer token, unchanged (RFC 6750, section 2.1). */
export function isBearer(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

/** @throws ArgumentError for a name or a value that no header can have; the message does not show the value */
export function sendable(headers: Readonly<Record<string, string>>): Headers {
  const checked = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    try {
      checked.set(name, value);
    } catch (cause) {
      throw new ArgumentError(`The header ${JSON.stringify(name)} cannot be sent.`, { cause });
    }
  }
  return checked;
}

/** @throws ArgumentError for credentials that are not of one kind, a URL that is none, or what is no function or store */
export function checkConnection(options: GatewayOptions): void {
  const { baseUrl, clientId, clientSecret, apiKey, tokenStore } = options;
  const isGiven = (value: unknown): boolean => typeof value === 'string' && value !== '';
  if ((isGiven(clientId) && isGiven(clientSecret)) === isGiven(apiKey))
    throw new ArgumentError('Give clientId and clientSecret, or apiKey.');
  if (isGiven(apiKey) && !isBearer(apiKey))
    throw new ArgumentError('apiKey must not contain spaces, line breaks or characters outside ASCII.');
  const { protocol, username, password, search, hash } =
    typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : noUrl;
  if (username + password + search + hash !== '')
    throw new ArgumentError('baseUrl must have no credentials, query or fragment.');
  if (!/^https?:$/.test(protocol))
    throw new ArgumentError(`baseUrl is not a URL of http or https: ${baseUrl}`);
  for (const name of ['fetch', 'onRequest', 'onResponse'] as const)
    if (options[name] !== undefined && !isFunction(options[name]))
      throw new ArgumentError(`${name} must be a function.`);
  if (tokenStore !== undefined && !(isFunction(tokenStore?.get) && isFunction(tokenStore.set)))
    throw new ArgumentError('tokenStore must have the functions get and set.');
}

const noUrl = { protocol: '', username: '', password: '', search: '', hash: '' };

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
