/** Finds entries of the search index, best first. */

/** The title, the address relative to the gateway's, the place on the page, further words, and the text below the title. */
export type Entry = readonly [title: string, address: string, place: string, keywords: string, text: string];

const resultsMax = 30;

/** For each word that an entry does not have: more than any distance. */
const perMissingWord = 100;

/**
 * Returns the entries that contain every word, without those that every question has: those whose titles match best first,
 * then those whose text has the words, and headings before fields. Where no entry has every word: those that have the most.
 */
export function find(entries: readonly Entry[], wanted: string): Entry[] {
  const words = telling(wordsOf(wanted));
  if (words.length === 0) return [];
  const distanceOf = distancesTo(wordsOf(wanted), words);
  const found = entries
    .map((entry, place) => ({ entry, place, distance: distanceOf(entry) }))
    .filter(({ distance }) => distance < words.length * perMissingWord);
  const hasAll = found.some(({ distance }) => distance < perMissingWord);
  return found
    .filter(({ distance }) => !hasAll || distance < perMissingWord)
    .sort((a, b) => a.distance - b.distance || a.place - b.place)
    .filter(isFirstOfItsText(new Set()))
    .slice(0, resultsMax)
    .map(({ entry }) => entry);
}

/** From here on the words are only in the text. */
const inText = 8;

function distancesTo(asWritten: readonly string[], words: readonly string[]): (entry: Entry) => number {
  const whole = spaced(asWritten.join(' '));
  const wanted = words.map((word) => ({ word, begun: wordIn(word), complete: wordIn(word, wordEnd) }));
  return ([title, address, place, keywords, text]) => {
    const titled = title.toLowerCase();
    const named = `${titled} ${keywords.toLowerCase()}`;
    const addressed = `${named} ${place} ${address}`.toLowerCase();
    const all = `${addressed} ${text.toLowerCase()}`;
    const isRow = place.includes(': ');
    const depth = isRow ? 0.5 : 0;
    // A part of a word is in the names of many rows: headings that are about the words come before them.
    const beside = isRow ? 4 : 0;
    // Nobody knows whether a name is written with a hyphen or an underscore.
    if (spaced(titled) === whole) return depth;
    if (spaced(titled).startsWith(whole)) return 1 + beside;
    const matched = wanted.filter(({ word, begun }) => begun.test(all) || addressed.includes(word));
    const missing = (wanted.length - matched.length) * perMissingWord;
    if (matched.every(({ word }) => titled.includes(word))) return missing + 2 + beside;
    if (matched.every(({ complete }) => complete.test(named))) return missing + 3;
    if (matched.every(({ word }) => named.includes(word))) return missing + 4;
    if (matched.every(({ word }) => addressed.includes(word))) return missing + 7;
    const isComplete = matched.every(({ complete }) => complete.test(all));
    return missing + inText + (isComplete ? 0 : 1) + depth;
  };
}

/** Several operations have fields of one name and text: the first of them is shown. */
function isFirstOfItsText(seen: Set<string>) {
  return ({ entry, distance }: { readonly entry: Entry; readonly distance: number }): boolean => {
    const [title, , , , text] = entry;
    const same = `${title} ${text}`;
    if (distance < inText || !seen.has(same)) {
      seen.add(same);
      return true;
    }
    return false;
  };
}

const inWord = '[\\p{L}\\p{N}_]';
const wordEnd = `(?!${inWord})`;

/** In a text a word is found only at its beginning: "stop" is not in "nonstop". */
function wordIn(word: string, end = ''): RegExp {
  return new RegExp(`(?<!${inWord})${word.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')}${end}`, 'u');
}

const spaced = (name: string): string => name.replaceAll(/[-_]/g, ' ');

/** Without the marks of a sentence at the ends of a word, and its `'s`. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().split(/\s+/);
  return words.map((word) => word.replace(/^["'“‘(]+|(['’]s)?[?!.,;:"'”’)]*$/g, '')).filter(Boolean);
}

const fillers = new Set(
  'a an and any are be can do does for get have how i if in is it me my of on or the there to what when where which why with work you your'.split(
    ' ',
  ),
);

/** The words that tell what is looked for; all of them where none does. */
function telling(words: readonly string[]): readonly string[] {
  const kept = words.filter((word) => !fillers.has(word));
  return kept.length === 0 ? words : kept;
}

const charactersBefore = 50;
const charactersMax = 120;

/** Returns the part of a text around the first word that is found in it; nothing where there is none. */
export function excerpt(text: string, wanted: string): string {
  const lower = text.toLowerCase();
  const places = telling(wordsOf(wanted)).flatMap((word) => wordIn(word).exec(lower)?.index ?? []);
  if (places.length === 0) return '';
  const early = Math.max(0, Math.min(...places) - charactersBefore);
  const from = early === 0 ? 0 : text.indexOf(' ', early) + 1;
  const part = text.slice(from, from + charactersMax);
  const whole = from + charactersMax >= text.length ? part : `${part.replace(/\s+\S*$/, '')} …`;
  return from === 0 ? whole : `… ${whole}`;
}
