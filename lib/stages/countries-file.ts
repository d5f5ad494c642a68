/**
 * Reads the setting `countries`: a stage's allowed countries, with the price of a message to each. Both are one setting, so
 * that every country has a price.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isSupportedCountry } from 'libphonenumber-js/min';
import * as z from 'zod/mini';
import { internationalCodes } from '../../shared/contract/recipient-forms.ts';

/** The path of the sample, in the project or the package, relative to the app's folder. */
export const sampleCountriesFile = relative('', join(import.meta.dirname, 'countries-sample.json'));

export const placeForm = `a two-letter country code such as GB, or one of ${internationalCodes.join(', ')}`;

export function isPlace(name: string): boolean {
  return isSupportedCountry(name) || internationalCodes.includes(name);
}

const price = z.number().check(z.positive('must be above 0'));

const countriesSchema = z.strictObject({
  /** A note for readers of the file; the gateway ignores it. */
  note: z.optional(z.string()),
  currency: z.string().check(z.regex(/^[A-Z]{3}$/, 'a currency of ISO 4217 such as USD')),
  /**
   * The prices of a country: `sms` for each segment, and `whatsapp` for each message; absent if the stage has no carrier
   * for the channel.
   */
  countries: z
    .record(z.string(), z.strictObject({ sms: z.optional(price), whatsapp: z.optional(price) }))
    .check(
      z.refine((countries) => Object.keys(countries).length > 0, 'name at least one country'),
      z.superRefine((countries, context) => {
        for (const name of Object.keys(countries).filter((each) => !isPlace(each)))
          context.addIssue({ code: 'custom', path: [name], message: `write ${placeForm}` });
      }),
    ),
});

/**
 * @param given - the file's path or its content
 * @throws Error that names every invalid value with its permitted values
 */
export function readCountries(given: unknown, texts: z.core.ParseContext<z.core.$ZodIssue>) {
  const read = typeof given === 'string' ? JSON.parse(readFileSync(given, 'utf8')) : given;
  const { currency, countries } = countriesSchema.parse(read, texts);
  const entries = Object.entries(countries);
  const pricesOf = (channel: 'sms' | 'whatsapp'): Record<string, number> =>
    Object.fromEntries(
      entries.flatMap(([country, { [channel]: each }]) => (each === undefined ? [] : [[country, each]])),
    );
  return {
    allowedCountries: Object.keys(countries),
    prices: { currency, sms: pricesOf('sms'), whatsapp: pricesOf('whatsapp') },
  };
}
