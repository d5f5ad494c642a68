/**
 * A delivery attempt as the row of its delivery stores it. The limits keep the row far below 400 KB, the maximum size of an
 * item.
 */
import * as z from 'zod/mini';
import { openObject } from '../platform/object-fields.ts';

const attemptErrors = [
  'dns',
  'refused',
  'tls',
  'timeout',
  'not_200',
  'redirect',
  'blocked',
  'reset',
  'endpoint_disabled',
  'endpoint_deleted',
  'no_secret',
] as const;
export type AttemptError = (typeof attemptErrors)[number];

/** The errors of attempts that posted nothing. */
export type UnpostedError = Extract<
  AttemptError,
  'endpoint_disabled' | 'endpoint_deleted' | 'no_secret' | 'reset'
>;

const time = z.iso.datetime();
const milliseconds = z.number().check(z.nonnegative());

export const attemptFields = {
  number: z.int().check(z.positive()),
  trigger: z.enum(['automatic', 'manual']),
  due_at: time,
  started_at: time,
  ended_at: time,
  lateness_ms: z.number(),
  dns_ms: z.optional(milliseconds),
  connect_ms: z.optional(milliseconds),
  tls_ms: z.optional(milliseconds),
  first_byte_ms: z.optional(milliseconds),
  total_ms: milliseconds,
  reused_connection: z.boolean(),
  address: z.optional(z.string()),
  status: z.optional(z.int()),
  /** Signatures, cookies and credentials are replaced by `[redacted]`. */
  request_headers: z.record(z.string(), z.string()),
  response_headers: z.record(z.string(), z.string()),
  /** The first 4 KiB of the response, as UTF-8. */
  response_body: z.string(),
  error: z.optional(z.enum(attemptErrors)),
  error_message: z.optional(z.string()),
  /** True if this attempt was shortened to make room for newer attempts: its headers are removed and its texts cut. */
  shortened: z.optional(z.boolean()),
  /** When the next attempt is due; absent after the last. */
  next_due_at: z.optional(time),
};

export const attemptSchema = z.readonly(openObject(attemptFields));
export type Attempt = z.output<typeof attemptSchema>;

const attemptsKept = 20;
/** The limit for all attempts of a delivery together. The rest of the row (URL, body, ids) is below 40 KB. */
const logBytesMax = 200_000;
export const textKeptBytes = 4096;
const headersKeptBytes = 4096;
/** The limit for each text of a shortened attempt. */
const shortTextBytes = 100;
/** No shortened attempt is larger than this. */
const shortAttemptBytes = 2000;

/** Returns the start of a text that takes at most `maxBytes` as UTF-8, cut between characters. */
export function startOf(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/** Returns as many of the first headers as fit into the limit. */
function firstHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  let left = headersKeptBytes;
  for (const [name, value] of Object.entries(headers)) {
    left -= sizeOf({ [name]: value });
    if (left < 0) break;
    kept[name] = value;
  }
  return kept;
}

/**
 * Returns the newest attempts: in full while they fit, then shortened; the oldest attempts are dropped. Dropped attempts
 * still count in the `number` of an attempt.
 */
export function boundedAttempts(attempts: readonly Attempt[]): readonly Attempt[] {
  // Most logs contain only attempts within the limits, and are returned unchanged.
  const isSmall = (attempt: Attempt): boolean => sizeOf(attempt) <= textKeptBytes / 2;
  if (attempts.length <= attemptsKept && attempts.every(isSmall)) return attempts;
  const kept: Attempt[] = [];
  let left = logBytesMax;
  for (const attempt of attempts.slice(-attemptsKept).reverse()) {
    const full = boundedAttempt(attempt);
    // Reserves space for the shortened form of every older attempt.
    const roomForOlder = (attemptsKept - kept.length) * shortAttemptBytes;
    const entry = sizeOf(full) <= left - roomForOlder ? full : shortened(full);
    left -= sizeOf(entry);
    if (left < 0) break;
    kept.unshift(entry);
  }
  return kept;
}

function boundedAttempt(attempt: Attempt): Attempt {
  return {
    ...attempt,
    request_headers: firstHeaders(attempt.request_headers),
    response_headers: firstHeaders(attempt.response_headers),
    response_body: startOf(attempt.response_body, textKeptBytes),
    ...withErrorMessage(attempt, textKeptBytes / 2),
  };
}

function shortened(attempt: Attempt): Attempt {
  return {
    ...attempt,
    shortened: true,
    request_headers: {},
    response_headers: {},
    response_body: startOf(attempt.response_body, shortTextBytes),
    ...withErrorMessage(attempt, shortTextBytes),
  };
}

function withErrorMessage({ error_message }: Attempt, maxBytes: number): Partial<Attempt> {
  return error_message === undefined ? {} : { error_message: startOf(error_message, maxBytes) };
}

/** Returns the size of a value as JSON in UTF-8, which is at least the size that DynamoDB counts. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
