/** Composes the caps of the sends, which count by the stage's prices, from the function's environment. */
import { dynamoActivityLog } from '../activity/activity-log.dynamo.ts';
import { type AllowanceOf, allowances } from '../cap/allowance.ts';
import { dynamoCapCounter } from '../cap/cap-counter.dynamo.ts';
import { capLimits } from '../cap/cap-limits.ts';
import { spendNotices } from '../cap/cap-notices.ts';
import { dynamo } from '../platform/aws/clients.ts';
import type { Environment } from '../platform/env.ts';
import { logWarning } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';
import type { CapReader } from '../rate-limit/overrides.ts';
import { costForCap } from './prices.ts';
import { readPrices } from './prices-file.ts';

export const allowanceEnvironment = [
  'RATE_COUNTERS_TABLE',
  'ACTIVITY_LOG_TABLE',
  'RETENTION_DAYS',
  'PRICES_FILE',
  'STAGE_CAPS',
] as const;

export function allowancesFrom(
  env: Environment<(typeof allowanceEnvironment)[number]>,
  capsOf: CapReader,
): AllowanceOf {
  const counter = dynamoCapCounter(dynamo(), env.RATE_COUNTERS_TABLE);
  const activity = dynamoActivityLog(dynamo(), env.ACTIVITY_LOG_TABLE, env.RETENTION_DAYS);
  const prices = readPrices(env.PRICES_FILE);
  const { currency } = prices;
  return allowances({
    counter,
    limitsOf: async (clientId) => capLimits(await capsOf(clientId), env.STAGE_CAPS),
    costOf: (message) => costForCap(prices, message),
    currency,
    notify: spendNotices({ counter, activity, countMetric, currency, warn: logWarning }),
    warn: logWarning,
  });
}
