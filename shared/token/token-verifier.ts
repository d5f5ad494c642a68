/** Verifies access tokens with the published keys: signature, issuer, audience, type and time. */
import { type CryptoKey, errors, importJWK, type JWTHeaderParameters, jwtVerify } from 'jose';
import type { Clock } from '../platform/clock.ts';
import { CachedReader, ExpiringMap } from '../platform/expiring-cache.ts';
import type { SigningKeyStore } from './signing-keys.dynamo.ts';
import { type TokenClaims, tokenAlgorithm, tokenClaims, tokenType } from './token-claims.ts';

export type TokenVerifier = ReturnType<typeof tokenVerifier>;

interface ExpectedToken {
  readonly issuer: string;
  readonly audience: string;
}

/** A revoked key is trusted for at most this time and that of the token cache together: five minutes. */
export const keyBounds = { maxAgeSeconds: 240, maxEntries: 10 };
/** A verified token is cached, because checking its signature takes much of the CPU time of a request. */
const tokenBounds = { seconds: 60, maxEntries: 1000 };
/** Limits the reads for `kid`s that do not exist: failed look-ups in this many seconds. */
const unknownKids = { lookups: 3, perSeconds: 5 };
/** A `kid` of ours is a SHA-256 in base64url. */
const kidForm = /^[A-Za-z0-9_-]{43}$/;

/** An error of the gateway, not of the token. */
class KeyLookupFailure extends Error {}

export function tokenVerifier(keys: Pick<SigningKeyStore, 'find'>, expected: ExpectedToken, clock: Clock) {
  const cache = new CachedReader(readKey, keyBounds, clock);
  const verified = new ExpiringMap<TokenClaims>(tokenBounds.maxEntries);
  const refusedKids = new ExpiringMap<true>(unknownKids.lookups);
  const knownKids = new Set<string>();
  let failedLookups: number[] = [];

  return {
    /** The claims of a token that is valid at `now`; `undefined` for every other text. */
    async verify(token: string, now: Date): Promise<TokenClaims | undefined> {
      const remembered = verified.get(token, now);
      if (remembered !== undefined) return remembered;
      try {
        const { payload } = await jwtVerify(token, keyFor, {
          algorithms: [tokenAlgorithm],
          issuer: expected.issuer,
          audience: expected.audience,
          typ: tokenType,
          requiredClaims: ['exp', 'iat', 'sub', 'jti'],
          currentDate: now,
        });
        const claims = tokenClaims.safeParse(payload);
        if (!claims.success || claims.data.sub !== claims.data.client_id) return undefined;
        const forgetAtMs = Math.min(claims.data.exp * 1000, now.getTime() + tokenBounds.seconds * 1000);
        verified.set(token, claims.data, now, forgetAtMs);
        return claims.data;
      } catch (error) {
        if (error instanceof KeyLookupFailure) throw error.cause;
        // All other errors are caused by the token.
        return undefined;
      }
    },
  };

  async function keyFor({ kid }: JWTHeaderParameters): Promise<CryptoKey> {
    // The header is not verified yet, so `kid` may be any JSON value.
    const known: unknown = kid;
    if (typeof known !== 'string' || !kidForm.test(known)) throw new errors.JWKSNoMatchingKey();
    const key = await cache.get(known).catch((cause: unknown) => {
      throw new KeyLookupFailure('a signing key could not be read', { cause });
    });
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  }

  /** Reads a `kid` that is not cached: the key may be new, or due to be read again, or not exist. */
  async function readKey(kid: string): Promise<CryptoKey | undefined> {
    const now = clock();
    const since = now.getTime() - unknownKids.perSeconds * 1000;
    failedLookups = failedLookups.filter((at) => at > since);
    const mayLookUp = failedLookups.length < unknownKids.lookups && refusedKids.get(kid, now) === undefined;
    if (!mayLookUp && !knownKids.has(kid)) return undefined;
    const jwk = await keys.find(kid);
    if (jwk === undefined) {
      knownKids.delete(kid);
      failedLookups.push(now.getTime());
      refusedKids.set(kid, true, now, now.getTime() + unknownKids.perSeconds * 1000);
      return undefined;
    }
    const key = await importJWK(jwk, tokenAlgorithm);
    if (key instanceof Uint8Array) throw new Error('a signing key is not a public key');
    knownKids.add(kid);
    return key;
  }
}
