/** The public keys that verify tokens: published before their first token, found by `kid`. */
import * as z from 'zod/mini';

export const publicJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
});

type PublicJwk = z.output<typeof publicJwk>;

export interface SigningKeyStore {
  find(kid: string): Promise<PublicJwk | undefined>;
  /** By `kid`: those that sign, and those that signed tokens that may still be valid. */
  all(): Promise<ReadonlyMap<string, PublicJwk>>;
  /** Does not change an existing key. */
  publish(kid: string, jwk: PublicJwk, at: Date): Promise<void>;
}
