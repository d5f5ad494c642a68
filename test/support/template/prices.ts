/** Prices for functions that run outside a deployed stage. */
import { join } from 'node:path';

export const pricesFile = join(import.meta.dirname, 'prices.json');
