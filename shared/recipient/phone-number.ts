/** Phone numbers and senders as requests name them. A number has one canonical form, by which it is stored and counted. */
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
/** A name that the carrier takes as a sender ID: up to 11 letters, digits and hyphens, with a letter among them. */
const alphanumericSender = /^(?=.*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9-]{0,9}[A-Za-z0-9])?$/;
/** A number with several prefixes before it loses one in each round. */
const canonicalRounds = 5;

/**
 * The one spelling of a number that could exist: the digits that are dialed within a country only (`+44 0…`, `+1 1…`)
 * are left out. Undefined where the text is not in the form of E.164, or has a length that its country does not have.
 */
export function canonicalRecipient(text: string): string | undefined {
  let spelling = text;
  for (let round = 0; round < canonicalRounds; round += 1) {
    const number = e164.test(spelling) ? parsed(spelling) : undefined;
    if (number?.number === spelling) return number.isPossible() ? withoutTrunkZero(number) : undefined;
    if (number === undefined) return undefined;
    spelling = number.number;
  }
  return undefined;
}

/** Some countries' rules leave a leading 0 where no number of theirs has one, and without it is a number in use. */
function withoutTrunkZero(number: PhoneNumber): string {
  if (!number.nationalNumber.startsWith('0') || number.isValid()) return number.number;
  const without = parsed(`+${number.countryCallingCode}${number.nationalNumber.slice(1)}`);
  return without?.isValid() === true ? without.number : number.number;
}

/** Whether this is a number that could exist, in any of its spellings. */
export function isRecipient(text: string): boolean {
  return canonicalRecipient(text) !== undefined;
}

/** The canonical form of a number, to look it up by; any other text as it is, which finds nothing. */
function recipientToFind(text: string): string {
  return canonicalRecipient(text) ?? text;
}

/** Read as the canonical number. */
export const recipientSchema = z
  .string()
  .check(
    z.refine(isRecipient, 'must be a phone number in international format, such as +447700900123'),
    z.overwrite(recipientToFind),
    z.meta({ pattern: e164.source }),
  );

/** A name as it is, or a number in its canonical form. */
export const senderSchema = z.string().check(
  z.refine(
    (text) => alphanumericSender.test(text) || isRecipient(text),
    'must be a phone number in international format, or up to 11 letters, digits and hyphens with at least one letter',
  ),
  z.overwrite(recipientToFind),
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
