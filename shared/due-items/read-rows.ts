/** Reads the rows of a due-item entry: eventually consistent first, then consistently those that were not found. */
import type { ReadOptions } from '../platform/read-options.ts';

interface RowReader<Row> {
  get(id: string): Promise<Row | undefined>;
  /** The rows that exist, in any order. */
  getMany(ids: readonly string[], reading: ReadOptions): Promise<readonly Row[]>;
}

/**
 * Reads all rows in one call, then each missing row separately and consistently: a row that cannot be read is the only
 * one that fails, and a row that is still missing does not exist.
 */
export async function readRows<Row>(
  reader: RowReader<Row>,
  ids: readonly string[],
  idOf: (row: Row) => string,
): Promise<ReadonlyMap<string, Row | Error>> {
  const found = await reader.getMany(ids, { consistent: false }).catch(() => []);
  const rows = new Map<string, Row | Error>(found.map((row) => [idOf(row), row]));
  const missing = ids.filter((id) => !rows.has(id));
  await Promise.all(
    missing.map(async (id) => {
      const row = await reader.get(id).catch(errorOf);
      if (row !== undefined) rows.set(id, row);
    }),
  );
  return rows;
}

export function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
