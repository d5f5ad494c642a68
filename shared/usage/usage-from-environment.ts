/** The figures of this deployment, as a function's environment names their table. */
import { dynamo } from '../platform/aws/clients.ts';
import { systemClock } from '../platform/clock.ts';
import { readEnvironment } from '../platform/env.ts';
import { logWarning } from '../platform/log.ts';
import type { UsageDependencies } from './count-usage.ts';
import { dynamoUsageCounter } from './usage.dynamo.ts';

export function usageFromEnvironment(): UsageDependencies {
  const { USAGE_TABLE } = readEnvironment(['USAGE_TABLE']);
  return { counter: dynamoUsageCounter(dynamo(), USAGE_TABLE), clock: systemClock, warn: logWarning };
}
