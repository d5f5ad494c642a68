/**
 * Identifies the client of a request. A refusal is thrown only after the request is counted, so that refused requests count
 * too.
 */
import { apiKeyPrefix, apiKeyScope, type Client, isApiKey, secretHash } from '../client/client.ts';
import { findApiKey, findClient } from '../client/client-store.dynamo.ts';
import { errorTexts, GatewayError, standardError } from '../contract/errors.ts';
import type { Scope } from '../contract/routes.ts';
import type { Subject } from '../limit/limiter.ts';
import type { Caller } from '../operation/operation.ts';
import { type Context, oncePerContext } from '../platform/context.ts';
import { accessCache, cachedRead } from '../platform/expiring-cache.ts';
import { verifyToken } from '../token/verify-token.dynamo.ts';
import type { IncomingRequest } from './read-request.ts';

export interface Identity {
  /** Undefined for a verified callback of a carrier, which is not counted. */
  readonly subject: Subject | undefined;
  readonly caller?: Caller;
  readonly refusal?: GatewayError;
}

const realm = 'Bearer realm="messaging-gateway"';

/**
 * Reads clients through a cache of at most 45 s. With an age of 0, the row itself is read, because it may contain a newer
 * secret.
 */
export const cachedClients = oncePerContext((context: Context<'CLIENTS_TABLE'>) =>
  cachedRead((id) => findClient(context, id), accessCache, context.clock),
);

const cachedApiKeys = oncePerContext((context: Context<'API_KEYS_TABLE'>) =>
  cachedRead((hash) => findApiKey(context, hash), accessCache, context.clock),
);

type BearerContext = Context<
  'CLIENTS_TABLE' | 'API_KEYS_TABLE' | 'SIGNING_KEYS_TABLE' | 'TOKEN_ISSUER' | 'TOKEN_AUDIENCE'
>;

/**
 * Authenticates by a bearer token or an API key (contract 3.1 and 3.5). A request with an invalid credential counts by
 * source address.
 */
export async function authenticateBearer(
  context: BearerContext,
  { headers, sourceIp }: IncomingRequest,
  scope: Scope,
): Promise<Identity> {
  const owner = await credentialOwner(context, headers.authorization);
  if (owner instanceof GatewayError) {
    return { subject: { kind: 'address', address: sourceIp }, refusal: owner };
  }
  const caller: Caller = { clientId: owner.client.client_id, ...owner };
  const subject: Subject = { kind: 'client', clientId: caller.clientId };
  return { subject, caller, refusal: refusalOf(caller, scope) };
}

async function credentialOwner(context: BearerContext, authorization: string | undefined) {
  const [scheme, credential, ...more] = authorization?.trim().split(/ +/) ?? [];
  if (scheme === undefined || scheme === '') return unauthorized('Send an Authorization header.', realm);
  if (scheme.toLowerCase() !== 'bearer' || credential === undefined || more.length > 0) {
    return unauthorized('Send the Authorization header as: Bearer <token>.', realm);
  }
  return credential.startsWith(apiKeyPrefix.live)
    ? await apiKeyOwner(context, credential)
    : await tokenOwner(context, credential);
}

async function apiKeyOwner(context: BearerContext, apiKey: string) {
  const row = isApiKey(apiKey) ? await cachedApiKeys(context)(secretHash(apiKey)) : undefined;
  const client =
    row === undefined || row.revoked_at !== undefined
      ? undefined
      : await cachedClients(context)(row.client_id);
  return client === undefined
    ? invalidToken('This API key is not valid.')
    : { client, scopes: client.scopes.filter((scope) => scope === apiKeyScope) };
}

async function tokenOwner(context: BearerContext, token: string) {
  const claims = await verifyToken(context, token);
  const client = claims === undefined ? undefined : await cachedClients(context)(claims.client_id);
  if (claims === undefined || client === undefined) return invalidToken(errorTexts.unauthorized);
  // If an administrator removes a scope from the client's row, its tokens lose the scope immediately.
  const granted = new Set(claims.scope.split(' '));
  return { client, scopes: client.scopes.filter((held) => granted.has(held)) };
}

function refusalOf({ client, scopes }: Caller, scope: Scope): GatewayError | undefined {
  const refusal = accessRefusal(client);
  if (refusal !== undefined) return refusal;
  if (scopes.includes(scope)) return undefined;
  return new GatewayError('forbidden', `This operation needs the scope ${scope}.`, {
    headers: { 'WWW-Authenticate': `${realm}, error="insufficient_scope", scope="${scope}"` },
  });
}

/** Returns an error if the client may not use the gateway at all; undefined if it may. */
export function accessRefusal(client: Client): GatewayError | undefined {
  return client.disabled ? standardError('forbidden') : undefined;
}

function unauthorized(message: string, challenge: string): GatewayError {
  return new GatewayError('unauthorized', message, { headers: { 'WWW-Authenticate': challenge } });
}

/** RFC 6750, section 3.1. */
function invalidToken(message: string): GatewayError {
  return unauthorized(message, `${realm}, error="invalid_token", error_description="${message}"`);
}
