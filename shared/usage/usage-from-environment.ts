/** Composes what counting usage needs from the function's environment. */
import { dynamo } from '../platform/aws/clients.ts';
import { systemClock } from '../platform/clock.ts';
import type { Environment } from '../platform/env.ts';
import { logWarning } from '../platform/log.ts';
import type { UsageDependencies } from './count-usage.ts';
import { dynamoUsageCounter } from './usage.dynamo.ts';

export function usageFrom(env: Environment<'USAGE_TABLE'>): UsageDependencies {
  return { counter: dynamoUsageCounter(dynamo(), env.USAGE_TABLE), clock: systemClock, warn: logWarning };
}
