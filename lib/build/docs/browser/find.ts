/** Finds entries of the search index, best first. */

/** Title, address, place, more words. */
export type Entry = readonly [title: string, address: string, place: string, finds: string];

const resultsMax = 30;

/** Every word that is searched for is in an entry; those whose title is nearest to the words come first, pages before fields. */
export function find(entries: readonly Entry[], wanted: string): Entry[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry, place) => ({ entry, place, distance: distanceOf(entry, words) }))
    .filter(({ distance }) => distance < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.distance - b.distance || a.place - b.place)
    .slice(0, resultsMax)
    .map(({ entry }) => entry);
}

function distanceOf([title, address, place, finds]: Entry, words: readonly string[]): number {
  const titleText = title.toLowerCase();
  const all = `${titleText} ${finds} ${place} ${address}`.toLowerCase();
  if (!words.every((word) => all.includes(word))) return Number.POSITIVE_INFINITY;
  const whole = words.join(' ');
  // A row of a table is below a heading.
  const depth = place.includes(': ') ? 0.5 : 0;
  if (titleText === whole) return depth;
  if (titleText.startsWith(whole)) return 1 + depth;
  if (words.every((word) => titleText.includes(word))) return 2 + depth;
  return words.every((word) => `${titleText} ${finds}`.toLowerCase().includes(word)) ? 3 : 4;
}
