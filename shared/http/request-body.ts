/** Parses a request's body. Refuses a body that is too large, of the wrong type or not valid JSON (contract 1.7). */
import { errorTexts, type FieldError, GatewayError, nothingAtPathText } from '../contract/errors.ts';
import { fieldName } from '../operation/unknown-fields.ts';
import { definedValues, onRequest, type RawBody, type Step } from './request-context.ts';

export type BodyFormat = 'json' | 'form';

/** Enough for 1,000 messages of full length; Lambda accepts 6 MB for the whole event, escapes included. */
export const maxBodyBytes = 4 * 1024 * 1024;
/** No operation has more than ten levels; a recursive walk of some thousands would overflow the stack. */
const maxDepth = 64;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The content of such a request has no meaning (RFC 9110, section 9.3). */
const bodilessMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

export function parseRequestBody(formats: readonly BodyFormat[]): Step {
  return onRequest((request) => {
    if (bodilessMethods.has(request.event.httpMethod)) return;
    request.body = readBody(request.incoming.rawBody, formats);
  });
}

/** Returns the parsed body; undefined if there is none, or if `formats` is empty. */
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
  if (mayNamePrototype.test(text)) refuse(pathsOfPrototype(value, []), prototypeText, 'is not allowed');
  if (surrogateEscape.test(text)) assertWellFormedJson(value);
  return value;
}

/** The bytes are UTF-8, so a lone surrogate can only be written as an escape. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Leaves out the parser's error as cause, because it quotes the body.
    throw new GatewayError('invalid_request', 'The body is not valid JSON.');
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/**
 * A field of this name would be lost without an error: assigning it sets the prototype of an object. Any of its characters can
 * be written as an escape.
 */
const mayNamePrototype = /__proto__|\\u/;
const prototypeText = 'The body has a field named __proto__, which is not allowed.';

function pathsOfPrototype(value: unknown, path: readonly PropertyKey[]): (readonly PropertyKey[])[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => pathsOfPrototype(item, [...path, index]));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '__proto__' ? [[...path, key]] : pathsOfPrototype(inner, [...path, key]),
  );
}

/**
 * Parses a form. Refuses invalid UTF-8 and a repeated parameter (RFC 6749, section 3.2), which `URLSearchParams`
 * accepts.
 */
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

/** Returns undefined if the percent-encoding is invalid or its bytes are not UTF-8. */
export function formDecoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** No id of ours is longer. */
export const idLengthMax = 128;

/** @throws GatewayError `not_found` if a part of a path is too long for an id. */
export function assertIdLength(id: string): void {
  if (id.length > idLengthMax) throw new GatewayError('not_found', nothingAtPathText);
}

/** Throws if a text is not well-formed Unicode, or a path parameter is too long for an id. */
export function checkText(): Step {
  return onRequest(({ event }) => {
    assertWellFormedTexts(
      [
        event.headers,
        event.multiValueHeaders,
        // Base64 hides no text that is not well-formed: its bytes are checked when the body is parsed.
        event.isBase64Encoded ? undefined : { body: event.body ?? undefined },
      ],
      [event.queryStringParameters, event.multiValueQueryStringParameters, event.pathParameters],
    );
    const { proxy: _rest, ...ids } = definedValues(event.pathParameters);
    for (const id of Object.values(ids)) assertIdLength(id);
  });
}

const malformedText = 'The request contains text that is not well-formed Unicode.';
const wellFormedRule = 'must be well-formed Unicode text, in UTF-8';

type NamedTexts = Readonly<Record<string, string | readonly string[] | undefined>> | null | undefined;

/**
 * Checks texts as they were sent (`texts`), and texts that API Gateway decoded from a path or a query (`decoded`).
 * API Gateway replaces bytes that are not UTF-8 by U+FFFD, so that character is refused in `decoded`.
 *
 * @throws GatewayError `invalid_request` that names every faulty field once
 */
function assertWellFormedTexts(texts: readonly NamedTexts[], decoded: readonly NamedTexts[]): void {
  const names = [
    ...faultyNames(texts, isWellFormed),
    ...faultyNames(decoded, (text) => isWellFormed(text) && !text.includes('\uFFFD')),
  ];
  refuse(
    names.map((name) => [name]),
    malformedText,
    wellFormedRule,
  );
}

const isWellFormed = (text: string): boolean => text.isWellFormed();

function faultyNames(groups: readonly NamedTexts[], isValid: (text: string) => boolean): string[] {
  return groups.flatMap((group) =>
    Object.entries(group ?? {})
      .filter(([name, value]) => ![name, value ?? []].flat().every(isValid))
      .map(([name]) => name),
  );
}

/** Checks the texts and keys of a JSON value. @throws GatewayError `invalid_request` that names every faulty field. */
function assertWellFormedJson(value: unknown): void {
  refuse(malformedPaths(value, []), malformedText, wellFormedRule);
}

function malformedPaths(value: unknown, path: readonly PropertyKey[]): (readonly PropertyKey[])[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => malformedPaths(item, [...path, index]));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const inside = [...path, key];
    return key.isWellFormed() ? malformedPaths(inner, inside) : [inside];
  });
}

/** @throws GatewayError `invalid_request` that names each of the fields once, if there are any */
function refuse(paths: readonly (readonly PropertyKey[])[], text: string, rule: string): void {
  if (paths.length === 0) return;
  const fields = new Set(paths.map(fieldName));
  const details = [...fields].map((field): FieldError => ({ field, message: rule }));
  throw new GatewayError('invalid_request', text, { details });
}
