/**
 * Escapes text from clients and recipients, as JSON does. It escapes invisible characters, and those that control a
 * terminal or a browser, so that no name can look like another.
 */

/**
 * Control characters except line feed, tab and the CR of a CRLF; characters that reorder text (Unicode, UAX #9); and
 * characters without a width. Joiners are not escaped, because scripts and emoji need them.
 */
const actedOn =
  /(?!\r\n)[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu;

/** Escapes text of several lines. A JSON document keeps its meaning. */
export function printable(text: string): string {
  return text.replace(actedOn, escaped);
}

/** Escapes a value so that it cannot look like additional lines or columns. */
export function inOneLine(text: string): string {
  return printable(text.replace(/[\t\n\r]/g, escaped));
}

/** Escapes a character as JSON does. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
