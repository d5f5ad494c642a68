/** Limits the size of a delivery's attempts, so that its row stays far below the 400 KB of a DynamoDB item. */
import type { Attempt } from './delivery.ts';

const attemptsKept = 20;
/** For all attempts together. The rest of a row (URL, body, ids) is below 40 KB. */
const logBytesMax = 200_000;
export const textKeptBytes = 4096;
const headersKeptBytes = 4096;
/** For each text of a shortened attempt. */
const shortTextBytes = 100;
/** More than the size of a shortened attempt. */
const shortAttemptBytes = 2000;

/** The start of a text that takes at most `maxBytes` as UTF-8, cut between characters. */
export function startOf(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/** As many headers as fit, in their order. */
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
 * The newest attempts: in full while they fit, then without headers and with shortened texts; the oldest are dropped.
 * The `number` of an attempt counts the dropped ones too.
 */
export function boundedAttempts(attempts: readonly Attempt[]): readonly Attempt[] {
  // Of most logs every attempt is so small that it is within all limits.
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

/** The size as JSON in UTF-8, which is at least the size that DynamoDB counts. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
