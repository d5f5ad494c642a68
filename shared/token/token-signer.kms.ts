/**
 * Signs tokens with a KMS key. The public key is published when the keys are first requested, or a second before the first
 * token.
 */
import { createHash, createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, type KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { calculateJwkThumbprint } from 'jose';
import { addSeconds } from '../platform/clock.ts';
import { type Context, oncePerContext } from '../platform/context.ts';
import { cachedRead } from '../platform/expiring-cache.ts';
import {
  publicJwk,
  publishedBeforeUseSeconds,
  publishKey,
  type TokenClaims,
  tokenAlgorithm,
  tokenType,
} from './verify-token.dynamo.ts';

/** Longer than publishing a key takes, including clock differences. */
const recentSeconds = 60;

/** Publishes this process's key, and resolves when the key may sign. */
const preparedKey = oncePerContext(
  (context: Context<'SIGNING_KEYS_TABLE' | 'TOKEN_SIGNING_KEY_ID'> & { readonly kms: KMSClient }) =>
    cachedRead(
      () => prepare(context),
      { maxAgeSeconds: Number.MAX_SAFE_INTEGER, maxEntries: 1 },
      context.clock,
    ),
);

/** Signs with one KMS call. For the first token, a process also reads and publishes the public key. */
export async function signToken(
  context: Context<'SIGNING_KEYS_TABLE' | 'TOKEN_SIGNING_KEY_ID'> & { readonly kms: KMSClient },
  claims: TokenClaims,
): Promise<string> {
  const key = (await preparedKey(context)()) ?? (await prepare(context));
  const content = `${encode({ alg: tokenAlgorithm, typ: tokenType, kid: key.kid })}.${encode(claims)}`;
  const { Signature } = await context.kms.send(
    new SignCommand({
      KeyId: key.keyId,
      Message: createHash('sha256').update(content).digest(),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'ECDSA_SHA_256',
    }),
  );
  if (Signature === undefined) throw new Error('KMS answered without a signature');
  return `${content}.${concatenatedSignature(Signature).toString('base64url')}`;
}

async function prepare(
  context: Context<'SIGNING_KEYS_TABLE' | 'TOKEN_SIGNING_KEY_ID'> & { readonly kms: KMSClient },
) {
  const key = await publishSigningKey(context);
  // The wait starts now, because the write may have taken long. It is also needed if another process has just published the
  // key.
  if (key.publishedAt > addSeconds(context.clock(), -recentSeconds))
    await context.sleep(publishedBeforeUseSeconds * 1000);
  return key;
}

/**
 * Publishes the public key, unless it is already published.
 *
 * @returns the id of the key (not the alias, which may later point to another key); its `kid`, which is the RFC 7638
 * thumbprint of the public key; and when it was published
 */
export async function publishSigningKey(
  context: Context<'SIGNING_KEYS_TABLE' | 'TOKEN_SIGNING_KEY_ID'> & { readonly kms: KMSClient },
) {
  const alias = context.env.TOKEN_SIGNING_KEY_ID;
  const { PublicKey, KeyId = alias } = await context.kms.send(new GetPublicKeyCommand({ KeyId: alias }));
  if (PublicKey === undefined) throw new Error('KMS responded without a public key');
  const key = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
  const jwk = publicJwk.parse(key.export({ format: 'jwk' }));
  const kid = await calculateJwkThumbprint(jwk);
  return { keyId: KeyId, kid, publishedAt: await publishKey(context, kid, jwk) };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const coordinateBytes = 32;
const derSequence = 0x30;
const derInteger = 0x02;

/**
 * Converts a signature from KMS's DER form to the r‖s form of a JWT (RFC 7518, section 3.4).
 *
 * @throws Error if the bytes are not a P-256 signature in DER.
 */
export function concatenatedSignature(der: Uint8Array): Buffer {
  if (der[0] !== derSequence || der[1] !== der.length - 2) throw malformed();
  const r = readInteger(der, 2);
  const s = readInteger(der, r.end);
  if (s.end !== der.length) throw malformed();
  return Buffer.concat([r.value, s.value]);
}

/** Reads one integer of a P-256 signature, which has at most 72 bytes, so every length takes one byte. */
function readInteger(der: Uint8Array, start: number): { value: Buffer; end: number } {
  const length = der[start + 1];
  if (der[start] !== derInteger || length === undefined || length === 0) throw malformed();
  const end = start + 2 + length;
  if (end > der.length) throw malformed();
  // DER omits leading zeros, except for one zero before a byte whose high bit is set.
  const digits = Buffer.from(der.subarray(start + 2, end));
  const significant = digits[0] === 0 ? digits.subarray(1) : digits;
  if (significant.length > coordinateBytes) throw malformed();
  return { value: Buffer.concat([Buffer.alloc(coordinateBytes - significant.length), significant]), end };
}

function malformed(): Error {
  return new Error('the signature is not an ECDSA P-256 signature in DER');
}
