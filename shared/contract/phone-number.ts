/**
 * Phone numbers and senders in requests are accepted in any usual notation. They are stored and counted in one canonical
 * form (contract 5.4).
 *
 * Numbers of 144 countries have several spellings. If each spelling counted separately, two spellings would double the
 * limit of one-time passwords and hide duplicates in a bulk. A zero after the country code is kept only for countries
 * whose numbers contain it (Italy). Two zeros are rejected, because the intended number is unclear.
 */
import {
  type CountryCode,
  isSupportedCountry as hasPlan,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/core';
// The bundle omits the national number formats (`lib/build/bundle.ts`).
import numberingPlans from 'libphonenumber-js/metadata.min.json';
import * as z from 'zod/mini';
import {
  e164,
  internationalCodeOf,
  internationalCodes,
  isWhatsAppUserId,
  sendableUserId,
} from './recipient-forms.ts';

export type { CountryCode };

/** A sender ID: up to 11 letters, digits and hyphens, at least one of them a letter. */
export const senderNameRule = 'up to 11 letters, digits and hyphens with at least one letter';
export const alphanumericSender = /^(?=.*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9-]{0,9}[A-Za-z0-9])?$/;
/** Each round removes one prefix of a number that has several. */
const canonicalRounds = 5;
/** Mexican mobile numbers had this 1 until 2019, and WhatsApp still sends it. */
const mexicanMobile = /^\+521(?=\d{10}$)/;

/**
 * Spaces, hyphens, dots, parentheses, and the invisible marks in copied text. `−`, `〜` and `ー` stand for hyphens. A slash
 * is not a separator: `…89/90` means two numbers. The API document contains this character class.
 */
const separator =
  '[\\s().\\-\\u00ad\\u061c\\u200b-\\u200f\\u2010-\\u2015\\u202a-\\u202e\\u2060-\\u206f\\u2212\\u301c\\u30fc\\ufe58\\ufe63\\ufeff\\uff08\\uff09\\uff0d\\uff0e]';
const separators = new RegExp(separator, 'g');
const fullWidth = /[\uff01-\uff5e]/g;

/** Returns the text with ASCII instead of full-width characters. */
export function withoutFullWidth(text: string): string {
  return text.replaceAll(fullWidth, (one) => String.fromCharCode(one.charCodeAt(0) - 0xfee0));
}

/** Removes the separators that are usual between the digits of a number. */
export function withoutSeparators(text: string): string {
  return withoutFullWidth(text).replaceAll(separators, '');
}

/**
 * Returns a number in its canonical form: E.164, without digits that are dialed only within a country (`+44 (0)…`, `+1
 * 1…`). Returns undefined if the text has no plus, is not a possible number, or could mean several numbers.
 */
export function canonicalRecipient(text: string): string | undefined {
  let spelling = withoutSeparators(text).replace(mexicanMobile, '+52');
  for (let round = 0; round < canonicalRounds; round += 1) {
    const number = e164.test(spelling) ? parsed(spelling) : undefined;
    if (number === undefined) return undefined;
    if (number.number !== spelling) spelling = number.number;
    else if (!number.isPossible()) return undefined;
    else if (!number.nationalNumber.startsWith('0')) return spelling;
    else if (number.isValid()) return number.nationalNumber.startsWith('00') ? undefined : spelling;
    // The library keeps leading zeros if the length is possible, although no number of that country begins with zeros.
    else spelling = `+${number.countryCallingCode}${number.nationalNumber.replace(/^0+/, '')}`;
  }
  return undefined;
}

/** True if this is a possible phone number, in any spelling. */
export function isRecipient(text: string): boolean {
  return canonicalRecipient(text) !== undefined;
}

/** Numbers shorter than this are short codes, which have no country. */
const shortCodeDigitsMax = 6;

/** Returns the sender of an inbound message in canonical E.164 form; a short code is returned as its digits. */
export function inboundNumber(text: string): string {
  const digits = text.replaceAll(/\D/g, '');
  return digits.length <= shortCodeDigitsMax ? digits : (canonicalRecipient(`+${digits}`) ?? `+${digits}`);
}

/**
 * Pairs of numbers that reach the same recipient, and either of which WhatsApp or a carrier may report: mobile numbers in
 * Brazil with and without the ninth digit (landlines begin with 2 to 5), and numbers in Argentina with and without the 9 of
 * mobile numbers.
 */
