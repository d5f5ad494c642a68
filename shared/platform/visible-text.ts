/**
 * Escapes text that clients and their recipients chose, as JSON does: characters that control a terminal or a
 * browser, and invisible ones, so that no name looks like another one.
 */

/**
 * Control characters except line feed, tab and the CR of a CRLF; characters that reorder text (Unicode, UAX #9) and those
 * without a width. Joiners are not escaped, because scripts and emoji need them.
 */
const actedOn =
  /(?!\r\n)[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu;

/** Escapes text of several lines; a JSON document keeps its meaning. */
export function printable(text: string): string {
  return text.replace(actedOn, escaped);
}

/** Escapes a value so that it cannot look like further lines or columns. */
export function inOneLine(text: string): string {
  return printable(text.replace(/[\t\n\r]/g, escaped));
}

/** Escapes a character as JSON does. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
