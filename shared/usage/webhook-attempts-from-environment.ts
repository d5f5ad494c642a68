/** Composes what counting webhook attempts needs from the function's environment. */
import { dynamo } from '../platform/aws/clients.ts';
import { systemClock } from '../platform/clock.ts';
import type { Environment } from '../platform/env.ts';
import { logWarning } from '../platform/log.ts';
import type { AttemptDependencies } from './count-webhook-attempts.ts';
import { dynamoAttemptCounter } from './webhook-attempts.dynamo.ts';

export function webhookAttemptsFrom(env: Environment<'USAGE_TABLE'>): AttemptDependencies {
  return { counter: dynamoAttemptCounter(dynamo(), env.USAGE_TABLE), clock: systemClock, warn: logWarning };
}
