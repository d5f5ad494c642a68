/**
 * What every HTTP function needs before its operation runs: the rate limiter, a clock, ids and the log. A request without
 * a client counts against its source address, which has no limits of its own.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { policies } from '../contract/routes.ts';
import { dynamoRowReader } from '../edited-table/row-editor.dynamo.ts';
import { dynamo } from '../platform/aws/clients.ts';
import { systemClock } from '../platform/clock.ts';
import type { Environment } from '../platform/env.ts';
import { log } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';
import { rateLimiter } from '../rate-limit/limiter.ts';
import { type LimitReader, type OverrideReader, overrideReader } from '../rate-limit/overrides.ts';
import { dynamoRateCounter } from '../rate-limit/rate-counter.dynamo.ts';
import type { PublicHttpDependencies } from './http-function.ts';

export const publicHttpEnvironment = ['RATE_COUNTERS_TABLE'] as const;

const randomSteps = 2 ** 32;

export function publicHttpDependencies(
  env: Environment<(typeof publicHttpEnvironment)[number]>,
  limitsOf: LimitReader = async (_clientId, policy) => policies[policy],
): PublicHttpDependencies {
  return {
    limiter: rateLimiter({
      counter: dynamoRateCounter(dynamo(), env.RATE_COUNTERS_TABLE),
      limitsOf,
      random: () => randomInt(randomSteps) / randomSteps,
    }),
    clock: systemClock,
    newWorkId: randomUUID,
    writeLog: (level, fields) => log[level]('request', fields),
  };
}

let overrides: OverrideReader | undefined;

/** The limits and caps in force for a client: one reader for the whole function, so that rows are read once. */
export function overridesFrom(env: Environment<'LIMIT_OVERRIDES_TABLE'>): OverrideReader {
  overrides ??= overrideReader(
    dynamoRowReader(dynamo(), env.LIMIT_OVERRIDES_TABLE),
    systemClock,
    (invalid) => {
      log.warn('invalid limit override ignored', { ...invalid });
      countMetric('InvalidLimitOverride');
    },
  );
  return overrides;
}
