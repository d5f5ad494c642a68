/** Verifies access tokens with the published keys: signature, issuer, audience, type and time. */
import { type CryptoKey, errors, importJWK, type JWTHeaderParameters, jwtVerify } from 'jose';
import type { Clock } from '../platform/clock.ts';
import { cachedRead } from '../platform/expiring-cache.ts';
import type { PublicJwk, SigningKeyStore } from './signing-keys.dynamo.ts';
import {
  publishedBeforeUseSeconds,
  type TokenClaims,
  tokenAlgorithm,
  tokenClaims,
  tokenType,
} from './token-claims.ts';

export type TokenVerifier = ReturnType<typeof tokenVerifier>;

/** With the time of the token cache, a revoked key is trusted for at most five minutes. */
export const keyBounds = { maxAgeSeconds: 240, maxEntries: 1 };
/** A verified token is cached, because checking its signature takes much of the CPU time of a request. */
const tokenBounds = { maxAgeSeconds: 60, maxEntries: 1000 };
/** A `kid` of ours is a SHA-256 in base64url. */
const kidForm = /^[A-Za-z0-9_-]{43}$/;

/** An error of the gateway, not of the token. */
class KeyLookupFailure extends Error {}

/**
 * Verifies tokens. All published keys are read at once, so a token with an invented `kid` neither delays nor refuses
 * one with a published `kid`. An unknown `kid` causes another read, at most twice a second; a new key is published
 * longer than that before its first token.
 */
export function tokenVerifier(
  published: Pick<SigningKeyStore, 'all'>,
  expected: { readonly issuer: string; readonly audience: string },
  clock: Clock,
) {
  const publicKeys = cachedRead(readKeys, keyBounds, clock);
  const claimsOf = cachedRead(verifiedClaims, tokenBounds, clock);

  return {
    /** Returns the claims of a valid token; `undefined` for every other text. */
    async verify(token: string): Promise<TokenClaims | undefined> {
      const claims = await claimsOf(token);
      return claims !== undefined && claims.exp * 1000 > clock().getTime() ? claims : undefined;
    },
  };

  async function verifiedClaims(token: string): Promise<TokenClaims | undefined> {
    try {
      const { payload } = await jwtVerify(token, keyFor, {
        algorithms: [tokenAlgorithm],
        issuer: expected.issuer,
        audience: expected.audience,
        typ: tokenType,
        requiredClaims: ['exp', 'iat', 'sub', 'jti'],
        currentDate: clock(),
      });
      const { data: claims } = tokenClaims.safeParse(payload);
      return claims?.sub === claims?.client_id ? claims : undefined;
    } catch (error) {
      if (error instanceof KeyLookupFailure) throw error.cause;
      // All other errors are caused by the token.
      return undefined;
    }
  }

  async function keyFor({ kid }: JWTHeaderParameters): Promise<CryptoKey> {
    // The header is not verified yet, so `kid` may be any JSON value.
    const known: unknown = kid;
    if (typeof known !== 'string' || !kidForm.test(known)) throw new errors.JWKSNoMatchingKey();
    const keys = await keysWith(known).catch((cause: unknown) => {
      throw new KeyLookupFailure('the signing keys could not be read', { cause });
    });
    if (!keys.has(known)) throw new errors.JWKSNoMatchingKey();
    const key = keys.get(known);
    if (key !== undefined) return key;
    throw new KeyLookupFailure('a signing key is malformed', { cause: new Error(`signing key ${known}`) });
  }

  async function keysWith(kid: string): Promise<PublicKeys> {
    const keys = await publicKeys();
    return keys?.has(kid) ? keys : ((await publicKeys('', publishedBeforeUseSeconds / 2)) ?? new Map());
  }

  async function readKeys(): Promise<PublicKeys> {
    const keys = [...(await published.all())].map(async ([kid, jwk]) => [kid, await importKey(jwk)] as const);
    return new Map(await Promise.all(keys));
  }
}

/** The public keys by `kid`; undefined for a malformed key. */
type PublicKeys = ReadonlyMap<string, CryptoKey | undefined>;

async function importKey(jwk: PublicJwk | undefined): Promise<CryptoKey | undefined> {
  const key = jwk && (await importJWK(jwk, tokenAlgorithm).catch(() => undefined));
  return key instanceof Uint8Array ? undefined : key;
}
