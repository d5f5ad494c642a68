/**
 * Counts the segments of a text, and selects its encoding (3GPP TS 23.038, 23.040), in one pass: a bulk send counts a
 * thousand texts before it responds. A test compares the result with a library.
 */
import type { encodings } from './message.ts';

interface Segmentation {
  readonly encoding: (typeof encodings)[number];
  readonly segments: number;
}

/** The default alphabet without the escape character: one septet each. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** The extension table: two septets each, always in the same segment. */
const extended = new Set('\f^{}\\[~]|€');

/** The capacity of a message of one segment: in septets for GSM-7, in code units for UCS-2. */
export const singleSegment = { septets: 160, codeUnits: 70 } as const;
/** Each of several segments has a header, which leaves it less room. */
const septets = { single: singleSegment.septets, part: 153 };
const codeUnits = { single: singleSegment.codeUnits, part: 67 };

/** Created when it is first needed: it loads the Unicode tables, which takes milliseconds of the start-up. */
let characters: Intl.Segmenter | undefined;

export function segment(text: string): Segmentation {
  const sizes = septetsOf(text);
  if (sizes !== undefined) return { encoding: 'GSM-7', segments: segmentsFor(sizes, septets) };
  if (text.length <= codeUnits.single) return { encoding: 'UCS-2', segments: 1 };
  return { encoding: 'UCS-2', segments: segmentsFor(charactersOf(text), codeUnits) };
}

/** The septets of each character; undefined where a character is in neither table. */
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
 * The code units of each grapheme: an emoji stays in one segment. A letter can have any number of marks: where it does not
 * fit into a segment, it is split between its code points, as carriers do.
 */
function* charactersOf(text: string): Generator<number> {
  characters ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment: character } of characters.segment(text)) {
    if (character !== '\r\n' && character.length <= codeUnits.part) yield character.length;
    else for (const codePoint of character) yield codePoint.length;
  }
}

function segmentsFor(
  sizes: Iterable<number>,
  room: { readonly single: number; readonly part: number },
): number {
  let total = 0;
  let full = 1;
  let used = 0;
  for (const size of sizes) {
    total += size;
    if (used + size > room.part && used > 0) {
      full += 1;
      used = 0;
    }
    used += size;
  }
  return total <= room.single ? 1 : full;
}
