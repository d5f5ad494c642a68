/** The expected cost of a message, by country and segments, until the receipt has the actual cost. */
import type { Channel } from '../contract/channels.ts';
import { millionthsPerUnit } from '../contract/money.ts';
import type { PriceTable } from '../contract/price-table.ts';

export interface Price {
  readonly cost: number;
  readonly currency: string;
}

/** The fields of a message that its price depends on. */
export interface PricedMessage {
  readonly channel: Channel;
  readonly country?: string;
  readonly segments?: number;
}

/** Undefined where the table has neither a price for the recipient's country nor a default. */
export function expectedPrice(table: PriceTable, message: PricedMessage): Price | undefined {
  const prices = table[message.channel];
  const each = prices[message.country ?? 'default'] ?? prices.default;
  if (each === undefined) return undefined;
  return { cost: roundPrice(each * partsOf(message)), currency: table.currency };
}

/** What a message counts towards a spend cap: without a price, the highest of its channel, so that none is free by mistake. */
export function costForCap(table: PriceTable, message: PricedMessage): number {
  const highest = Math.max(0, ...Object.values(table[message.channel]));
  return expectedPrice(table, message)?.cost ?? roundPrice(highest * partsOf(message));
}

function partsOf({ channel, segments }: PricedMessage): number {
  return channel === 'sms' ? (segments ?? 1) : 1;
}

/** Prices have five decimals; rounding removes the error of binary fractions from their sums. */
export function roundPrice(amount: number): number {
  return Math.round(amount * millionthsPerUnit) / millionthsPerUnit;
}
