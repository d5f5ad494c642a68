/** Makes and compares secrets: at least 256 random bits, kept as SHA-256, compared in constant time (contract, section 2). */
import { createHash, timingSafeEqual } from 'node:crypto';

/** `size` bytes nobody can foresee. */
export type RandomBytes = (size: number) => Buffer;

const secretBytes = 32;
const idBytes = 10;
/** Lower-case base32 without letters that are mistaken for digits. */
const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';

const clientSecretPrefix = 'cs_';
export const apiKeyPrefix = 'sk-';
const webhookSecretPrefix = 'whsec_';

export function newClientSecret(random: RandomBytes): string {
  return clientSecretPrefix + random(secretBytes).toString('base64url');
}

export function newApiKey(random: RandomBytes): string {
  return apiKeyPrefix + random(secretBytes).toString('base64url');
}

/** In the form of Standard Webhooks. */
export function newWebhookSecret(random: RandomBytes): string {
  return webhookSecretPrefix + random(secretBytes).toString('base64');
}

/** Whether `text` can be an API key at all: what can't is refused without a read. */
export function isApiKey(text: string): boolean {
  return /^sk-[A-Za-z0-9_-]{43}$/.test(text);
}

export function newClientId(random: RandomBytes): string {
  return `client_${shortId(random)}`;
}

export function newApiKeyId(random: RandomBytes): string {
  return `key_${shortId(random)}`;
}

/** SHA-256 in hexadecimal. A fast hash is enough: nobody guesses 256 random bits. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

/** Compares two SHA-256 hashes in hexadecimal in a time that tells nothing about either. */
export function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a, 'hex');
  const right = Buffer.from(b, 'hex');
  return left.length === right.length && timingSafeEqual(left, right);
}

function shortId(random: RandomBytes): string {
  let bits = BigInt(`0x${random(idBytes).toString('hex')}`);
  let text = '';
  for (let i = 0; i < (idBytes * 8) / 5; i += 1) {
    text += idAlphabet.charAt(Number(bits & 31n));
    bits >>= 5n;
  }
  return text;
}
