/**
 * Sends with an Idempotency-Key (contract 5.6): the stored message or batch is also the record of the key. Its id is derived
 * from client, endpoint and key, so only one of many equal requests can write it.
 *
 * A separate table of keys would need a second write, a lock, and a repair after a crash between the two writes. Requests
 * are compared after parsing, because client libraries may add nulls and defaults to a retry.
 */
import { createHash } from 'node:crypto';
import { GatewayError, standardError } from '../../contract/errors.ts';
import type { ApiRequest, ApiResponse } from '../../operation/operation.ts';
import { derivedId, type IdPrefix, newId } from '../../platform/ids.ts';

/** Visible ASCII, without quotes. */
export const keyPattern = '[!-~]{1,255}';
const keyForm = new RegExp(`^${keyPattern}$`);
/** A quoted string, as in the IETF draft (RFC 9651). Escapes in it are part of the key. */
const quoted = /^"(.+)"$/;

/**
 * Returns the `Idempotency-Key` of the request, without quotes.
 *
 * @throws GatewayError `invalid_request` if the key is not 1 to 255 visible ASCII characters
 */
export function idempotencyKeyOf(headers: Readonly<Record<string, string>>): string | undefined {
  const given = headers['idempotency-key'];
  if (given === undefined) return undefined;
  const key = quoted.exec(given)?.[1] ?? given;
  if (keyForm.test(key)) return key;
  throw new GatewayError('invalid_request', 'The Idempotency-Key header is malformed.', {
    details: [
      {
        field: 'Idempotency-Key',
        message: 'must be 1 to 255 visible ASCII characters, without spaces',
      },
    ],
  });
}

/** Returns 202 with the response to the first request. A repeat also gets `Idempotent-Replayed`. */
export function accepted(
  body: unknown,
  replayed: boolean,
  log: Readonly<Record<string, unknown>>,
): ApiResponse {
  const headers: Record<string, string> = replayed ? { 'Idempotent-Replayed': 'true' } : {};
  return { status: 202, headers, body, log: { ...log, replayed } };
}

/** Returns the SHA-256 of a JSON value whose keys are sorted, so that the order of fields does not matter. */
export function requestHash(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('base64url');
}

/** A request that may have an Idempotency-Key. */
export interface KeyedRequest {
  /** The prefix of the record's id. */
  readonly prefix: IdPrefix;
  readonly endpoint: string;
  readonly clientId: string;
  /** Undefined if the request has no key. Each such request then stores its own record. */
  readonly key: string | undefined;
  /** The parsed request, with defaults and canonical phone numbers. */
  readonly canonicalRequest: () => unknown;
}

/** A send: the record that it stores, and the request that its Idempotency-Key identifies. */
interface KeyedSend<Entry> extends KeyedRequest {
  /**
   * Creates the record with this id. Called at most once. Its only side effect is to count towards the client's caps, even
   * if a later step fails.
   */
  readonly build: (id: string) => Entry | Promise<Entry>;
  /** True if `build` is called only after no earlier record was found. A repeat then counts nothing and makes one read. */
  readonly looksFirst: boolean;
}

/** The fields of a record that its key needs. */
export interface KeyedRecord {
  readonly request_hash?: string;
  readonly stored_by?: string;
}

/** Stores records under ids that are derived from the key. */
interface KeyedStore<Entry extends KeyedRecord> {
  /**
   * The result contains `stored` if the stored record differs from the given one. @throws GatewayError if the record is
   * certainly not stored
   */
  create(
    entry: Entry,
  ): Promise<
    | { readonly created: true; readonly stored?: Entry }
    | { readonly created: false; readonly existing: Entry }
  >;
  get(id: string): Promise<Entry | undefined>;
}

/**
 * Stores the record of a send once for all requests with the same key.
 *
 * @returns the record, and true if an earlier request with this key stored it
 * @throws GatewayError `idempotency_key_reused` if the key was used for another request.
 */
export async function createOnce<Entry extends KeyedRecord>(
  store: KeyedStore<Entry>,
  { now, workId }: ApiRequest,
  send: KeyedSend<Entry>,
) {
  const { prefix, key, looksFirst } = send;
  if (key === undefined) {
    const entry = await send.build(newId(prefix, now));
    const created = await store.create(entry);
    return { entry: created.created ? (created.stored ?? entry) : created.existing, replayed: false };
  }
  const fingerprint = fingerprintOf(send);
  const id = idOf(send, key);
  const known = looksFirst ? await store.get(id) : undefined;
  const existing = known ?? (await createFor(store, send, { id, fingerprint, workId }));
  if ('fresh' in existing) return { entry: existing.fresh, replayed: false };
  assertSameRequest(existing, fingerprint);
  return { entry: existing, replayed: true };
}

/**
 * True if the request repeats an accepted one.
 *
 * @throws GatewayError `idempotency_key_reused` if the key was used for another request.
 */
export async function isRepeat(
  store: { get(id: string): Promise<KeyedRecord | undefined> },
  keyed: KeyedRequest,
): Promise<boolean> {
  const { key } = keyed;
  if (key === undefined) return false;
  const existing = await store.get(idOf(keyed, key));
  if (existing === undefined) return false;
  assertSameRequest(existing, fingerprintOf(keyed));
  return true;
}

function idOf({ prefix, clientId, endpoint }: KeyedRequest, key: string): string {
  return derivedId(prefix, clientId, endpoint, key);
}

function fingerprintOf({ canonicalRequest }: KeyedRequest): string {
  return requestHash(canonicalRequest());
}

function assertSameRequest({ request_hash }: KeyedRecord, fingerprint: string): void {
  if (request_hash === fingerprint) return;
  throw standardError('idempotency_key_reused');
}

/** Creates the record. If the request would now be refused, but repeats an accepted request, returns the earlier record. */
async function createFor<Entry extends KeyedRecord>(
  store: KeyedStore<Entry>,
  send: KeyedSend<Entry>,
  { id, fingerprint, workId }: { readonly id: string; readonly fingerprint: string; readonly workId: string },
): Promise<Entry | { readonly fresh: Entry }> {
  try {
    const entry = { ...(await send.build(id)), stored_by: workId, request_hash: fingerprint };
    const result = await store.create(entry);
    return result.created ? { fresh: result.stored ?? entry } : result.existing;
  } catch (refusal) {
    const earlier = refusal instanceof GatewayError ? await store.get(id) : undefined;
    if (earlier === undefined) throw refusal;
    return earlier;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
