/** A client and its API keys as rows: they have hashes of the secrets, never a secret. */
import * as z from 'zod/mini';
import { type Scope, scopes } from '../contract/routes.ts';
import { sameHash, secretHash } from './secret-text.ts';

const instant = z.iso.datetime();

const secretRow = z.object({
  /** SHA-256, hexadecimal. */
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  created_at: instant,
  /** Set on the older secret when a new one is made. */
  expires_at: z.optional(instant),
});

/** Whether `text` has the form of a client id; other texts are refused without a read. */
export function isClientId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(text);
}

export const clientRow = z.object({
  client_id: z.string().check(z.minLength(1)),
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  disabled: z.boolean(),
  /** Newest first; at most two. */
  secrets: z.array(secretRow),
  webhook_url: z.optional(z.string()),
  created_at: instant,
  /** If present, the only countries (ISO 3166-1 alpha-2) and senders that this client may use. */
  countries: z.optional(z.array(z.string())),
  senders: z.optional(z.array(z.string())),
});

export type Client = z.output<typeof clientRow>;
export type ClientSecret = Client['secrets'][number];

/** A row of `api-keys`. The key itself is not stored. */
export const apiKeyRow = z.object({
  key_hash: z.string(),
  key_id: z.string(),
  client_id: z.string(),
  created_at: instant,
  revoked_at: z.optional(instant),
});

/** The only scope of an API key: it never expires, so it must not give access to the admin API. */
export const apiKeyScope = 'messages' satisfies Scope;

export type ApiKey = z.output<typeof apiKeyRow>;

/** Whether a secret is valid at `now`. */
export function isLive(secret: { readonly expires_at?: string | undefined }, now: Date): boolean {
  return secret.expires_at === undefined || now.getTime() < Date.parse(secret.expires_at);
}

/** Whether `secret` is one of the client's valid secrets. Always compares with all of them, for constant time. */
export function hasSecret(client: Client, secret: string, now: Date): boolean {
  const hash = secretHash(secret);
  let found = false;
  for (const known of client.secrets) {
    if (sameHash(known.hash, hash) && isLive(known, now)) found = true;
  }
  return found;
}
