/** Reads the prices of the stage from a file of the function's bundle: 240 countries exceed the 4 KB of environment variables. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type PriceTable, priceTable } from '../contract/price-table.ts';

/** The carrier and the caps of a function read the same file. */
const tables = new Map<string, PriceTable>();

/**
 * @param file - relative to the folder of the function's code
 * @throws Error where the file is missing or is not a price table, so that the function does not start.
 */
export function readPrices(file: string): PriceTable {
  const known = tables.get(file);
  if (known !== undefined) return known;
  try {
    const table = priceTable().parse(JSON.parse(readFileSync(resolve(import.meta.dirname, file), 'utf8')));
    tables.set(file, table);
    return table;
  } catch (cause) {
    throw new Error(`${file} does not hold prices`, { cause });
  }
}
