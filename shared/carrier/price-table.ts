/** The stage's prices as they stand in its settings, in the environment and in a test. */
import * as z from 'zod';

/** By ISO 3166-1 alpha-2 country; `default` for every other. */
const pricesByCountry = z.record(z.string().regex(/^([A-Z]{2}|default)$/), z.number().nonnegative());

export const priceTable = z.object({
  /** ISO 4217. */
  currency: z.string().regex(/^[A-Z]{3}$/),
  /** For each segment. */
  sms: pricesByCountry.default({}),
  /** For each message. */
  whatsapp: pricesByCountry.default({}),
});

export type PriceTable = z.output<typeof priceTable>;
