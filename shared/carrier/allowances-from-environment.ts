/** Composes the caps of the sends, which count by the stage's prices, from the function's environment. */
import { dynamoActivityLog } from '../activity/activity-log.dynamo.ts';
import { type AllowanceOf, allowances } from '../cap/allowance.ts';
import { dynamoCapCounter } from '../cap/cap-counter.dynamo.ts';
import { capLimits } from '../cap/cap-limits.ts';
import { spendNotices } from '../cap/cap-notices.ts';
import type { PriceTable } from '../contract/price-table.ts';
import type { PriceOf } from '../message/send/dry-run.ts';
import { dynamo } from '../platform/aws/clients.ts';
import type { Environment } from '../platform/env.ts';
import { logWarning } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';
import type { CapReader } from '../rate-limit/overrides.ts';
import { costForCap, expectedPrice } from './prices.ts';
import { readPrices } from './prices-file.ts';

export const allowanceEnvironment = [
  'RATE_COUNTERS_TABLE',
  'ACTIVITY_LOG_TABLE',
  'RETENTION_DAYS',
  'PRICES_FILE',
  'STAGE_CAPS',
] as const;

let prices: PriceTable | undefined;

/** Read once for the whole function. */
function pricesIn(file: string): PriceTable {
  prices ??= readPrices(file);
  return prices;
}

/** The estimated price of a message, by the stage's price list. */
export function pricesFrom(env: Environment<'PRICES_FILE'>): PriceOf {
  const table = pricesIn(env.PRICES_FILE);
  return (message) => expectedPrice(table, message);
}

export function allowancesFrom(
  env: Environment<(typeof allowanceEnvironment)[number]>,
  capsOf: CapReader,
): AllowanceOf {
  const counter = dynamoCapCounter(dynamo(), env.RATE_COUNTERS_TABLE);
  const activity = dynamoActivityLog(dynamo(), env.ACTIVITY_LOG_TABLE, env.RETENTION_DAYS);
  const table = pricesIn(env.PRICES_FILE);
  const { currency } = table;
  return allowances({
    counter,
    limitsOf: async (clientId) => capLimits(await capsOf(clientId), env.STAGE_CAPS),
    costOf: (message) => costForCap(table, message),
    currency,
    notify: spendNotices({ counter, activity, countMetric, currency, warn: logWarning }),
    warn: logWarning,
  });
}
