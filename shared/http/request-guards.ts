/** Puts together what lets a request in, from the function's environment: clients, tokens, limits. */
import { randomInt } from 'node:crypto';
import { dynamoApiKeyStore } from '../client/api-key-store.dynamo.ts';
import { dynamoClientStore } from '../client/client-store.dynamo.ts';
import { type ClientDirectory, clientDirectory } from '../client/client-store.ts';
import type { Scope } from '../contract/routes.ts';
import { dynamo } from '../platform/aws/clients.ts';
import { systemClock } from '../platform/clock.ts';
import { readEnvironment } from '../platform/env.ts';
import { log } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';
import { type RateLimiter, rateLimiter } from '../rate-limit/limiter.ts';
import { dynamoOverrideStore } from '../rate-limit/overrides.dynamo.ts';
import { type InvalidOverride, type LimitReader, limitReader } from '../rate-limit/overrides.ts';
import { dynamoRateCounter } from '../rate-limit/rate-counter.dynamo.ts';
import { dynamoSigningKeyStore } from '../token/signing-keys.dynamo.ts';
import { tokenVerifier } from '../token/token-verifier.ts';
import { type Authenticator, authenticateBearer } from './authenticate.ts';

const randomSteps = 2 ** 32;

export function requestGuards(): {
  readonly limiter: RateLimiter;
  readonly authenticateBearer: (scope: Scope) => Authenticator;
} {
  return { limiter: productionLimiter(), authenticateBearer: productionBearer };
}

/** Made only for a route that asks for a scope: the others have no access to keys and clients. */
function productionBearer(scope: Scope): Authenticator {
  const env = readEnvironment(['SIGNING_KEYS_TABLE', 'TOKEN_ISSUER', 'TOKEN_AUDIENCE']);
  const keys = dynamoSigningKeyStore(dynamo(), env.SIGNING_KEYS_TABLE);
  const expected = { issuer: env.TOKEN_ISSUER, audience: env.TOKEN_AUDIENCE };
  const { API_KEYS_TABLE, CLIENTS_TABLE } = readEnvironment(['API_KEYS_TABLE', 'CLIENTS_TABLE']);
  const clients: ClientDirectory = clientDirectory(
    dynamoClientStore(dynamo(), CLIENTS_TABLE),
    dynamoApiKeyStore(dynamo(), API_KEYS_TABLE),
    systemClock,
  );
  return authenticateBearer({ clients, tokens: tokenVerifier(keys, expected, systemClock) }, scope);
}

/** The limits in force for a client, remembered for as long as the rate check itself remembers them. */
export function productionLimits(): LimitReader {
  const env = readEnvironment(['LIMIT_OVERRIDES_TABLE']);
  const overrides = dynamoOverrideStore(dynamo(), env.LIMIT_OVERRIDES_TABLE);
  return limitReader(overrides, systemClock, reportInvalidOverride);
}

function productionLimiter(): RateLimiter {
  const env = readEnvironment(['RATE_COUNTERS_TABLE']);
  return rateLimiter({
    counter: dynamoRateCounter(dynamo(), env.RATE_COUNTERS_TABLE),
    limitsOf: productionLimits(),
    random: () => randomInt(randomSteps) / randomSteps,
  });
}

function reportInvalidOverride(invalid: InvalidOverride): void {
  log.warn('invalid limit override ignored', { ...invalid });
  countMetric('InvalidLimitOverride');
}
