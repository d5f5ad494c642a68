/** Composes the caps of the sends, which count by the stage's prices, from the function's environment. */
import { dynamoActivityLog } from '../activity/activity-log.dynamo.ts';
import { isSynthetic } from '../contract/mode.ts';
import { costForCap, readPrices } from '../contract/prices.ts';
import type { countedCaps } from '../contract/uses.ts';
import { dynamo } from '../platform/aws/clients.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { logWarning } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';
import { type AllowanceOf, allowances } from './allowance.ts';
import { dynamoCapCounter } from './cap-counter.dynamo.ts';
import { capLimits } from './cap-limits.ts';
import { spendNotices } from './cap-notices.ts';
import type { CapReader } from './overrides.ts';

export function allowancesFrom(env: EnvironmentFor<typeof countedCaps>, capsOf: CapReader): AllowanceOf {
  const counter = dynamoCapCounter(dynamo(), env.RATE_COUNTERS_TABLE);
  const activityLog = dynamoActivityLog(dynamo(), env.ACTIVITY_LOG_TABLE, env.RETENTION_DAYS);
  const table = readPrices(env.PRICES_FILE);
  const { currency } = table;
  const stageCaps = env.STAGE_CAPS;
  return allowances({
    counter,
    limitsOf: async (clientId) => (isSynthetic(clientId) ? [] : capLimits(await capsOf(clientId), stageCaps)),
    costOf: (message) => costForCap(table, message),
    currency,
    notify: spendNotices({ counter, activityLog, countMetric, currency, warn: logWarning }),
    warn: logWarning,
  });
}
