/** What a message is expected to cost, by country and segment, until its receipt says what it did cost. */

import type { PriceTable } from '../contract/price-table.ts';
import type { Message } from '../message/message.ts';

export interface Price {
  readonly cost: number;
  readonly currency: string;
}

/** The expected price, or undefined where the table has none for the recipient's country, nor for every other. */
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

/** Prices have five decimals; a sum of them must not show the binary fraction's rest. */
export function roundPrice(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}
