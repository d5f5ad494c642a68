/** Which failures are worth another attempt, and when: never so that a message could be sent twice. */
import { ApiError, ConnectionError } from './errors.ts';

/**
 * When a request may be sent again after a failure that leaves open whether it was carried out: always, with the
 * idempotency key of the first attempt, or only if the gateway surely did not take it.
 */
export type Repeat = 'always' | 'with_key' | 'if_refused';

const firstDelayMs = 500;
const longestDelayMs = 8_000;

/** Errors of `fetch` before anything was sent. */
const neverSent = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/**
 * How long to wait before the next attempt; undefined where there is to be none.
 *
 * @param attempt - how many attempts have failed
 * @param random - 0 to 1
 */
export function retryDelayMs(
  error: unknown,
  { repeat, attempt, longestWaitMs, random }: RetryQuestion,
): number | undefined {
  if (!isWorthRepeating(error, repeat)) return undefined;
  // Clients that failed together must not come back together.
  const backoffMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1)) * (0.5 + random / 2);
  if (!(error instanceof ApiError) || error.retry_after === undefined) return backoffMs;
  const askedForMs = error.retry_after * 1000;
  return askedForMs > longestWaitMs ? undefined : askedForMs + backoffMs / 2;
}

interface RetryQuestion {
  readonly repeat: Repeat;
  readonly attempt: number;
  /** A `Retry-After` beyond it is the caller's to wait for: a daily limit resets in hours. */
  readonly longestWaitMs: number;
  readonly random: number;
}

function isWorthRepeating(error: unknown, repeat: Repeat): boolean {
  if (error instanceof ApiError) {
    // Refused before anything was done.
    if (error.status === 429 || error.error === 'concurrent_change') return true;
    // The first attempt, whose answer was lost, may still be at work.
    if (error.error === 'idempotency_in_progress') return repeat === 'with_key';
    return repeat !== 'if_refused' && [500, 502, 503, 504].includes(error.status);
  }
  if (!(error instanceof ConnectionError)) return false;
  return repeat !== 'if_refused' || neverSent.includes(codeOf(error.cause));
}

/** `fetch` has the error of the socket as the cause of its own. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : '';
}
