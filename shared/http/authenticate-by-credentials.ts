/** Authenticates a token request by the client's credentials, which are in the body or the header (contract 2.1). */
import * as z from 'zod/mini';
import { clientIdFor, hasSecret } from '../client/client.ts';
import { GatewayError, standardError } from '../contract/errors.ts';
import { parseFields } from '../operation/operation.ts';
import type { Context } from '../platform/context.ts';
import { requestedScope } from '../token/verify-token.dynamo.ts';
import { accessRefusal, cachedClients, type Identity } from './authenticate.ts';
import { type BodyFormat, formDecoded, type IncomingRequest, readBody } from './read-request.ts';

export const tokenRequestFormats: readonly BodyFormat[] = ['json', 'form'];
/** Far more than credentials need, because the body is read before the request is counted. */
export const tokenRequestBytesMax = 8 * 1024;

const text = z.string().check(z.minLength(1), z.maxLength(256));
/** The body of `POST /api/v1/auth/token` if it contains the credentials. */
export const credentialsInBody = z.object({
  client_id: text,
  client_secret: text,
  // Another grant type is refused only after the credentials are verified (RFC 6749, section 5.2).
  grant_type: text.check(z.meta({ enum: ['client_credentials'] })),
  scope: requestedScope,
});
const credentialsInHeader = z.object({
  client_id: z.optional(text),
  client_secret: z.optional(
    z.undefined({ error: 'Send the credentials once: here or in the Authorization header.' }),
  ),
  grant_type: text,
  scope: requestedScope,
});

/**
 * Authenticates by client id and secret. A request with valid credentials counts for its client, and any other by source
 * address, so that guesses cannot use up a client's limit. The secret is therefore compared before the request is counted.
 */
export async function authenticateByCredentials(
  context: Context<'CLIENTS_TABLE'>,
  request: IncomingRequest,
): Promise<Identity> {
  const client = await clientOf(context, request).catch((error: unknown) => {
    if (error instanceof GatewayError) return error;
    throw error;
  });
  if (client instanceof GatewayError) {
    return { subject: { kind: 'address', address: request.sourceIp }, refusal: client };
  }
  const subject = { kind: 'client', clientId: client.client_id } as const;
  const caller = { clientId: client.client_id, scopes: client.scopes, client };
  return { subject, caller, refusal: accessRefusal(client) };
}

async function clientOf(context: Context<'CLIENTS_TABLE'>, request: IncomingRequest) {
  const { clientId: given, secret } = readCredentials(request);
  const clientId = clientIdFor(secret, given);
  const client = cachedClients(context);
  const known = await client(clientId);
  if (known !== undefined && hasSecret(known, secret, request.now)) return known;
  // The secret may be newer than the cached row.
  const fresh = known === undefined ? undefined : await client(clientId, 0);
  if (fresh !== undefined && hasSecret(fresh, secret, request.now)) return fresh;
  throw invalidClient();
}

function readCredentials(request: IncomingRequest): {
  readonly clientId: string;
  readonly secret: string;
} {
  const body = readBody(request, tokenRequestFormats, tokenRequestBytesMax);
  const header = request.headers.authorization?.trim() ?? '';
  // Other schemes are ignored, because many clients send their last token with every request.
  if (!/^basic(\s|$)/i.test(header)) {
    const { client_id, client_secret } = parseFields(credentialsInBody, body);
    return { clientId: client_id, secret: client_secret };
  }
  const credentials = basicCredentials(header);
  const { client_id } = parseFields(credentialsInHeader, body);
  if (credentials === undefined || (client_id !== undefined && client_id !== credentials.clientId)) {
    throw invalidClient();
  }
  return credentials;
}

/** Parses the header, in which the id and the secret are each form-encoded and then joined (RFC 6749, 2.3.1). */
function basicCredentials(header: string):
  | {
      readonly clientId: string;
      readonly secret: string;
    }
  | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 1) return undefined;
  const clientId = formDecoded(decoded.slice(0, colon));
  const secret = formDecoded(decoded.slice(colon + 1));
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret };
}

/** Returns the same error for an unknown client and for a wrong secret. */
function invalidClient(): GatewayError {
  return standardError('invalid_client', {
    headers: { 'WWW-Authenticate': 'Basic realm="messaging-gateway"' },
  });
}
