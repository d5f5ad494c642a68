/** Finds entries of the search index, best first. */

/** The title, the address, the place, and further words. */
export type Entry = readonly [title: string, address: string, place: string, keywords: string];

const resultsMax = 30;

/** Returns the entries that contain every word: those whose titles match best first, and headings before fields. */
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

function distanceOf([title, address, place, keywords]: Entry, words: readonly string[]): number {
  const titleText = title.toLowerCase();
  const all = `${titleText} ${keywords} ${place} ${address}`.toLowerCase();
  if (!words.every((word) => all.includes(word))) return Number.POSITIVE_INFINITY;
  const whole = words.join(' ');
  // A row of a table ranks below a heading.
  const depth = place.includes(': ') ? 0.5 : 0;
  if (titleText === whole) return depth;
  if (titleText.startsWith(whole)) return 1 + depth;
  if (words.every((word) => titleText.includes(word))) return 2 + depth;
  return words.every((word) => `${titleText} ${keywords}`.toLowerCase().includes(word)) ? 3 : 4;
}
