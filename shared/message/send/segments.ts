/**
 * How many segments a text takes on the air, and in which alphabet (3GPP TS 23.038, 23.040). Counted in one pass,
 * for a bulk counts a thousand texts before it answers; a test holds it to a library's count.
 */

interface Segmentation {
  readonly encoding: 'GSM-7' | 'UCS-2';
  readonly segments: number;
}

/** The default alphabet, without the escape; each takes one septet. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Behind the escape; each takes two septets, which are never parted. */
const extended = new Set('\f^{}\\[~]|€');

/** Room in a text of one segment, and in each of several, which begin with a header. */
const septets = { single: 160, part: 153 };
const codeUnits = { single: 70, part: 67 };

/** Made when the first text needs it, for it loads Unicode's tables: milliseconds of a start. */
let characters: Intl.Segmenter | undefined;

export function segment(text: string): Segmentation {
  const sizes = septetsOf(text);
  if (sizes !== undefined) return { encoding: 'GSM-7', segments: segmentsFor(sizes, septets) };
  if (text.length <= codeUnits.single) return { encoding: 'UCS-2', segments: 1 };
  return { encoding: 'UCS-2', segments: segmentsFor(charactersOf(text), codeUnits) };
}

/** The septets of each character; undefined where one is in neither table. */
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

/** The code units of each character as its reader sees it: an emoji is not parted. */
function* charactersOf(text: string): Generator<number> {
  characters ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment: character } of characters.segment(text)) {
    if (character === '\r\n') yield* [1, 1];
    else yield character.length;
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
