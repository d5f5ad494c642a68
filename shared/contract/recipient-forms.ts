/**
 * The forms of a recipient that can be recognized without numbering plans: international numbers, calling codes without a
 * country, and WhatsApp users. A user who hides the phone number is identified by Meta's business-scoped user id, such as
 * `US.13491208655302741918`. A number begins with a plus or a digit, so numbers and ids cannot be confused.
 */

/** E.164 without spaces: a plus, then 7 to 15 digits. */
export const e164 = /^\+[1-9][0-9]{6,14}$/;

/**
 * The calling codes that belong to no country: freephone, satellite and other international networks, and premium numbers.
 */
export const internationalCodes: readonly string[] = [
  '+800',
  '+808',
  '+870',
  '+878',
  '+881',
  '+882',
  '+883',
  '+888',
  '+979',
];

/** Returns the calling code of a number without a country. All these codes have three digits. */
export function internationalCodeOf(recipient: string): string {
  return recipient.slice(0, 4);
}

/**
 * The country code of numbers that belong to no single country, such as satellite phones. ISO 3166 reserves this code for
 * private use.
 */
export const noCountry = 'ZZ';

/** A country code, optionally `ENT`, and up to 128 letters and digits. */
const whatsAppUserId = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

/**
 * The ids to which a client can send. An id with `ENT` names a user to several portfolios of a business. The user's messages
 * and receipts contain the id without it.
 */
export const sendableUserId = /^[A-Z]{2}\.[A-Za-z0-9]{1,128}$/;

export function isWhatsAppUserId(text: string): boolean {
  return whatsAppUserId.test(text);
}

export const recipientTypes = ['whatsapp_user_id'] as const;

/** Returns the type of a recipient that is not a number; undefined for a number. */
export function recipientTypeOf(recipient: string): (typeof recipientTypes)[number] | undefined {
  return isWhatsAppUserId(recipient) ? 'whatsapp_user_id' : undefined;
}
