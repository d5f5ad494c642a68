/**
 * The prices of a stage, in its settings and in the file of the function's bundle. They give a message its expected cost,
 * which counts towards the caps. The receipt later contains the actual cost.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import type { Channel } from './channels.ts';
import { millionthsPerUnit } from './rate-limits-and-caps.ts';
import { internationalCodeOf } from './recipient-forms.ts';

/**
 * Returns the schema of prices by ISO 3166-1 alpha-2 country, or by the calling code of numbers without a country
 * (`+881`); `default` is for all others.
 */
function pricesByCountry() {
  return z._default(
    z.record(z.string().check(z.regex(/^([A-Z]{2}|\+\d{3}|default)$/)), z.number().check(z.nonnegative())),
    {},
  );
}

export function priceTable() {
  return z.object({
    /** ISO 4217. */
    currency: z.string().check(z.regex(/^[A-Z]{3}$/)),
    /** Per segment. */
    sms: pricesByCountry(),
    /** Per message. */
    whatsapp: pricesByCountry(),
  });
}

export type PriceTable = z.output<ReturnType<typeof priceTable>>;

/** No message costs more than this. If a carrier reports a higher cost, the report is wrong. */
export const messageCostMax = 1_000_000;

/** Formats an amount for display: `1,234.5`. It is exact to a millionth. */
export function decimalText(amount: number): string {
  return amount.toLocaleString('en', { maximumFractionDigits: 6 });
}

export interface Price {
  readonly cost: number;
  readonly currency: string;
}

export interface PricedMessage {
  readonly channel: Channel;
  readonly country?: string;
  /** The recipient; a number without a country is priced by its calling code. */
  readonly recipient?: string;
  readonly segments?: number;
}

/**
 * Returns the price by the price table; undefined if the table has neither a price for the recipient's country nor a
 * default.
 */
export function expectedPrice(table: PriceTable, message: PricedMessage): Price | undefined {
  const prices = table[message.channel];
  const each = prices[message.country ?? internationalCodeOf(message.recipient ?? '')] ?? prices.default;
  if (each === undefined) return undefined;
  return { cost: roundPrice(each * partsOf(message)), currency: table.currency };
}

/**
 * Returns the amount that a message adds to a spend cap. A message without a price costs the highest price of its
 * channel, so that none is free by mistake.
 */
export function costForCap(table: PriceTable, message: PricedMessage): number {
  const highest = Math.max(0, ...Object.values(table[message.channel]));
  return expectedPrice(table, message)?.cost ?? roundPrice(highest * partsOf(message));
}

function partsOf({ channel, segments }: PricedMessage): number {
  return channel === 'sms' ? (segments ?? 1) : 1;
}

/** Prices have five decimals; rounding removes the error of binary fractions from their sums. */
function roundPrice(amount: number): number {
  return Math.round(amount * millionthsPerUnit) / millionthsPerUnit;
}

/**
 * Returns the cost that a carrier reports. Ignores an invalid amount or currency, so that the rest of the report
 * still counts.
 */
export function reportedPrice(cost: number, currency: string): Partial<Price> {
  const code = currency.toUpperCase();
  // The ISO 4217 code of three times X means no currency.
  const isPrice = cost >= 0 && cost <= messageCostMax && /^(?!X{3})[A-Z]{3}$/.test(code);
  return isPrice ? { cost: roundPrice(cost), currency: code } : {};
}

/** The carrier and the caps of a function read the same file. */
const tables = new Map<string, PriceTable>();

/**
 * Reads the price table of the stage from a file in the function's bundle: 240 countries exceed the 4 KB of
 * environment variables.
 *
 * @param file - relative to the folder of the function's code
 * @throws Error if the file is missing or is not a price table, so that the function does not start.
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
