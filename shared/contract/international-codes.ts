/** The form of international numbers, and the calling codes without a country: a part that needs no numbering plans. */

/** E.164 without spaces: a plus, then 7 to 15 digits. */
export const e164 = /^\+[1-9][0-9]{6,14}$/;

/** The calling codes of no country: freephone, satellite and other international networks, and premium numbers. */
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

/** Returns the calling code of a number without a country: each has three digits. */
export function internationalCodeOf(recipient: string): string {
  return recipient.slice(0, 4);
}
