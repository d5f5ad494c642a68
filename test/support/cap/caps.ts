/** Caps on private tables: what a process takes, the notices it gives, and the amounts that are counted. */
import { costForCap } from '../../../shared/contract/prices.ts';
import type { StageCaps } from '../../../shared/contract/rate-limits-and-caps.ts';
import { capLimits } from '../../../shared/limit/cap-limits.ts';
import { countersIn } from '../../../shared/limit/counters.dynamo.ts';
import { type AllowanceOf, allowances, type CapUse, capUse } from '../../../shared/limit/take-from-caps.ts';
import type { Message } from '../../../shared/message/message.ts';
import type { TestTables } from '../engine/test-tables.ts';
import { type Kill, killable, noKill } from '../faults/kill-process.ts';

const prices = {
  currency: 'EUR',
  sms: { GB: 0.04, US: 0.0075, default: 0.0731 },
  whatsapp: { GB: 0.0123, default: 0.05 },
};

/** The sum of the estimated costs, in millionths. */
export function millionthsOf(messages: readonly Pick<Message, 'channel' | 'country' | 'segments'>[]): number {
  return messages.reduce((sum, message) => sum + Math.round(costForCap(prices, message) * 1e6), 0);
}

/** One process, which remembers nothing of what another saw. @param caps - as they are when a request is made */
export function capProcess(tables: TestTables, caps: () => StageCaps, kill: Kill = noKill()): AllowanceOf {
  const { dynamo, names } = tables;
  return allowances({
    counters: countersIn(killable(dynamo, kill), names.rate_counters),
    limitsOf: async () => capLimits({}, caps()),
    costOf: (message) => costForCap(prices, message),
    currency: prices.currency,
    activityLog: { db: dynamo, tableName: names.activity_log, retentionDays: 30 },
  });
}

/** Returns the counts of a client, by the cap and its window: `spend day`. */
export async function usedOf(
  { dynamo, names }: TestTables,
  clientId: string,
  now: Date,
  caps: StageCaps,
): Promise<Record<string, number>> {
  const counters = countersIn(dynamo, names.rate_counters);
  const uses: CapUse[] = await capUse({ counters, limitsOf: async () => capLimits({}, caps) }, clientId, now);
  return Object.fromEntries(uses.map(({ cap, window, used }) => [`${cap} ${window}`, used]));
}
