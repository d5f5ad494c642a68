/**
 * What every HTTP function needs before its operation runs: the rate limiter, a clock, ids and the log. A request without
 * a client counts against its source address, which has no limits of its own.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { policies } from '../contract/policies.ts';
import type { countedRequests } from '../contract/uses.ts';
import { rateLimiter } from '../limit/limiter.ts';
import type { LimitReader } from '../limit/overrides.ts';
import { dynamoRateCounter } from '../limit/rate-counter.dynamo.ts';
import { dynamo } from '../platform/aws/clients.ts';
import { systemClock } from '../platform/clock.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { log } from '../platform/log.ts';
import { refusalRecorder } from '../refusal/refusal-recorder.ts';
import { dynamoRefusalWriter } from '../refusal/refusals.dynamo.ts';
import { callerAddress } from './caller-address.ts';
import type { PublicHttpDependencies } from './http-function.ts';

const randomSteps = 2 ** 32;

export function publicHttpDependencies(
  env: EnvironmentFor<typeof countedRequests>,
  limitsOf: LimitReader = async (_clientId, policy) => policies[policy],
): PublicHttpDependencies {
  return {
    limiter: rateLimiter({
      counter: dynamoRateCounter(dynamo(), env.RATE_COUNTERS_TABLE),
      limitsOf,
      random: () => randomInt(randomSteps) / randomSteps,
    }),
    addressOf: callerAddress(env.TRUSTED_PROXIES),
    clock: systemClock,
    newWorkId: randomUUID,
    writeLog: (level, fields) => log[level]('request', fields),
    baseUrl: env.TOKEN_ISSUER,
    recordRefusal: refusalRecorder({
      write: dynamoRefusalWriter(dynamo(), env.RATE_COUNTERS_TABLE),
      clock: systemClock,
    }),
  };
}
