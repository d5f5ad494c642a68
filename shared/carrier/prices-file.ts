/** The stage's prices, from the file that its deploy put beside the function: 240 countries are more than the 4 KB of variables. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type PriceTable, priceTable } from '../contract/price-table.ts';

/**
 * @param file - seen from the folder of the function's code
 * @throws Error where it is missing or not a price table, which stops the function at its start.
 */
export function readPrices(file: string): PriceTable {
  try {
    return priceTable().parse(JSON.parse(readFileSync(resolve(import.meta.dirname, file), 'utf8')));
  } catch (cause) {
    throw new Error(`${file} does not hold prices`, { cause });
  }
}
