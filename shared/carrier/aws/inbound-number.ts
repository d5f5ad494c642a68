/** Numbers in notifications of inbound messages: with or without a plus, and short codes. */
import { canonicalRecipient } from '../../recipient/phone-number.ts';

/** Numbers shorter than this are short codes, which have no country. */
const shortCodeDigitsMax = 6;

/** E.164 in its canonical form where the text is such a number; a short code stays as it is. */
export function inboundNumber(text: string): string {
  const digits = text.replaceAll(/\D/g, '');
  return digits.length <= shortCodeDigitsMax ? digits : (canonicalRecipient(`+${digits}`) ?? `+${digits}`);
}
