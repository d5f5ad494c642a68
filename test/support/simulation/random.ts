/** Randomness that a seed decides: the same names give the same numbers, whatever else the run draws. */

/** Below 1. */
export type Random = () => number;

/** A hash of the texts, as a whole number of 32 bits (FNV-1a, then mixed). */
export function hashOf(...texts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const text of texts) {
    for (const character of `${text}\0`) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A sequence of its own for each name (mulberry32). */
export function randomOf(...names: readonly (string | number)[]): Random {
  let state = hashOf(...names);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function between(random: Random, low: number, high: number): number {
  return low + random() * (high - low);
}

export function wholeBetween(random: Random, low: number, high: number): number {
  return Math.floor(between(random, low, high + 1));
}

export function oneOf<Item>(random: Random, items: readonly [Item, ...Item[]]): Item {
  return items[Math.floor(random() * items.length)] ?? items[0];
}
