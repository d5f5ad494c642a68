/** Usage as CSV, the same from the shell and from the dashboard. */
import { csvTable } from '../platform/csv.ts';
import type { UsageList } from './usage.ts';

export const groupColumns = ['client_id', 'client_name', 'channel', 'type', 'country', 'status'] as const;
export const sumColumns = ['messages', 'segments', 'delivered', 'failed', 'cost'] as const;

/** A cost in another currency has a line of its own, without messages, so that no column mixes currencies. */
export function usageCsv({ usage, currency }: UsageList): string {
  const header = ['from', 'to', ...groupColumns, ...sumColumns, 'currency', 'estimated'];
  const rows = usage.flatMap((entry) => {
    const start = [entry.from, entry.to, ...groupColumns.map((name) => entry[name])];
    return [
      [...start, ...sumColumns.map((name) => entry[name]), currency, entry.estimated],
      ...Object.entries(entry.other_costs ?? {}).map(([other, cost]) => [
        ...start,
        ...sumColumns.map((name) => (name === 'cost' ? cost : 0)),
        other,
        entry.estimated,
      ]),
    ];
  });
  return csvTable(header, rows);
}
