/** Says whose token this is, or refuses it: signature, issuer, audience, type and time, by keys that we published. */
import { type CryptoKey, errors, importJWK, type JWTHeaderParameters, jwtVerify } from 'jose';
import type { Clock } from '../platform/clock.ts';
import { CachedReader, ExpiringMap } from '../platform/expiring-cache.ts';
import type { SigningKeyStore } from './signing-keys.ts';
import { type TokenClaims, tokenAlgorithm, tokenClaims, tokenType } from './token-claims.ts';

export interface TokenVerifier {
  /** The claims of a token that holds at this moment; `undefined` for every other text. */
  verify(token: string, now: Date): Promise<TokenClaims | undefined>;
}

interface ExpectedToken {
  readonly issuer: string;
  readonly audience: string;
}

/** A key that was withdrawn is trusted no longer than this and the memory of tokens together: five minutes. */
const keyBounds = { maxAgeSeconds: 240, maxEntries: 10 };
/** A token that held is not verified again for so long: its signature is a third of what a request costs us. */
const tokenMemory = { seconds: 60, maxEntries: 1000 };
/** How many unknown `kid`s may be looked up in vain in so many seconds: invented ones must not become a flood of reads. */
const unknownKids = { lookups: 3, perSeconds: 5 };
/** Ours are base64url SHA-256. */
const kidForm = /^[A-Za-z0-9_-]{43}$/;

/** A fault of ours, not of the token. */
class KeyLookupFailure extends Error {}

export function tokenVerifier(
  keys: Pick<SigningKeyStore, 'find'>,
  expected: ExpectedToken,
  clock: Clock,
): TokenVerifier {
  const cache = new CachedReader(readKey, keyBounds, clock);
  const verified = new ExpiringMap<TokenClaims>(tokenMemory.maxEntries);
  const refusedKids = new ExpiringMap<true>(unknownKids.lookups);
  const knownKids = new Set<string>();
  let vainLookups: number[] = [];

  return {
    async verify(token, now) {
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
        const forgetAtMs = Math.min(claims.data.exp * 1000, now.getTime() + tokenMemory.seconds * 1000);
        verified.set(token, claims.data, now, forgetAtMs);
        return claims.data;
      } catch (error) {
        if (error instanceof KeyLookupFailure) throw error.cause;
        // All else is what the token's own bytes brought about.
        return undefined;
      }
    },
  };

  async function keyFor({ kid }: JWTHeaderParameters): Promise<CryptoKey> {
    // A header is whatever JSON its sender wrote.
    const known: unknown = kid;
    if (typeof known !== 'string' || !kidForm.test(known)) throw new errors.JWKSNoMatchingKey();
    const key = await cache.get(known).catch((cause: unknown) => {
      throw new KeyLookupFailure('a signing key could not be read', { cause });
    });
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  }

  /** A `kid` that is not remembered: of a key published a moment ago, or known and due to be read again, or invented. */
  async function readKey(kid: string): Promise<CryptoKey | undefined> {
    const now = clock();
    const since = now.getTime() - unknownKids.perSeconds * 1000;
    vainLookups = vainLookups.filter((at) => at > since);
    const mayLookUp = vainLookups.length < unknownKids.lookups && refusedKids.get(kid, now) === undefined;
    if (!mayLookUp && !knownKids.has(kid)) return undefined;
    const jwk = await keys.find(kid);
    if (jwk === undefined) {
      knownKids.delete(kid);
      vainLookups.push(now.getTime());
      refusedKids.set(kid, true, now, now.getTime() + unknownKids.perSeconds * 1000);
      return undefined;
    }
    const key = await importJWK(jwk, tokenAlgorithm);
    if (key instanceof Uint8Array) throw new Error('a signing key is not a public key');
    knownKids.add(kid);
    return key;
  }
}
