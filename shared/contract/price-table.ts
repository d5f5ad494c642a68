/** The schema of a stage's prices, in its settings and in the file in the function's bundle. */
import * as z from 'zod/mini';

/**
 * The prices by ISO 3166-1 alpha-2 country, or by the calling code of numbers without a country (`+881`); `default` for
 * all others.
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

/**
 * Amounts of money are counted as whole millionths of the currency's unit, because binary fractions would not add up.
 * Prices have five decimals, limits on spend six.
 */
export const millionthsPerUnit = 1_000_000;

/** No message costs more, so a carrier that reports it has made an error. */
export const messageCostMax = 1_000_000;

/** Formats an amount for a person: `1,234.5`. It is exact to a millionth. */
export function decimalText(amount: number): string {
  return amount.toLocaleString('en', { maximumFractionDigits: 6 });
}
