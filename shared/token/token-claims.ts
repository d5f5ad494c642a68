/** The claims of an access token, a JWT signed with ES256 (contract 2.2). */
import * as z from 'zod/mini';

export const tokenLifetimeSeconds = 3600;
export const tokenAlgorithm = 'ES256';
/** A new key signs its first token this long after it was published, so that every process can have read it by then. */
export const publishedBeforeUseSeconds = 1;
/** RFC 9068: distinguishes an access token from other JWTs of the same issuer. */
export const tokenType = 'at+jwt';

export const tokenClaims = z.object({
  iss: z.string(),
  aud: z.string(),
  /** The client's id, the same as `client_id`. */
  sub: z.string().check(z.minLength(1)),
  client_id: z.string().check(z.minLength(1)),
  scope: z.string(),
  iat: z.int(),
  exp: z.int(),
  jti: z.string().check(z.minLength(1)),
  /** Present on a token for test data. Its `client_id` is then the id of the test data. */
  test: z.optional(z.literal(true)),
});

/** The scopes in a token request, separated by spaces (RFC 6749, section 3.3). */
export const requestedScope = z.optional(z.nullable(z.string().check(z.maxLength(256))));

export type TokenClaims = z.output<typeof tokenClaims>;
