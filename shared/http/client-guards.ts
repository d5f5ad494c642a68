/** What an HTTP function needs before its operation runs when its callers have a bearer token or an API key. */
import { dynamoApiKeyStore } from '../client/api-key-store.dynamo.ts';
import { clientDirectory } from '../client/client-directory.ts';
import { dynamoClientStore } from '../client/client-store.dynamo.ts';
import type { authenticatedRequests } from '../contract/uses.ts';
import { overridesFrom } from '../limit/overrides.ts';
import { dynamo } from '../platform/aws/clients.ts';
import { systemClock } from '../platform/clock.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { dynamoSigningKeyStore } from '../token/signing-keys.dynamo.ts';
import { tokenVerifier } from '../token/token-verifier.ts';
import { authenticateBearer } from './authenticate.ts';
import type { HttpDependencies } from './http-function.ts';
import { publicHttpDependencies } from './public-guards.ts';

export function httpDependencies(env: EnvironmentFor<typeof authenticatedRequests>): HttpDependencies {
  const expected = { issuer: env.TOKEN_ISSUER, audience: env.TOKEN_AUDIENCE };
  const keys = dynamoSigningKeyStore(dynamo(), env.SIGNING_KEYS_TABLE);
  const tokens = tokenVerifier(keys, expected, systemClock);
  const clients = clientDirectory(
    dynamoClientStore(dynamo(), env.CLIENTS_TABLE),
    dynamoApiKeyStore(dynamo(), env.API_KEYS_TABLE),
    systemClock,
  );
  const overrides = overridesFrom(env);
  return {
    ...publicHttpDependencies(env, overrides.limitsOf),
    prepare: overrides.prepare,
    inMaintenance: overrides.inMaintenance,
    authenticateBearer: (scope) => authenticateBearer({ clients, tokens }, scope),
  };
}
