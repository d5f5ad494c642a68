/** Parses a request's body; refuses one that is too large, of the wrong type or not valid JSON (contract, section 1). */
import { errorTexts, GatewayError } from '../contract/errors.ts';
import type { RawBody, Step } from './request-context.ts';
import { assertWellFormedJson } from './well-formed.ts';

export type BodyFormat = 'json' | 'form';

/** Enough for 1,000 messages of full length; Lambda accepts 6 MB for the whole event, escapes included. */
export const maxBodyBytes = 4 * 1024 * 1024;
/** No operation has more than ten levels; a recursive walk of some thousands would overflow the stack. */
const maxDepth = 64;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** RFC 9110, section 9.3: content in such a request has no meaning. */
const bodilessMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

export function parseRequestBody(formats: readonly BodyFormat[]): Step {
  return {
    before: ({ event: request }) => {
      if (bodilessMethods.has(request.event.httpMethod)) return;
      request.body = readBody(request.incoming.rawBody, formats);
    },
  };
}

/** The parsed body; undefined where there is none, or where `formats` is empty. */
export function readBody(
  { bytes, contentType, contentEncoding = 'identity' }: RawBody,
  formats: readonly BodyFormat[],
  maxBytes = maxBodyBytes,
): unknown {
  if (bytes.length === 0 || formats.length === 0) return undefined;
  if (bytes.length > maxBytes) {
    throw new GatewayError('payload_too_large', errorTexts.payload_too_large(maxBytes));
  }
  if (contentEncoding.trim().toLowerCase() !== 'identity') {
    throw new GatewayError('unsupported_media_type', 'Send the body without Content-Encoding.', {
      // RFC 9110, section 12.5.3.
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
  const format = formatOf(contentType);
  if (format === undefined || !formats.includes(format)) {
    const accepted = formats.includes('form')
      ? 'application/json or application/x-www-form-urlencoded'
      : 'application/json';
    throw new GatewayError('unsupported_media_type', errorTexts.unsupported_media_type(accepted));
  }
  const text = decode(bytes);
  return format === 'json' ? parseJson(text) : parseForm(text);
}

function formatOf(contentType: string | undefined): BodyFormat | undefined {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'application/json' || /^application\/[\w.-]+\+json$/.test(mediaType)) return 'json';
  return mediaType === 'application/x-www-form-urlencoded' ? 'form' : undefined;
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The body is not UTF-8.', { cause });
  }
}

function parseJson(text: string): unknown {
  const value = parsed(text);
  if (isDeeperThan(maxDepth, value)) {
    throw new GatewayError('invalid_request', `The body is nested deeper than ${maxDepth} levels.`);
  }
  if (surrogateEscape.test(text)) assertWellFormedJson(value);
  return value;
}

/** The bytes are UTF-8, so a lone surrogate can only be written as an escape. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without the parser's error as cause, because it quotes the body.
    throw new GatewayError('invalid_request', 'The body is not valid JSON.');
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/** Refuses what `URLSearchParams` accepts: bytes that are not UTF-8, and a repeated parameter (RFC 6749, section 3.2). */
function parseForm(text: string): Readonly<Record<string, string>> {
  const values = new Map<string, string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [name, ...rest] = pair.split('=').map(formDecoded);
    if (name === undefined || rest.includes(undefined)) {
      throw new GatewayError('invalid_request', 'The body is not form-encoded UTF-8.');
    }
    if (values.has(name)) {
      throw new GatewayError('invalid_request', 'The body gives a parameter twice.', {
        details: [{ field: name, message: 'must be given once' }],
      });
    }
    values.set(name, rest.join('='));
  }
  return Object.fromEntries(values);
}

/** Undefined where the percent-encoding is invalid or its bytes are not UTF-8. */
export function formDecoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
