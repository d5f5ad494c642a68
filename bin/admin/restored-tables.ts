/** The tables of a restore: their names in the stack and their keys. */
import { tableShapes } from '../../shared/contract/tables.ts';
import type { StackTable } from '../../shared/restore/table-rows.dynamo.ts';
import { type RestorableTable, restorableTables } from '../../shared/restore/table-rows.dynamo.ts';

export function restoredTables(
  nameOf: (table: RestorableTable) => string,
): Readonly<Record<RestorableTable, StackTable>> {
  const found = restorableTables.map((table) => [table, { name: nameOf(table), keys: keysOf(table) }]);
  return Object.fromEntries(found) as Record<RestorableTable, StackTable>;
}

/** Returns the attributes of a table's primary key. */
export function keysOf(table: RestorableTable): readonly string[] {
  const { partition, sort }: { partition: string; sort?: string } = tableShapes[table];
  return sort === undefined ? [partition] : [partition, sort];
}
