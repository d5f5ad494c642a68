/**
 * Renders the texts of bulk messages and one-time passwords: replaces each `{{name}}` once, but not placeholders inside
 * values. Also counts the segments of a text.
 */

export const maxMessageCharacters = 1600;

const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g;

/** Returns the names of the placeholders, each once, in order. */
export function placeholdersOf(template: string): string[] {
  return [...new Set(Array.from(template.matchAll(placeholder), (match) => match[1] ?? ''))];
}

/** Returns the length of the rendered text in UTF-16 code units, without rendering it, because it could have gigabytes. */
export function renderedLength(template: string, variables: Readonly<Record<string, string>>): number {
  let length = template.length;
  for (const [written, name = ''] of template.matchAll(placeholder)) {
    length += (Object.hasOwn(variables, name) ? (variables[name]?.length ?? 0) : 0) - written.length;
  }
  return length;
}

/** Returns the text with each placeholder replaced, or the names of all missing values. Other braces stay as they are. */
export function render(template: string, variables: Readonly<Record<string, string>>) {
  const missing = placeholdersOf(template).filter((name) => !Object.hasOwn(variables, name));
  if (missing.length > 0) return { ok: false as const, missing };
  return {
    ok: true as const,
    text: template.replace(placeholder, (_, name: string) => variables[name] ?? ''),
  };
}

/**
 * Returns the text of a one-time password with its final length, so that its segments can be counted before the code
 * exists.
 */
export function withSampleCode(text: string, otp: { readonly code_length: number } | undefined): string {
  // All codes of one length take the same segments, because both encodings contain all digits.
  const rendered = otp === undefined ? undefined : render(text, { code: '0'.repeat(otp.code_length) });
  return rendered?.ok === true ? rendered.text : text;
}

/**
 * The default alphabet of GSM-7, without the escape character. Each character takes one septet. Marked as pure, so that
 * bundles that count no segments omit it.
 */
const basic = /* @__PURE__ */ new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** The extension table of GSM-7. Each character takes two septets, always in the same segment. */
const extended = /* @__PURE__ */ new Set('\f^{}\\[~]|€');

export function isGsm7(character: string): boolean {
  return basic.has(character) || extended.has(character);
}

/** The capacity of a message with one segment, in septets for GSM-7, and in code units for UCS-2. */
export const singleSegment = { septets: 160, codeUnits: 70 } as const;
/** The capacity of each segment of a longer message, whose header leaves less room. */
const partOfSeveral = { septets: 153, codeUnits: 67 } as const;

/** Created on first use, because loading its Unicode tables takes milliseconds. */
let characters: Intl.Segmenter | undefined;

/**
 * Counts the segments of a text and selects its encoding (3GPP TS 23.038, 23.040). It makes one pass, because a bulk send
 * counts a thousand texts before it responds. A test compares the result with a library.
 */
export function segment(text: string) {
  const sizes = septetsOf(text);
  if (sizes !== undefined) return { encoding: 'GSM-7' as const, segments: segmentsFor(sizes, 'septets') };
  if (text.length <= singleSegment.codeUnits) return { encoding: 'UCS-2' as const, segments: 1 };
  return { encoding: 'UCS-2' as const, segments: segmentsFor(charactersOf(text), 'codeUnits') };
}

/** Returns the septets of each character; undefined if a character is not in GSM-7. */
function septetsOf(text: string): number[] | undefined {
  const sizes: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (basic.has(character)) sizes.push(1);
    else if (extended.has(character)) sizes.push(2);
    else return undefined;
  }
  return sizes;
}

/**
 * Returns the code units of each grapheme, so that an emoji is not split between segments. A letter with too many marks for
 * one segment is split between code points, as carriers do.
 */
function* charactersOf(text: string): Generator<number> {
  characters ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment: character } of characters.segment(text)) {
    if (character !== '\r\n' && character.length <= partOfSeveral.codeUnits) yield character.length;
    else for (const codePoint of character) yield codePoint.length;
  }
}

function segmentsFor(sizes: Iterable<number>, unit: keyof typeof singleSegment): number {
  let total = 0;
  let full = 1;
  let used = 0;
  for (const size of sizes) {
    total += size;
    if (used + size > partOfSeveral[unit] && used > 0) {
      full += 1;
      used = 0;
    }
    used += size;
  }
  return total <= singleSegment[unit] ? 1 : full;
}