const twoForms = [
  { either: /^\+55(\d\d)9?([6-9]\d{7})$/, both: ['+55$19$2', '+55$1$2'] },
  { either: /^\+549?([1-3]\d{9})$/, both: ['+549$1', '+54$1'] },
] as const;

/** Returns all canonical numbers that reach the same recipient, the given number first. */
export function recipientsOfPerson(recipient: string): readonly string[] {
  const forms = twoForms.find(({ either }) => either.test(recipient));
  const all = forms?.both.map((form) => recipient.replace(forms.either, form)) ?? [];
  return [...new Set([recipient, ...all])];
}

/**
 * Returns the canonical form of a number for a search. Other texts are returned unchanged, so that the search finds
 * nothing.
 */
function recipientToFind(text: string): string {
  return canonicalRecipient(text) ?? text;
}

/**
 * Returns the canonical numbers that a text can mean: `07700 900123` as dialed in the country, `0044…`, or a number without
 * its plus. Returns the id of a WhatsApp user unchanged, and nothing for any other text.
 */
export function recipientsAsWritten(text: string, country: string): string[] {
  if (sendableUserId.test(text)) return [text];
  const written = withoutSeparators(text);
  if (!/^\+?\d{5,20}$/.test(written)) return [];
  const spellings: (string | undefined)[] = written.startsWith('+')
    ? [written]
    : [
        ...(written.startsWith('00') ? [`+${written.slice(2)}`] : []),
        isSupportedCountry(country)
          ? parsePhoneNumberFromString(written, country, numberingPlans)?.number
          : undefined,
        `+${written}`,
      ];
  const numbers = spellings.map((spelling) => canonicalRecipient(spelling ?? ''));
  return [...new Set(numbers.filter((number) => number !== undefined))];
}

/** Returns a sentence on how to correct an invalid recipient. */
export function recipientAdvice(text: string): string {
  if (isWhatsAppUserId(text))
    return 'It is the id of a WhatsApp user: only POST /api/v1/whatsapp/send takes it. Give a phone number.';
  const written = withoutSeparators(text);
  const [strange] = /[^+\d]|(?<=.)\+/su.exec(written) ?? [];
  if (strange !== undefined)
    return `It contains ${shownCharacter(strange)}: write one + and then only digits.`;
  if (written.startsWith('00')) return 'Write + instead of 00.';
  if (!written.startsWith('+')) return 'Begin with + and the country code.';
  return 'Check the country code and the number of digits.';
}

/** Returns the error text for a field whose value is not a recipient. */
function recipientFault(text: string): string {
  return `must be a phone number in international format, such as +447700900123. ${recipientAdvice(text)}`;
}

/** Returns the error text for a field whose value is neither a recipient nor the id of a WhatsApp user. */
export function personFault(text: string): string {
  const rule = `must be a phone number in international format, such as +447700900123, or the id of a WhatsApp user, such as ${exampleUserId}.`;
  return `${rule} ${userIdAdvice(text) ?? recipientAdvice(text)}`;
}

/** Returns a sentence on how to correct the id of a WhatsApp user; undefined if the text does not begin like an id. */
function userIdAdvice(text: string): string | undefined {
  if (isWhatsAppUserId(text)) return 'Give the user’s own id, without ENT.';
  return /^[a-z]+\./i.test(text)
    ? 'An id is two capital letters, a dot, and 1 to 128 letters and digits.'
    : undefined;
}

export const exampleUserId = 'US.13491208655302741918';

/** Returns the number of a character that readers may not see, and otherwise the character. */
function shownCharacter(character: string): string {
  if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(character)) return `"${character}"`;
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Longer texts are refused without being parsed. */
const spellingCharactersMax = 64;
export const digit = '[0-9０-９]';
export const between = `${separator}*`;
/** Matches every accepted spelling, and some texts that libphonenumber refuses. */
const recipientPattern = `^${between}[+＋]${between}[1-9１-９](${between}${digit}){6,14}${between}$`;
/** The keywords of the schema in the API document. */
export const recipientKeywords = {
  format: 'phone-number',
  pattern: recipientPattern,
  maxLength: spellingCharactersMax,
} as const;

