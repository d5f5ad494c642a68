/**
 * Keyed sends (contract, section 5): the message's own row is the record of its key. Its id is derived from
 * client, endpoint and key, so of any number of equal requests one write succeeds and the others find it.
 */
import { createHash } from 'node:crypto';
import { addSeconds } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import { derivedId, newId } from '../ids.ts';
import type { Message } from './message.ts';
import type { MessageStore } from './message-store.ts';

/** For how long a key stands for its first request. */
const keyLifetimeSeconds = 86_400;
const keyForm = /^[A-Za-z0-9._:-]{1,255}$/;

/**
 * The request's `Idempotency-Key`.
 *
 * @throws GatewayError `invalid_request` when it is not 1–255 of `A–Z a–z 0–9 . _ : -`.
 */
export function idempotencyKeyOf(headers: Readonly<Record<string, string>>): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (keyForm.test(key)) return key;
  throw new GatewayError('invalid_request', 'The Idempotency-Key header is malformed.', {
    details: [{ field: 'Idempotency-Key', message: 'must be 1 to 255 characters of A–Z a–z 0–9 . _ : -' }],
  });
}

/** SHA-256 of the request as JSON with its keys sorted: the same request, however its fields are ordered. */
export function requestHash(body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(body)))
    .digest('base64url');
}

export interface Keyed {
  readonly clientId: string;
  readonly endpoint: string;
  readonly key: string | undefined;
  readonly body: unknown;
}

/**
 * Stores the message that `build` makes for an id, once for all requests with one key.
 *
 * A key used again after its 24 hours gets the next id of its series. The first message of the series names the
 * newest, and is kept at least as long, so that the series can't begin anew beside a live one.
 *
 * @returns the stored message, and whether it is an earlier request's.
 * @throws GatewayError `idempotency_key_reused` where the key stands for another request.
 */
export async function createOnce(
  store: MessageStore,
  now: Date,
  keyed: Keyed,
  build: (messageId: string) => Message,
): Promise<{ message: Message; replayed: boolean }> {
  if (keyed.key === undefined) {
    const message = build(newId('msg', now));
    await store.create(message);
    return { message, replayed: false };
  }
  const hash = requestHash(keyed.body);
  const idOf = (use: number): string =>
    derivedId('msg', keyed.clientId, keyed.endpoint, keyed.key ?? '', String(use));
  let use = 0;
  for (;;) {
    const message = { ...build(idOf(use)), request_hash: hash };
    const result = await store.create(message);
    if (result.created) return { message, replayed: false };
    const { existing } = result;
    if (addSeconds(new Date(existing.created_at), keyLifetimeSeconds) > now) {
      if (existing.request_hash === hash) return { message: existing, replayed: true };
      throw new GatewayError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for a different request in the last 24 hours.',
      );
    }
    if (use === 0 && existing.key_use !== undefined) {
      use = existing.key_use;
      continue;
    }
    const rootKept = await store.noteKeyUse(idOf(0), use + 1, now);
    use = rootKept ? use + 1 : 0;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
