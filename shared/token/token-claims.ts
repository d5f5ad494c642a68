/** What an access token says: a JWT signed ES256 that its holder can't alter (contract, section 2). */
import * as z from 'zod/mini';

export const tokenLifetimeSeconds = 3600;
export const tokenAlgorithm = 'ES256';
/** RFC 9068: tells an access token from any other JWT that the same issuer may sign. */
export const tokenType = 'at+jwt';

export const tokenClaims = z.object({
  iss: z.string(),
  aud: z.string(),
  /** The client's id, as is `client_id`. */
  sub: z.string().check(z.minLength(1)),
  client_id: z.string().check(z.minLength(1)),
  /** Scopes, separated by a space. */
  scope: z.string(),
  iat: z.int(),
  exp: z.int(),
  jti: z.string().check(z.minLength(1)),
});

/** Scopes as a token request may ask for them, separated by spaces (RFC 6749, section 3.3). */
export const requestedScope = z.optional(z.nullable(z.string().check(z.maxLength(256))));

export type TokenClaims = z.output<typeof tokenClaims>;

/** Signs the claims into a compact JWT. Only the token function has one. */
export interface TokenSigner {
  sign(claims: TokenClaims): Promise<string>;
}
