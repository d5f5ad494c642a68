/**
 * Access tokens are JWTs, signed with ES256 (contract 2.2). This file defines their claims, reads the public keys in the
 * table signing-keys, and verifies tokens.
 */

import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type CryptoKey, errors, importJWK, type JWTHeaderParameters, jwtVerify } from 'jose';
import * as z from 'zod/mini';
import { conditionalPut } from '../platform/aws/conditional-write.dynamo.ts';
import { type Context, oncePerContext } from '../platform/context.ts';
import { cachedRead } from '../platform/expiring-cache.ts';
import { jsonIn } from '../platform/object-fields.ts';

export const publicJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
});

export type PublicJwk = z.output<typeof publicJwk>;

/**
 * Returns the keys by `kid`: those that sign now, and older ones whose tokens may still be valid. A malformed row's key is
 * undefined, so that the other keys still work.
 */
export async function publishedKeys({
  db,
  env,
}: Context<'SIGNING_KEYS_TABLE'>): Promise<ReadonlyMap<string, PublicJwk | undefined>> {
  // The table has one row for each generation of the key, so one page of the scan contains all of them.
  const { Items = [] } = await db.send(
    new ScanCommand({ TableName: env.SIGNING_KEYS_TABLE, ConsistentRead: true }),
  );
  return new Map(Items.map(({ kid, public_jwk }) => [String(kid), jwkIn(public_jwk)]));
}

