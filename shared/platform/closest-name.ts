/** Finds the valid name that a misspelled name probably means. */

/** The share of the longer text that may differ. If more than this share differs, the names are not similar. */
const differingShareMax = 0.45;

/** Ignores case, spaces and punctuation. Returns undefined if no name is similar. */
export function closestName(text: string, names: readonly string[]): string | undefined {
  const typed = plain(text);
  const [nearest] = names
    .map((name) => ({ name, distance: editDistance(typed, plain(name)), length: plain(name).length }))
    .filter(({ distance, length }) => distance <= differingShareMax * Math.max(typed.length, length))
    .toSorted((one, other) => one.distance - other.distance);
  return nearest?.name;
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9/*]/g, '');
}

/**
 * Returns Levenshtein's distance: the insertions, removals and replacements of a character that turn one text into
 * the other.
 */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
