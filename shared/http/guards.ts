/**
 * The dependencies of every HTTP function before its operation runs: the rate limiter, a clock, ids and the log. A
 * request without a client counts against its source address, whose limits cannot be changed.
 */
import { randomUUID } from 'node:crypto';
import { clientDirectory, dynamoApiKeyStore, dynamoClientStore } from '../client/client-store.dynamo.ts';
import { policies } from '../contract/rate-limits-and-caps.ts';
import type { authenticatedRequests, countedRequests } from '../contract/uses.ts';
import { countersIn } from '../limit/counters.dynamo.ts';
import { rateLimiter } from '../limit/limiter.ts';
import { type LimitReader, overridesFrom } from '../limit/read-overrides.ts';
import { dynamo } from '../platform/aws/clients.ts';
import { systemClock } from '../platform/clock.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { log } from '../platform/log.ts';
import { dynamoSigningKeyStore } from '../token/signing-keys.dynamo.ts';
import { tokenVerifier } from '../token/token-verifier.ts';
import { authenticateBearer } from './authenticate.ts';
import type { HttpDependencies, PublicHttpDependencies } from './http-function.ts';
import { callerAddress } from './request-context.ts';

export function publicHttpDependencies(
  env: EnvironmentFor<typeof countedRequests>,
  limitsOf: LimitReader = async (_clientId, policy) => policies[policy],
): PublicHttpDependencies {
  return {
    limiter: rateLimiter({
      counters: countersIn(dynamo(), env.RATE_COUNTERS_TABLE),
      limitsOf,
    }),
    addressOf: callerAddress(env.TRUSTED_PROXIES),
    clock: systemClock,
    newWorkId: randomUUID,
    writeLog: (level, fields) => log[level]('request', fields),
    baseUrl: env.TOKEN_ISSUER,
  };
}

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
    authenticateBearer: (scope) => authenticateBearer(clients, tokens, scope),
  };
}
