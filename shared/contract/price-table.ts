/** The form of a stage's prices, in its settings and in the file that the function which needs them has beside it. */
import * as z from 'zod/mini';

/** By ISO 3166-1 alpha-2 country; `default` for every other. */
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
    /** For each segment. */
    sms: pricesByCountry(),
    /** For each message. */
    whatsapp: pricesByCountry(),
  });
}

export type PriceTable = z.output<ReturnType<typeof priceTable>>;
