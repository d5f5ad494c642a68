/** Who a request is from and on whom it counts. A refusal is kept until the request is counted, so that it counts too. */
import type { Caller } from '../api.ts';
import { apiKeyScope, type Client } from '../client/client.ts';
import type { ClientDirectory } from '../client/client-store.ts';
import { apiKeyPrefix, isApiKey, secretHash } from '../client/secret-text.ts';
import { GatewayError } from '../errors.ts';
import type { Subject } from '../rate-limit/subject.ts';
import type { Scope } from '../routes.ts';
import type { TokenVerifier } from '../token/token-verifier.ts';
import type { RawBody } from './body.ts';

/** What can be known of a request before it is counted. */
export interface Arrival {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: RawBody;
  readonly sourceIp: string;
  readonly now: Date;
}

export interface Identity {
  readonly subject: Subject;
  readonly caller?: Caller;
  readonly refusal?: GatewayError;
}

export type Identify = (arrival: Arrival) => Promise<Identity>;

interface BearerParts {
  readonly clients: ClientDirectory;
  readonly tokens: TokenVerifier;
}

const realm = 'Bearer realm="messaging-gateway"';

/** For a route that anyone may ask: it counts on the source address. */
export const identifyAddress: Identify = async ({ sourceIp }) => ({
  subject: { kind: 'address', address: sourceIp },
});

/** A bearer token or an API key (specification, section 5). What fails counts on the source address. */
export function identifyBearer({ clients, tokens }: BearerParts, scope: Scope): Identify {
  return async (arrival) => {
    const holder = await holderOf(arrival);
    if (holder instanceof GatewayError) {
      return { subject: { kind: 'address', address: arrival.sourceIp }, refusal: holder };
    }
    const { client, scopes } = holder;
    const caller: Caller = { clientId: client.client_id, scopes, client };
    const refusal = refusalOf(caller, scope);
    const subject: Subject = { kind: 'client', clientId: client.client_id };
    return { subject, caller, ...(refusal === undefined ? {} : { refusal }) };
  };

  async function holderOf({ headers, now }: Arrival): Promise<Holder | GatewayError> {
    const [scheme, credential, ...more] = headers.authorization?.trim().split(/ +/) ?? [];
    if (scheme === undefined || scheme === '') return unauthorized('Send an Authorization header.', realm);
    if (scheme.toLowerCase() !== 'bearer' || credential === undefined || more.length > 0) {
      return unauthorized('Send the Authorization header as: Bearer <token>.', realm);
    }
    return credential.startsWith(apiKeyPrefix)
      ? await keyHolder(credential)
      : await tokenHolder(credential, now);
  }

  async function keyHolder(apiKey: string): Promise<Holder | GatewayError> {
    const row = isApiKey(apiKey) ? await clients.apiKey(secretHash(apiKey)) : undefined;
    const client =
      row === undefined || row.revoked_at !== undefined ? undefined : await clients.client(row.client_id);
    return client === undefined
      ? invalidToken('This API key is not valid.')
      : { client, scopes: client.scopes.filter((scope) => scope === apiKeyScope) };
  }

  async function tokenHolder(token: string, now: Date): Promise<Holder | GatewayError> {
    const claims = await tokens.verify(token, now);
    const client = claims === undefined ? undefined : await clients.client(claims.client_id);
    if (claims === undefined || client === undefined) {
      return invalidToken('This access token is not valid or no longer valid.');
    }
    // A scope that was taken from the client ends with the row, not with the token.
    const granted = new Set(claims.scope.split(' '));
    return { client, scopes: client.scopes.filter((held) => granted.has(held)) };
  }
}

interface Holder {
  readonly client: Client;
  readonly scopes: readonly Scope[];
}

function refusalOf({ client, scopes }: Caller, scope: Scope): GatewayError | undefined {
  if (client.disabled) return clientDisabled();
  if (scopes.includes(scope)) return undefined;
  return new GatewayError('forbidden', `This needs the scope ${scope}.`, {
    headers: { 'WWW-Authenticate': `${realm}, error="insufficient_scope", scope="${scope}"` },
  });
}

export function clientDisabled(): GatewayError {
  return new GatewayError('forbidden', 'This client is disabled.');
}

function unauthorized(message: string, challenge: string): GatewayError {
  return new GatewayError('unauthorized', message, { headers: { 'WWW-Authenticate': challenge } });
}

/** RFC 6750, section 3.1. */
function invalidToken(message: string): GatewayError {
  return unauthorized(message, `${realm}, error="invalid_token", error_description="${message}"`);
}
