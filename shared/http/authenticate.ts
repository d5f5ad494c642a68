/** Finds out which client sent a request. A refusal is thrown only after the request is counted, so that it counts too. */
import { apiKeyScope, type Client } from '../client/client.ts';
import type { ClientDirectory } from '../client/client-store.dynamo.ts';
import { apiKeyPrefix, isApiKey, secretHash } from '../client/secret-text.ts';
import { errorTexts, GatewayError, standardError } from '../contract/errors.ts';
import type { Scope } from '../contract/routes.ts';
import type { Subject } from '../limit/subject.ts';
import type { Caller } from '../operation/operation.ts';
import { withoutUndefined } from '../platform/object-fields.ts';
import type { TokenVerifier } from '../token/token-verifier.ts';
import {
  beforeDeadline,
  type Identity,
  type IncomingRequest,
  onRequest,
  type Step,
} from './request-context.ts';
import { orUnavailable } from './response.ts';

export type Authenticator = (incoming: IncomingRequest) => Promise<Identity>;

export function authenticate(authenticator: Authenticator): Step {
  return onRequest(async (request) => {
    request.identity = await beforeDeadline(request, orUnavailable(authenticator(request.incoming)));
  });
}

const realm = 'Bearer realm="messaging-gateway"';

/**
 * Authenticates by a bearer token or an API key (contract 3.1 and 3.5). A request with an invalid credential counts
 * against the source address.
 */
export function authenticateBearer(
  clients: ClientDirectory,
  tokens: TokenVerifier,
  scope: Scope,
): Authenticator {
  return async (incoming) => {
    const owner = await ownerOf(incoming);
    if (owner instanceof GatewayError) {
      return { subject: { kind: 'address', address: incoming.sourceIp }, refusal: owner };
    }
    const { client, scopes } = owner;
    const caller: Caller = { clientId: client.client_id, scopes, client };
    const subject: Subject = { kind: 'client', clientId: client.client_id };
    return { subject, caller, ...withoutUndefined({ refusal: refusalOf(caller, scope) }) };
  };

  async function ownerOf({ headers }: IncomingRequest): Promise<CredentialOwner | GatewayError> {
    const [scheme, credential, ...more] = headers.authorization?.trim().split(/ +/) ?? [];
    if (scheme === undefined || scheme === '') return unauthorized('Send an Authorization header.', realm);
    if (scheme.toLowerCase() !== 'bearer' || credential === undefined || more.length > 0) {
      return unauthorized('Send the Authorization header as: Bearer <token>.', realm);
    }
    return credential.startsWith(apiKeyPrefix.live)
      ? await apiKeyOwner(credential)
      : await tokenOwner(credential);
  }

  async function apiKeyOwner(apiKey: string): Promise<CredentialOwner | GatewayError> {
    const row = isApiKey(apiKey) ? await clients.apiKey(secretHash(apiKey)) : undefined;
    const client =
      row === undefined || row.revoked_at !== undefined ? undefined : await clients.client(row.client_id);
    return client === undefined
      ? invalidToken('This API key is not valid.')
      : { client, scopes: client.scopes.filter((scope) => scope === apiKeyScope) };
  }

  async function tokenOwner(token: string): Promise<CredentialOwner | GatewayError> {
    const claims = await tokens.verify(token);
    const client = claims === undefined ? undefined : await clients.client(claims.client_id);
    if (claims === undefined || client === undefined) return invalidToken(errorTexts.unauthorized);
    // A scope that is removed from the client's row is lost at once, before the token expires.
    const granted = new Set(claims.scope.split(' '));
    return { client, scopes: client.scopes.filter((held) => granted.has(held)) };
  }
}

type CredentialOwner = Pick<Caller, 'client' | 'scopes'>;

function refusalOf({ client, scopes }: Caller, scope: Scope): GatewayError | undefined {
  const refusal = accessRefusal(client);
  if (refusal !== undefined) return refusal;
  if (scopes.includes(scope)) return undefined;
  return new GatewayError('forbidden', `This needs the scope ${scope}.`, {
    headers: { 'WWW-Authenticate': `${realm}, error="insufficient_scope", scope="${scope}"` },
  });
}

/** Returns why the client may use nothing, whatever its credential; undefined if it may. */
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
