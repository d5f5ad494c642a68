/** Reads the rows of an agenda entry cheaply, and surely where it matters: none is taken for gone that is there. */
import type { ReadOptions } from '../platform/read-options.ts';

interface RowReader<Row> {
  get(id: string): Promise<Row | undefined>;
  /** Those that are there, in no order. */
  getMany(ids: readonly string[], reading: ReadOptions): Promise<readonly Row[]>;
}

/**
 * All in one call. What it does not bring is asked for one by one, and surely: a row that cannot be read is then the
 * only one to fail, and one that is missing is truly gone.
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
