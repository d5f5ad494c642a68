/**
 * The prices of a stage, from its settings, stored as a file in each function's bundle. A message's expected cost, which
 * counts towards caps, is computed from these prices. The receipt later contains the actual cost.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import type { Channel } from './channels.ts';
import { millionthsPerUnit } from './rate-limits-and-caps.ts';
import { internationalCodeOf } from './recipient-forms.ts';

/**
 * Returns the schema of prices by ISO 3166-1 alpha-2 country, or by calling code for numbers without a country (`+881`).
 * `default` applies to all others.
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

/** No message costs more than this, so a higher cost in a carrier's report is wrong. */
export const messageCostMax = 1_000_000;

/** Formats an amount for display, exact to a millionth, such as `1,234.5`. */
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
  /** The recipient. A number without a country is priced by its calling code. */
  readonly recipient?: string;
  readonly segments?: number;
}

/**
 * Returns the price from the price table; undefined if the table contains neither the recipient's country nor a default.
 */
export function expectedPrice(table: PriceTable, message: PricedMessage): Price | undefined {
  const prices = table[message.channel];
  const each = prices[message.country ?? internationalCodeOf(message.recipient ?? '')] ?? prices.default;
  if (each === undefined) return undefined;
  return { cost: roundPrice(each * partsOf(message)), currency: table.currency };
}

/**
 * Returns the amount that a message adds to a spend cap. A message without a price counts at its channel's highest price,
 * so that no message is free by mistake.
 */
export function costForCap(table: PriceTable, message: PricedMessage): number {
  const highest = Math.max(0, ...Object.values(table[message.channel]));
  return expectedPrice(table, message)?.cost ?? roundPrice(highest * partsOf(message));
}

function partsOf({ channel, segments }: PricedMessage): number {
  return channel === 'sms' ? (segments ?? 1) : 1;
}

/** Prices have five decimals, so rounding removes the error of binary fractions. */
function roundPrice(amount: number): number {
  return Math.round(amount * millionthsPerUnit) / millionthsPerUnit;
}

/**
 * Returns the cost that a carrier reports. An invalid amount or currency is ignored, so that the rest of the report still
 * counts.
 */
export function reportedPrice(cost: number, currency: string): Partial<Price> {
  const code = currency.toUpperCase();
  // Three times X means "no currency" (ISO 4217).
  const isPrice = cost >= 0 && cost <= messageCostMax && /^(?!X{3})[A-Z]{3}$/.test(code);
  return isPrice ? { cost: roundPrice(cost), currency: code } : {};
}

/** A function's carrier and its caps read the same file. */
const tables = new Map<string, PriceTable>();

/**
 * Reads the stage's price table from a file in the function's bundle, because 240 countries exceed the 4 KB of environment
 * variables.
 *
 * @param file - the path relative to the function's code
 * @throws Error if the file is missing or is not a price table; the function then does not start.
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
