/** Writes usage as a CSV file, the same for the dashboard and the shell. */
import { csvTable } from '../platform/csv.ts';
import type { UsageEntry } from './usage-response.schema.ts';

export interface UsageList {
  readonly currency: string;
  readonly usage: readonly (UsageEntry & {
    readonly client_id?: string;
    /** Null if the client no longer exists. */
    readonly client_name?: string | null;
  })[];
}

const groupColumns = ['client_id', 'client_name', 'channel', 'type', 'country', 'status'] as const;
const sumColumns = [
  'messages',
  'segments',
  'avoidable_segments',
  'avoidable_cost',
  'delivered',
  'failed',
  'cost',
] as const;

/** Returns the CSV. A cost in another currency has its own line without messages, so that no column mixes currencies. */
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
