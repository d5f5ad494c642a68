/** What a restore would do, read from the tables that exist and from the stream of messages. */
import { collectEvidence, type Evidence, readStreamEvidence } from './evidence.ts';
import type { KnownMessage } from './judge-message.ts';
import type { RestoreDependencies } from './restore-page.ts';
import type { RestorableTable } from './table-rows.dynamo.ts';

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
  /** How many messages are known to have changed after the time, or to have been accepted. */
  readonly changed: number;
  readonly streamSince: Evidence['streamSince'];
}

export async function planRestore(
  dependencies: Pick<RestoreDependencies, 'tables' | 'sideTables' | 'streamRecords' | 'rows' | 'clock'>,
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
  const stream = tables.includes('messages')
    ? await readStreamEvidence(dependencies, dependencies.tables.messages.name, to)
    : undefined;
  const evidence = await collectEvidence(dependencies, to, clock(), stream);
  // Evidence begins a little before the time, because clocks differ.
  const isOfLater = ({ accepted_at = '', states }: KnownMessage): boolean =>
    [accepted_at, ...Object.values(states)].some((at) => at >= to.toISOString());
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
    changed: [...evidence.messages.values()].filter(isOfLater).length,
    streamSince: evidence.streamSince,
  };
}
