/**
 * The characters that make an SMS expensive: one character outside GSM-7 more than doubles the segments of a long text.
 * `smart_encoding` replaces typographic characters, as the large vendors do (contract 5.5, 5.13).
 */
import { isGsm7, maxMessageCharacters, segment, withSampleCode } from './message-text.ts';

/**
 * The replacements: quotes, dashes, spaces, the ellipsis, invisible characters. Never a letter. The joiners U+200C and U+200D
 * stay, because scripts and emoji need them.
 */
const replacements: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '"': '«»“”„‟″❝❞〝〞\uFF02',
    "'": '‘’‚‛′❛❜\u0060\u00B4\uFF07',
    '-': '\u2010\u2011\u2012–—\u2015\u2212\uFF0D',
    '...': '…',
    ' ': '\t\u00A0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000',
    '\n': '\u2028\u2029',
    '': '\u00AD\u200B\u2060\uFEFF',
  }).flatMap(([replacement, characters]) => Array.from(characters, (one) => [one, replacement] as const)),
);

function replaced(text: string): string {
  return Array.from(text, (character) => replacements.get(character) ?? character).join('');
}

/**
 * Returns the text of an SMS as it is sent, with its encoding and segments, and the segments that `smart_encoding` would
 * save. With `smart`, replaces characters only if the whole text then is GSM-7 and takes no more segments.
 *
 * @param otp - the one-time password whose code the text will contain
 */
export function smsContent(
  given: string,
  smart: boolean | undefined,
  otp?: { readonly code_length: number },
) {
  const sizeOf = (text: string) => segment(withSampleCode(text, otp));
  const size = sizeOf(given);
  const asGiven = { text: given, ...size, avoidable_segments: undefined };
  if (size.encoding === 'GSM-7') return asGiven;
  const text = replaced(given);
  const smaller = sizeOf(text);
  const isSendable = text.trim() !== '' && [...withSampleCode(text, otp)].length <= maxMessageCharacters;
  if (!isSendable || smaller.encoding !== 'GSM-7' || smaller.segments > size.segments) return asGiven;
  if (smart === true) return { text, ...smaller, avoidable_segments: undefined };
  // Absent if it is 0, as on most messages.
  return { ...asGiven, avoidable_segments: size.segments - smaller.segments || undefined };
}

/** The response shows this many characters of a text. */
export const shownCharacters = 10;

/**
 * Returns the first characters that make a text UCS-2, the number of the others, and the segments of the text with all
 * replacements: null if it is still not GSM-7. Undefined if the text is GSM-7.
 */
export function ucs2Of(text: string) {
  const characters: {
    readonly character: string;
    readonly code: string;
    readonly position: number;
    readonly replacement: string | null;
  }[] = [];
  let more = 0;
  for (const [position, character] of [...text].entries()) {
    if (isGsm7(character)) continue;
    if (characters.length === shownCharacters) more += 1;
    else {
      const code = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
      characters.push({ character, code, position, replacement: replacements.get(character) ?? null });
    }
  }
  if (characters.length === 0) return undefined;
  const { encoding, segments } = segment(replaced(text));
  return { characters, more, gsm7_segments: encoding === 'GSM-7' ? segments : null };
}