/** Stores a key, unless it exists. @returns when the key was first published, if its row contains the time */
export async function publishKey(
  { db, env, clock }: Context<'SIGNING_KEYS_TABLE'>,
  kid: string,
  jwk: PublicJwk,
): Promise<Date> {
  const at = clock();
  const publishing = await conditionalPut(db, {
    TableName: env.SIGNING_KEYS_TABLE,
    Item: { kid, public_jwk: JSON.stringify(jwk), created_at: at.toISOString() },
    ConditionExpression: 'attribute_not_exists(kid)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return publishing.applied ? at : new Date(String(publishing.row?.created_at));
}

function jwkIn(text: unknown): PublicJwk | undefined {
  return publicJwk.safeParse(jsonIn(String(text))).data;
}

export const tokenLifetimeSeconds = 3600;
export const tokenAlgorithm = 'ES256';
/** How long a new key is published before its first token, so that every process can read it. */
export const publishedBeforeUseSeconds = 1;
/** Distinguishes access tokens from other JWTs of the same issuer (RFC 9068). */
export const tokenType = 'at+jwt';

const tokenClaims = z.object({
  iss: z.string(),
  aud: z.string(),
  /** The client's id, the same as `client_id`. */
  sub: z.string().check(z.minLength(1)),
  client_id: z.string().check(z.minLength(1)),
  scope: z.string(),
  iat: z.int(),
  exp: z.int(),
  jti: z.string().check(z.minLength(1)),
  /** Present in a token for test data, whose `client_id` is the id of the test data. */
  test: z.optional(z.literal(true)),
});

/** The scopes in a token request, separated by spaces (RFC 6749, section 3.3). */
export const requestedScope = z.optional(z.nullable(z.string().check(z.maxLength(256))));

export type TokenClaims = z.output<typeof tokenClaims>;

/**
 * The ages of this cache and of the token cache add up to five minutes, the longest time for which a revoked key is
 * trusted.
 */
export const keyBounds = { maxAgeSeconds: 240, maxEntries: 1 };
/** Verified tokens are cached, because checking a signature takes much of the CPU time of a request. */
const tokenBounds = { maxAgeSeconds: 60, maxEntries: 1000 };
/** The gateway's `kid` is a SHA-256 in base64url. */
const kidForm = /^[A-Za-z0-9_-]{43}$/;

/** The gateway could not read the keys, although the token may be valid. */
class KeyLookupFailure extends Error {}

/** All published keys are read together, so a token with an invented `kid` cannot delay or reject others. */
const publicKeys = oncePerContext(
  (context: Context<'SIGNING_KEYS_TABLE' | 'TOKEN_ISSUER' | 'TOKEN_AUDIENCE'>) =>
    cachedRead(() => importedKeys(context), keyBounds, context.clock),
);

const cachedClaims = oncePerContext(
  (context: Context<'SIGNING_KEYS_TABLE' | 'TOKEN_ISSUER' | 'TOKEN_AUDIENCE'>) =>
    cachedRead((token) => verifiedClaims(context, token), tokenBounds, context.clock),
);

/**
 * Returns the claims of a token if its signature, issuer, audience, type and time are valid now. Returns `undefined` for
 * any other text.
 */
export async function verifyToken(
  context: Context<'SIGNING_KEYS_TABLE' | 'TOKEN_ISSUER' | 'TOKEN_AUDIENCE'>,
  token: string,
): Promise<TokenClaims | undefined> {
  const claims = await cachedClaims(context)(token);
  return claims !== undefined && claims.exp * 1000 > context.clock().getTime() ? claims : undefined;
}

async function verifiedClaims(
  context: Context<'SIGNING_KEYS_TABLE' | 'TOKEN_ISSUER' | 'TOKEN_AUDIENCE'>,
  token: string,
): Promise<TokenClaims | undefined> {
  try {
    const { payload } = await jwtVerify(token, (header) => keyFor(context, header), {
      algorithms: [tokenAlgorithm],
      issuer: context.env.TOKEN_ISSUER,
      audience: context.env.TOKEN_AUDIENCE,
      typ: tokenType,
      requiredClaims: ['exp', 'iat', 'sub', 'jti'],
      currentDate: context.clock(),
    });
    const { data: claims } = tokenClaims.safeParse(payload);
    return claims?.sub === claims?.client_id ? claims : undefined;
  } catch (error) {
    if (error instanceof KeyLookupFailure) throw error.cause;
    // All other errors are caused by the token itself.
    return undefined;
  }
}

async function keyFor(
  context: Context<'SIGNING_KEYS_TABLE' | 'TOKEN_ISSUER' | 'TOKEN_AUDIENCE'>,
  { kid }: JWTHeaderParameters,
): Promise<CryptoKey> {
  // The header is not verified yet, so `kid` can be any JSON value.
  const known: unknown = kid;
  if (typeof known !== 'string' || !kidForm.test(known)) throw new errors.JWKSNoMatchingKey();
  const keys = await keysWith(context, known).catch((cause: unknown) => {
    throw new KeyLookupFailure('the signing keys could not be read', { cause });
  });
  if (!keys.has(known)) throw new errors.JWKSNoMatchingKey();
  const key = keys.get(known);
  if (key !== undefined) return key;
  throw new KeyLookupFailure('a signing key is malformed', { cause: new Error(`signing key ${known}`) });
}

/**
 * Returns the public keys by `kid`; undefined for a malformed key. An unknown `kid` causes another read, at most twice a
 * second. This is often enough, because a new key is published a second before its first token.
 */
async function keysWith(
  context: Context<'SIGNING_KEYS_TABLE' | 'TOKEN_ISSUER' | 'TOKEN_AUDIENCE'>,
  kid: string,
): ReturnType<typeof importedKeys> {
  const read = publicKeys(context);
  const keys = await read();
  return keys?.has(kid) ? keys : ((await read('', publishedBeforeUseSeconds / 2)) ?? new Map());
}

async function importedKeys(
  context: Context<'SIGNING_KEYS_TABLE' | 'TOKEN_ISSUER' | 'TOKEN_AUDIENCE'>,
): Promise<ReadonlyMap<string, CryptoKey | undefined>> {
  const published = [...(await publishedKeys(context))];
  const keys = published.map(async ([kid, jwk]) => [kid, await importKey(jwk)] as const);
  return new Map(await Promise.all(keys));
}

async function importKey(jwk: PublicJwk | undefined): Promise<CryptoKey | undefined> {
  const key = jwk && (await importJWK(jwk, tokenAlgorithm).catch(() => undefined));
  return key instanceof Uint8Array ? undefined : key;
}
