/**
 * Reads a request from API Gateway's event: its URL, query and headers, then its texts and body. Refuses texts and bodies
 * that are too large, have the wrong type or are not valid JSON (contract 1.7).
 */

import { BlockList, isIP } from 'node:net';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod/mini';
import { errorTexts, type FieldError, GatewayError, nothingAtPathText } from '../contract/errors.ts';
import type { trustedProxies } from '../contract/variables.ts';
import { fieldName } from '../operation/fields.ts';

/** A request before its caller is identified and its body is parsed. */
export interface IncomingRequest {
  readonly method: string;
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The parameters by name. If a parameter is repeated, its values are joined by commas, as in headers. */
  readonly query: Readonly<Record<string, string>>;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as the caller sent it, after API Gateway's base64 is decoded. */
  readonly rawBody: Buffer;
  /** The address of the caller, even behind a trusted proxy. */
  readonly sourceIp: string;
  readonly now: Date;
}

/** @param addressOf - from `callerAddress` */
export function readRequest(
  event: APIGatewayProxyEvent,
  addressOf: ReturnType<typeof callerAddress>,
  now: Date,
): IncomingRequest {
  const headers = Object.fromEntries(
    Object.entries(definedValues(event.headers)).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    method: event.httpMethod,
    path: event.path,
    pathParameters: definedValues(event.pathParameters),
    query: queryOf(event),
    headers,
    rawBody: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    sourceIp: addressOf(event.requestContext.identity.sourceIp, headers),
    now,
  };
}

/**
 * Returns the parameters of a query, including repeated ones. API Gateway itself reports only the last value of a repeated
 * parameter, so `dry_run=true&dry_run=false` would send.
 */
function queryOf({
  queryStringParameters,
  multiValueQueryStringParameters,
}: APIGatewayProxyEvent): Record<string, string> {
  const parameters = Object.entries(definedValues(queryStringParameters)).map(([name, value]) => [
    name,
    [...new Set(multiValueQueryStringParameters?.[name] ?? [value])].join(','),
  ]);
  return Object.fromEntries(parameters);
}

function definedValues(values: Readonly<Record<string, string | undefined>> | null): Record<string, string> {
  const defined = Object.entries(values ?? {}).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(defined);
}

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * Returns a function that finds the address for which a request counts if its client is unknown: the source address, or the
 * address that a trusted proxy names. The header is ignored if the request did not come through the proxies, or if its
 * value is not an address. Header names are in lower case.
 */
export function callerAddress(
  proxies: Readonly<z.output<ReturnType<typeof trustedProxies>>> | undefined,
): (sourceIp: string, headers: Readonly<Record<string, string>>) => string {
  if (proxies === undefined) return (sourceIp) => sourceIp;
  const trusted = new BlockList();
  for (const block of proxies.addresses) {
    const [address = '', bits] = block.split('/');
    trusted.addSubnet(address, Number(bits), family(address));
  }
  const header = proxies.header.toLowerCase();
  return (sourceIp, headers) => {
    const named = headers[header]?.trim() ?? '';
    const isNamedByProxy = isIP(sourceIp) !== 0 && trusted.check(sourceIp, family(sourceIp));
    return isNamedByProxy && isIP(named) !== 0 ? named : sourceIp;
  };
}

export type BodyFormat = 'json' | 'form';

/** Enough for 1,000 messages of full length. Lambda accepts 6 MB for the whole event, including escapes. */
export const maxBodyBytes = 4 * 1024 * 1024;
/** No operation has more than ten levels. A recursive walk of some thousand levels would overflow the stack. */
const maxDepth = 64;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A body of these methods has no meaning (RFC 9110, section 9.3). */
const bodilessMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/** Returns the parsed body; undefined if it is absent, if the method ignores it, or if `formats` is empty. */
export function readBody(
  { method, headers, rawBody }: IncomingRequest,
  formats: readonly BodyFormat[],
  maxBytes = maxBodyBytes,
): unknown {
  if (bodilessMethods.has(method) || rawBody.length === 0 || formats.length === 0) return undefined;
  if (rawBody.length > maxBytes) {
    throw new GatewayError('payload_too_large', errorTexts.payload_too_large(maxBytes));
  }
  if ((headers['content-encoding'] ?? 'identity').trim().toLowerCase() !== 'identity') {
    throw new GatewayError('unsupported_media_type', 'Send the body without Content-Encoding.', {
      // RFC 9110, section 12.5.3.
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
  const format = formatOf(headers['content-type']);
  if (format === undefined || !formats.includes(format)) {
    const accepted = formats.includes('form')
      ? 'application/json or application/x-www-form-urlencoded'
      : 'application/json';
    throw new GatewayError('unsupported_media_type', errorTexts.unsupported_media_type(accepted));
  }
  const text = decode(rawBody);
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

/** The bytes are UTF-8, so only an escape can contain a lone surrogate. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's error is not attached as the cause, because it quotes the body.
    throw new GatewayError('invalid_request', 'The body is not valid JSON.');
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/**
 * A field with this name would be lost, because assigning it sets an object's prototype. Each of its characters can also be
 * an escape.
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
 * Parses a form. Invalid UTF-8 and a repeated parameter are refused (RFC 6749, section 3.2), although `URLSearchParams`
 * accepts them.
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
      throw new GatewayError('invalid_request', 'The body contains a parameter twice.', {
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

/** No id of the gateway is longer. */
export const idLengthMax = 128;

/** @throws GatewayError `not_found` if a part of the path is too long for an id. */
export function assertIdLength(id: string): void {
  if (id.length > idLengthMax) throw new GatewayError('not_found', nothingAtPathText);
}

/** @throws GatewayError if a text is not well-formed Unicode, or a path parameter is too long for an id */
export function checkTexts(event: APIGatewayProxyEvent): void {
  assertWellFormedTexts(
    [
      event.headers,
      event.multiValueHeaders,
      // A base64 body is not checked here, because its bytes are checked when it is parsed.
      event.isBase64Encoded ? undefined : { body: event.body ?? undefined },
    ],
    [event.queryStringParameters, event.multiValueQueryStringParameters, event.pathParameters],
  );
  const { proxy: _rest, ...ids } = definedValues(event.pathParameters);
  for (const id of Object.values(ids)) assertIdLength(id);
}

const malformedText = 'The request contains text that is not well-formed Unicode.';
const wellFormedRule = 'must be well-formed Unicode text, in UTF-8';

type NamedTexts = Readonly<Record<string, string | readonly string[] | undefined>> | null | undefined;

/**
 * Checks texts as they were sent (`texts`), and texts that API Gateway decoded from the path or query (`decoded`). API
 * Gateway replaces bytes that are not UTF-8 with U+FFFD, so `decoded` must not contain this character.
 *
 * @throws GatewayError `invalid_request`, which names every faulty field once
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

/** Checks the texts and keys of a JSON value. @throws GatewayError `invalid_request`, which names every faulty field. */
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

/** @throws GatewayError `invalid_request`, which names each field once, unless the list is empty */
function refuse(paths: readonly (readonly PropertyKey[])[], text: string, rule: string): void {
  if (paths.length === 0) return;
  const fields = new Set(paths.map(fieldName));
  const details = [...fields].map((field): FieldError => ({ field, message: rule }));
  throw new GatewayError('invalid_request', text, { details });
}
