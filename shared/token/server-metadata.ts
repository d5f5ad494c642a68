/**
 * Serves the metadata of RFC 8414 and the public keys of RFC 7517. Other services use them to request and verify tokens of
 * the gateway.
 */
import { GatewayError } from '../contract/errors.ts';
import { routes, scopes } from '../contract/routes.ts';
import type { Operation } from '../operation/operation.ts';
import type { Context } from '../platform/context.ts';
import { publishSigningKey } from './token-signer.kms.ts';
import { publishedKeys, tokenAlgorithm } from './verify-token.dynamo.ts';

const keysName = 'jwks.json';
/** Libraries try the path of OpenID Connect first. Both paths return the same fields. */
const metadataNames: ReadonlySet<string> = new Set(['oauth-authorization-server', 'openid-configuration']);

/**
 * Caching is safe: a new key is published before its first token, and verifiers read the keys again for an unknown `kid`.
 */
const headers = { 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' };

export function showWellKnown(
  context: Parameters<typeof publishSigningKey>[0] & Context<'TOKEN_ISSUER' | 'TOKEN_AUDIENCE'>,
): Operation {
  const { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience } = context.env;
  return async ({ path, pathParameters: { document = '' } }) => {
    if (document === keysName) return { status: 200, headers, body: { keys: await shownKeys(context) } };
    if (metadataNames.has(document)) return { status: 200, headers, body: serverMetadata(issuer, audience) };
    throw new GatewayError('not_found', `There is no ${path}.`);
  };
}

/** If no key exists yet, publishes the key that will sign first, because caches would keep an empty list. */
async function shownKeys(
  context: Parameters<typeof publishSigningKey>[0] & Context<'TOKEN_ISSUER' | 'TOKEN_AUDIENCE'>,
): Promise<object[]> {
  const published = await publicKeys(context);
  if (published.length > 0) return published;
  await publishSigningKey(context);
  return publicKeys(context);
}

async function publicKeys(
  context: Parameters<typeof publishSigningKey>[0] & Context<'TOKEN_ISSUER' | 'TOKEN_AUDIENCE'>,
): Promise<object[]> {
  const published = [...(await publishedKeys(context))].filter(([, jwk]) => jwk !== undefined);
  return published.map(([kid, jwk]) => ({ ...jwk, kid, alg: tokenAlgorithm, use: 'sig' }));
}

function serverMetadata(issuer: string, audience: string): object {
  return {
    issuer,
    token_endpoint: `${issuer}${routes.issueToken.path}`,
    jwks_uri: `${issuer}${routes.getWellKnown.path.replace('{document}', keysName)}`,
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    // RFC 8414 requires this field, which is empty because the gateway has no authorization endpoint.
    response_types_supported: [],
    scopes_supported: scopes,
    // RFC 8414 does not define this field, but verifiers of tokens need it (RFC 9068, section 4).
    audience,
    service_documentation: `${issuer}${routes.getDocs.path}`,
  };
}
