import { costForCap, type PricedMessage, readPrices } from '../../../shared/contract/prices.ts';
import type { StageCaps } from '../../../shared/contract/rate-limits-and-caps.ts';
import { capLimits, capUse, takeFromCaps } from '../../../shared/limit/client-caps.ts';
import { testContext } from '../engine/test-context.ts';
import type { TestTables } from '../engine/test-tables.ts';
import { type Kill, killable, noKill } from '../faults/kill-process.ts';

/** The sum of the estimated costs, in millionths. */
export function millionthsOf(messages: readonly PricedMessage[]): number {
  const prices = readPrices(testContext().env.PRICES_FILE);
  return messages.reduce((sum, message) => sum + Math.round(costForCap(prices, message) * 1e6), 0);
}

/** One process, which remembers nothing of what another saw. @param caps - as they are when a request is made */
export function capProcess(tables: TestTables, caps: () => StageCaps, kill: Kill = noKill()) {
  const context = testContext({ ...tables, dynamo: killable(tables.dynamo, kill) });
  return (clientId: string, messages: readonly PricedMessage[], now: Date): Promise<void> =>
    takeFromCaps(context, { clientId, limits: capLimits({}, caps()), now }, messages);
}

/** Returns the counts of a client, by the cap and its window: `spend day`. */
export async function usedOf(
  tables: TestTables,
  clientId: string,
  now: Date,
  caps: StageCaps,
): Promise<Record<string, number>> {
  const uses = await capUse(testContext(tables), { clientId, limits: capLimits({}, caps), now });
  return Object.fromEntries(uses.map(({ cap, window, used }) => [`${cap} ${window}`, used]));
}
