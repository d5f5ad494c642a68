/** A client and its API keys as rows, and their secrets: 256 random bits, stored as SHA-256, compared in constant time (contract 2.5). */

import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { clientIdIn, type Mode, nameIn } from '../contract/mode.ts';
import { type Scope, scopes } from '../contract/routes.ts';
import { base32 } from '../platform/ids.ts';
import { openObject } from '../platform/object-fields.ts';

const instant = z.iso.datetime();

/** The list is compared and written as a whole, so this schema keeps fields that a later release adds. */
const secretRow = openObject({
  /** SHA-256, hexadecimal. */
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  created_at: instant,
  /** Set on the older secret when a new one is created. */
  expires_at: z.optional(instant),
});

/** True if `text` has the form of a client id. Other texts are refused without reading the table. */
export function isClientId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(text);
}

export const clientRow = z.object({
  client_id: z.string().check(z.minLength(1)),
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  disabled: z.boolean(),
  /** At most two secrets, newest first. */
  secrets: z.array(secretRow),
  webhook_url: z.optional(z.string()),
  /** The secrets for test tokens, and the URL of test webhooks if it differs from `webhook_url`. */
  test_secrets: z.optional(z.array(secretRow)),
  test_webhook_url: z.nullish(z.string()),
  /** True if typographic characters of SMS are replaced by default; test requests can set another value for themselves. */
  smart_encoding: z.optional(z.boolean()),
  test_smart_encoding: z.optional(z.boolean()),
  created_at: instant,
  /** The only countries (ISO 3166-1 alpha-2) and senders that this client may use; absent if all are allowed. */
  countries: z.optional(z.array(z.string())),
  senders: z.optional(z.array(z.string())),
});

export type Client = z.output<typeof clientRow>;
export type ClientSecret = Client['secrets'][number];

export function inMode(client: Client, mode: Mode): Client {
  return mode === 'test' ? inTestMode(client) : client;
}

/**
 * Returns the client as its test keys use it: with the id of its test data, its test secrets, and otherwise the client's
 * settings. A test key cannot use the admin API.
 */
function inTestMode(client: Client): Client {
  const { test_secrets, webhook_url: liveUrl, test_webhook_url, secrets: _secrets, ...settings } = client;
  const { test_smart_encoding, ...rest } = settings;
  return {
    ...rest,
    client_id: clientIdIn('test', client.client_id),
    name: nameIn('test', client.name),
    scopes: client.scopes.filter((scope) => scope === apiKeyScope),
    secrets: test_secrets ?? [],
    // Null if a test key removed the URL.
    webhook_url: test_webhook_url === undefined ? liveUrl : (test_webhook_url ?? undefined),
    smart_encoding: test_smart_encoding ?? client.smart_encoding,
  };
}

/** A row of `api-keys`, which does not contain the key itself. */
export const apiKeyRow = z.object({
  key_hash: z.string(),
  key_id: z.string(),
  client_id: z.string(),
  created_at: instant,
  revoked_at: z.optional(instant),
  /** True if a restore revoked the key, and no administrator has enabled or revoked it since (contract 8.8). */
  held: z.optional(z.literal(true)),
});

/** The only scope of an API key. Because a key never expires, it must not give access to the admin API. */
export const apiKeyScope = 'messages' satisfies Scope;

export type ApiKey = z.output<typeof apiKeyRow>;

export function isLive(secret: { readonly expires_at?: string | undefined }, now: Date): boolean {
  return secret.expires_at === undefined || now.getTime() < Date.parse(secret.expires_at);
}

/** True if `secret` is one of the client's valid secrets. All secrets are always compared, in constant time. */
export function hasSecret(client: Client, secret: string, now: Date): boolean {
  const hash = secretHash(secret);
  let found = false;
  for (const known of client.secrets) {
    if (sameHash(known.hash, hash) && isLive(known, now)) found = true;
  }
  return found;
}

const secretBytes = 32;
const idBytes = 10;

const clientSecretPrefix = { live: 'cs_', test: 'cs_test_' } as const;
export const apiKeyPrefix = { live: 'sk-', test: 'sk-test-' } as const;
const webhookSecretPrefix = 'whsec_';

export function newClientSecret(random: (size: number) => Buffer, mode: Mode): string {
  return clientSecretPrefix[mode] + random(secretBytes).toString('base64url');
}

export function newApiKey(random: (size: number) => Buffer, mode: Mode): string {
  return apiKeyPrefix[mode] + random(secretBytes).toString('base64url');
}

export function newWebhookSecret(random: (size: number) => Buffer): string {
  return webhookSecretPrefix + random(secretBytes).toString('base64');
}

/** True if `text` has the form of an API key. Other texts are refused without reading the table. */
export function isApiKey(text: string): boolean {
  return /^sk-(?:test-)?[A-Za-z0-9_-]{43}$/.test(text);
}

/** Returns the client id in the secret's mode. Token requests use the same id with live and test secrets. */
export function clientIdFor(secret: string, clientId: string): string {
  return /^cs_test_[A-Za-z0-9_-]{43}$/.test(secret) ? clientIdIn('test', clientId) : clientId;
}

export function newClientId(random: (size: number) => Buffer): string {
  return `client_${shortId(random)}`;
}

export function newApiKeyId(random: (size: number) => Buffer): string {
  return `key_${shortId(random)}`;
}

/** Returns the SHA-256 in hexadecimal. A fast hash suffices, because 256 random bits cannot be guessed. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

/** Compares two SHA-256 hashes in hexadecimal, in constant time. */
function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a, 'hex');
  const right = Buffer.from(b, 'hex');
  return left.length === right.length && timingSafeEqual(left, right);
}

function shortId(random: (size: number) => Buffer): string {
  return base32(random(idBytes)).toLowerCase();
}
