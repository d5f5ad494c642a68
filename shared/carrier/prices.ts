/** The expected cost of a message, by country and segments, until the receipt has the actual cost. */

import type { PriceTable } from '../contract/price-table.ts';
import type { Message } from '../message/message.ts';

export interface Price {
  readonly cost: number;
  readonly currency: string;
}

/** Undefined where the table has neither a price for the recipient's country nor a default. */
export function expectedPrice(
  table: PriceTable,
  message: Pick<Message, 'channel' | 'country' | 'segments'>,
): Price | undefined {
  const prices = table[message.channel];
  const each = prices[message.country ?? 'default'] ?? prices.default;
  if (each === undefined) return undefined;
  const parts = message.channel === 'sms' ? (message.segments ?? 1) : 1;
  return { cost: roundPrice(each * parts), currency: table.currency };
}

/** Prices have five decimals; rounding removes the error of binary fractions from their sums. */
export function roundPrice(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}
