/** The schema of a stage's prices, in its settings and in the file in the function's bundle. */
import * as z from 'zod/mini';

/** By ISO 3166-1 alpha-2 country; `default` for all others. */
function pricesByCountry() {
  return z._default(
    z.record(z.string().check(z.regex(/^([A-Z]{2}|default)$/)), z.number().check(z.nonnegative())),
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
