/** Creates and compares secrets: 256 random bits, stored as SHA-256, compared in constant time (contract 2.5). */
import { createHash, timingSafeEqual } from 'node:crypto';
import { clientIdIn, type Mode } from '../contract/mode.ts';
import { base32 } from '../platform/ids.ts';

/** Returns `size` bytes from a cryptographically secure source. */
export type RandomBytes = (size: number) => Buffer;

const secretBytes = 32;
const idBytes = 10;

const clientSecretPrefix = { live: 'cs_', test: 'cs_test_' } as const;
export const apiKeyPrefix = { live: 'sk-', test: 'sk-test-' } as const;
const webhookSecretPrefix = 'whsec_';

export function newClientSecret(random: RandomBytes, mode: Mode): string {
  return clientSecretPrefix[mode] + random(secretBytes).toString('base64url');
}

export function newApiKey(random: RandomBytes, mode: Mode): string {
  return apiKeyPrefix[mode] + random(secretBytes).toString('base64url');
}

export function newWebhookSecret(random: RandomBytes): string {
  return webhookSecretPrefix + random(secretBytes).toString('base64');
}

/** True if `text` has the form of an API key. Other texts are refused without a read. */
export function isApiKey(text: string): boolean {
  return /^sk-(?:test-)?[A-Za-z0-9_-]{43}$/.test(text);
}

/** Returns the client id in the mode of the secret. The client itself uses one id with both secrets. */
export function clientIdFor(secret: string, clientId: string): string {
  return /^cs_test_[A-Za-z0-9_-]{43}$/.test(secret) ? clientIdIn('test', clientId) : clientId;
}

export function newClientId(random: RandomBytes): string {
  return `client_${shortId(random)}`;
}

export function newApiKeyId(random: RandomBytes): string {
  return `key_${shortId(random)}`;
}

/** Returns the SHA-256 in hexadecimal. A fast hash is enough, because 256 random bits cannot be guessed. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

/** Compares two SHA-256 hashes in hexadecimal, in constant time. */
export function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a, 'hex');
  const right = Buffer.from(b, 'hex');
  return left.length === right.length && timingSafeEqual(left, right);
}

function shortId(random: RandomBytes): string {
  return base32(random(idBytes)).toLowerCase();
}
