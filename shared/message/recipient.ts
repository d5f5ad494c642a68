/** Phone numbers and senders as requests name them: E.164, checked for their country's length. */
import {
  type CountryCode,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
import * as z from 'zod/mini';

export type { CountryCode };

/** E.164 without spaces: a plus, then 7 to 15 digits. */
const e164 = /^\+[1-9][0-9]{6,14}$/;
/** What carriers show as a name: up to 11 letters, digits, spaces and hyphens, with a letter among them. */
const alphanumericSender = /^(?=.*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9 -]{0,9}[A-Za-z0-9])?$/;

/** Whether this is a number that could exist: the form of E.164, and a length that its country has. */
export function isRecipient(text: string): boolean {
  return e164.test(text) && parsed(text)?.isPossible() === true;
}

export const recipientSchema = z
  .string()
  .check(
    z.refine(isRecipient, 'must be a phone number in international format, such as +447700900123'),
    z.meta({ pattern: e164.source }),
  );

export const senderSchema = z.string().check(
  z.refine(
    (text) => alphanumericSender.test(text) || isRecipient(text),
    'must be a phone number in international format, or up to 11 letters and digits with at least one letter',
  ),
  z.meta({ pattern: `${e164.source}|${alphanumericSender.source}` }),
);

/** ISO 3166-1 alpha-2, of a country that has telephone numbers. */
export const countrySchema = z
  .string()
  .check(z.toUpperCase(), z.refine(isSupportedCountry, 'must be the two letters of a country, such as GB'));

/**
 * The ISO 3166 country of a number; undefined for numbers of no one country. A possible number outside the ranges in
 * use still has its country, where the calling code has only one.
 */
export function countryOf(recipient: string): CountryCode | undefined {
  const number = parsed(recipient);
  return number?.country ?? number?.getPossibleCountries()[0];
}

/** What a message's row says of its recipient. */
export function recipientFields(recipient: string): { recipient: string; country?: CountryCode } {
  const country = countryOf(recipient);
  return { recipient, ...(country === undefined ? {} : { country }) };
}

/** Whether the sender is a name and not a number. */
export function isAlphanumeric(sender: string): boolean {
  return !sender.startsWith('+');
}

let last: { readonly text: string; readonly number: PhoneNumber | undefined } | undefined;

/** A request asks several things of one number, and parsing it is a large part of what a send computes: once is enough. */
function parsed(text: string): PhoneNumber | undefined {
  if (last?.text !== text) last = { text, number: parsePhoneNumberFromString(text) };
  return last.number;
}
