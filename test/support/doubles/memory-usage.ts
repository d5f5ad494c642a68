/** Usage in memory, for simulations: a transaction is applied as a whole, and only where its part is the next one. */
import type { UsageCounter } from '../../../shared/usage/count-changes.ts';
import type { UsageReader, UsageRow } from '../../../shared/usage/usage-reader.dynamo.ts';

interface MutableRow extends UsageRow {
  readonly amounts: Map<string, number>;
}

export function memoryUsage(): UsageCounter & UsageReader {
  const minutes = new Map<string, string[][]>();
  const rows = new Map<string, MutableRow>();

  return {
    async counted(minute) {
      const parts = minutes.get(minute) ?? [];
      return { ids: new Set(parts.flat()), parts: parts.length };
    },

    async count(minute, part, ids, additions) {
      const parts = minutes.get(minute) ?? [];
      if (parts.length !== part) return false;
      minutes.set(minute, [...parts, [...ids]]);
      for (const { period, clientId, amounts } of additions) {
        const key = `${period.name} ${clientId}`;
        const row = rows.get(key) ?? { period: period.name, clientId, amounts: new Map<string, number>() };
        for (const [name, amount] of amounts) row.amounts.set(name, (row.amounts.get(name) ?? 0) + amount);
        rows.set(key, row);
      }
      return true;
    },

    async rowsOf(clientId, periods) {
      return periods.flatMap((period) => rows.get(`${period} ${clientId}`) ?? []);
    },

    async rowsIn(period) {
      return [...rows.values()].filter((row) => row.period === period);
    },
  };
}
