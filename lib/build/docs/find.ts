/** Finds entries of the search index, best first, in the browser and in the tests. */
import MiniSearch from 'minisearch';

export interface Entry {
  /** The address, relative to `/docs/`. */
  readonly id: string;
  readonly title: string;
  readonly page: string;
  readonly text: string;
  /** Names of fields and parameters. The search finds them but does not show them. */
  readonly names?: string;
}

const resultsMax = 12;
const fillers = new Set(
  'a an and can do does for how i in is it my of on the there to what when with'.split(' '),
);

export function finder(entries: readonly Entry[]) {
  const index = new MiniSearch<Entry>({
    fields: ['title', 'text', 'names'],
    storeFields: ['title', 'page', 'text'],
    processTerm: (term) => (fillers.has(term.toLowerCase()) ? null : term.toLowerCase()),
    searchOptions: { boost: { title: 3, names: 0.5 }, prefix: true, fuzzy: 0.1 },
  });
  index.addAll(entries);
  return (words: string) => {
    const found = index.search(words, { combineWith: 'AND' });
    // If no entry contains all words, returns entries that contain one.
    return (found.length > 0 ? found : index.search(words)).slice(0, resultsMax);
  };
}
