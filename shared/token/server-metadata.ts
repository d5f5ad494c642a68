/**
 * The metadata of RFC 8414 and the public keys of RFC 7517, with which other services request and verify our tokens.
 */
import { GatewayError } from '../contract/errors.ts';
import { routes, scopes } from '../contract/routes.ts';
import type { Operation } from '../operation/operation.ts';
import type { SigningKeyStore } from './signing-keys.dynamo.ts';
import { tokenAlgorithm } from './token-claims.ts';

const keysName = 'jwks.json';
/** OpenID Connect's name is where libraries look first; the fields are the same. */
const metadataNames: ReadonlySet<string> = new Set(['oauth-authorization-server', 'openid-configuration']);

/** A new key is published before its first token, and an unknown `kid` has verifiers read the keys again. */
const headers = { 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' };

/** @param issuer - the gateway's own address, without a slash at its end */
export function showWellKnown(issuer: string, keys: Pick<SigningKeyStore, 'all'>): Operation {
  return async ({ path, pathParameters: { document = '' } }) => {
    if (document === keysName) return { status: 200, headers, body: { keys: await publicKeys(keys) } };
    if (metadataNames.has(document)) return { status: 200, headers, body: serverMetadata(issuer) };
    throw new GatewayError('not_found', `There is no ${path}.`);
  };
}

async function publicKeys(keys: Pick<SigningKeyStore, 'all'>): Promise<object[]> {
  const published = [...(await keys.all())].filter(([, jwk]) => jwk !== undefined);
  return published.map(([kid, jwk]) => ({ ...jwk, kid, alg: tokenAlgorithm, use: 'sig' }));
}

function serverMetadata(issuer: string): object {
  return {
    issuer,
    token_endpoint: `${issuer}${routes.issueToken.path}`,
    jwks_uri: `${issuer}${routes.getWellKnown.path.replace('{document}', keysName)}`,
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    // RFC 8414 requires it; there is no authorization endpoint to give one.
    response_types_supported: [],
    scopes_supported: scopes,
    service_documentation: `${issuer}${routes.getDocs.path}`,
  };
}