/** Parsed to the canonical number. */
export const recipientSchema = z.string().check(
  z.maxLength(spellingCharactersMax, { abort: true }),
  z.superRefine<string>((text, context) => {
    if (!isRecipient(text)) context.addIssue({ code: 'custom', message: recipientFault(text) });
  }),
  z.overwrite(recipientToFind),
  z.meta(recipientKeywords),
);

/** Returns the canonical form of a number, and the id of a WhatsApp user unchanged. */
export function canonicalPerson(text: string): string | undefined {
  return sendableUserId.test(text) ? text : canonicalRecipient(text);
}

/** For the API document. The longest id has a country, a period and 128 characters. */
export const personKeywords = {
  pattern: `${recipientPattern}|${sendableUserId.source}`,
  maxLength: 131,
} as const;

const personChecks = [
  z.maxLength(personKeywords.maxLength, { abort: true }),
  z.superRefine<string>((text, context) => {
    if (canonicalPerson(text) === undefined) context.addIssue({ code: 'custom', message: personFault(text) });
  }),
  z.overwrite<string>((text) => canonicalPerson(text) ?? text),
  z.meta(personKeywords),
] as const;

/** A number, parsed to its canonical form, or the id of a WhatsApp user. */
export const personSchema = z.string().check(...personChecks);

/** The same in a query, in which a plus that is not written as `%2B` arrives as a space. */
export const personInQuery = z.string().check(
  z.overwrite((text) => text.replace(/^ (?=\d)/, '+')),
  ...personChecks,
);

/** Parses to a sender ID, or to a number in canonical form. */
export const senderSchema = z.string().check(
  z.maxLength(spellingCharactersMax, { abort: true }),
  z.refine(
    (text) => alphanumericSender.test(text) || isRecipient(text),
    `must be a phone number in international format, or ${senderNameRule}`,
  ),
  z.overwrite(recipientToFind),
  z.meta({ format: 'sender', pattern: `${recipientPattern}|${alphanumericSender.source}` }),
);

function isSupportedCountry(code: string): code is CountryCode {
  return hasPlan(code as CountryCode, numberingPlans);
}

/** ISO 3166-1 alpha-2 code of a country that has phone numbers. */
export const countrySchema = z
  .string()
  .check(z.toUpperCase(), z.refine(isSupportedCountry, 'must be a two-letter country code such as GB'));

/**
 * Returns the ISO 3166 country of a number; undefined if the number belongs to no single country. A number outside the
 * ranges in use has a country if its calling code belongs to only one. The id of a WhatsApp user begins with the country.
 */
export function countryOf(recipient: string): CountryCode | undefined {
  if (isWhatsAppUserId(recipient)) {
    const country = recipient.slice(0, 2);
    return isSupportedCountry(country) ? country : undefined;
  }
  const number = parsed(recipient);
  return number?.country ?? number?.getPossibleCountries()[0];
}

/**
 * Returns the place of a number in lists of countries and prices: its country, or its calling code if it has no country.
 */
export function placeOf(recipient: string): string {
  return countryOf(recipient) ?? internationalCodeOf(recipient);
}

/** Parses to a country in capitals, or to a calling code that belongs to no country. */
export const placeSchema = z.string().check(
  z.toUpperCase(),
  z.refine(
    (place) => isSupportedCountry(place) || internationalCodes.includes(place),
    `must be a two-letter country code such as GB, or one of ${internationalCodes.join(', ')}`,
  ),
);

/** True if the sender is a name and not a number. */
export function isAlphanumeric(sender: string): boolean {
  return !sender.startsWith('+');
}

/** Codes in common use that differ from ISO 3166. */
const otherCodes: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

/** Returns the ISO 3166-1 alpha-2 code of a country with phone numbers, in any case; undefined for other texts. */
export function countryNamed(text: string): string | undefined {
  const code = text.toUpperCase();
  const country = otherCodes[code] ?? code;
  return isSupportedCountry(country) ? country : undefined;
}

let last: { readonly text: string; readonly number: PhoneNumber | undefined } | undefined;

/**
 * Parses a number. The result is cached, because each request needs it several times, and parsing takes much of a send's
 * CPU time.
 */
function parsed(text: string): PhoneNumber | undefined {
  if (last?.text !== text)
    last = { text, number: parsePhoneNumberFromString(text, { extract: false }, numberingPlans) };
  return last.number;
}
