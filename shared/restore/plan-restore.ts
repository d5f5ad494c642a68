/** What a restore would do, read from the tables that exist. */
import { collectEvidence, type Evidence } from './evidence.ts';
import type { RestoreDependencies } from './restore-stage.ts';
import type { RestorableTable } from './table-rules.ts';

interface RestorePlan {
  readonly tables: readonly {
    readonly table: RestorableTable;
    readonly earliest: string | null;
    readonly latest: string | null;
    readonly bytes: number;
  }[];
  /** Why it cannot be done. */
  readonly problems: readonly string[];
  readonly settings: Evidence['settings'];
  /** How many messages surviving webhooks report of after the time. */
  readonly events: number;
}

export async function planRestore(
  dependencies: Pick<RestoreDependencies, 'tables' | 'sideTables' | 'rows' | 'clock'>,
  to: Date,
  tables: readonly RestorableTable[],
): Promise<RestorePlan> {
  const { sideTables, clock } = dependencies;
  const found = await Promise.all(
    tables.map(async (table) => {
      const { name } = dependencies.tables[table];
      const [window, exists] = await Promise.all([sideTables.windowOf(name), sideTables.exists(name, to)]);
      return { table, window, exists };
    }),
  );
  const evidence = await collectEvidence(dependencies, to, clock());
  return {
    tables: found.map(({ table, window }) => ({
      table,
      earliest: window?.earliest.toISOString() ?? null,
      latest: window?.latest.toISOString() ?? null,
      bytes: window?.bytes ?? 0,
    })),
    problems: found
      .filter(({ window, exists }) => !exists && !(window && window.earliest <= to && to <= window.latest))
      .map(({ table }) => `${table} cannot be restored to ${to.toISOString()}.`),
    settings: evidence.settings,
    events: evidence.messages.size,
  };
}
