/**
 * The page, its filters and its selection are in the address after `#`, so that links, reload and Back work. A server
 * never sees that part of an address, so no log holds the phone numbers in it.
 */
import { type BaseLocationHook, useSearchParams } from 'wouter';
import { navigate, useLocationProperty } from 'wouter/use-browser-location';

/** `#/messages/msg_1?client_id=x` has the path `messages/msg_1` and the query `client_id=x`. */
const pathAndQuery = (): string[] => window.location.hash.replace(/^#\/?/, '').split('?');

/** wouter's own hook for hashes keeps the query before the `#`, where it would be sent to the server. */
export const useHashLocation: BaseLocationHook = () => [
  // wouter decodes a path before it looks for its parts; `idInPath` decodes the part that is an id.
  useLocationProperty(() => `/${pathAndQuery()[0]?.replaceAll('%', '%25')}`),
  (path, options) => navigate(`#${path}`, options),
];
useHashLocation.searchHook = () => useLocationProperty(() => pathAndQuery()[1] ?? '');
useHashLocation.hrefs = (path) => `#${path}`;

export function linkTo(page: string, id?: string, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  const path = id === undefined ? page : `${page}/${encodeURIComponent(id)}`;
  return `#/${path}${search === '' ? '' : `?${search}`}`;
}

/** The id that `linkTo` wrote; a person may have typed what is no percent-encoding. */
export function idInPath(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function go(link: string, options?: { readonly replace?: boolean }): void {
  navigate(link, options);
}

type Values = Readonly<Record<string, string | readonly string[]>>;

/** What the address of a list holds besides its filters: the cursors of the pages up to this one, and the selection. */
const position = ['after', 'selected'];

interface ListState {
  /** Every filter that is set, as the admin API takes them. */
  readonly filters: Readonly<Record<string, string>>;
  /** The value of a filter; empty if it is not set. */
  filter(name: string): string;
  readonly isFiltered: boolean;
  /** One for each page up to this one; the first page has none. */
  readonly cursors: readonly string[];
  /** The cursor of this page. */
  readonly cursor: string | undefined;
  /** The ids of the selected rows. */
  readonly selected: readonly string[];
  /** As `changedQuery` does. */
  change(values: Values, options?: { readonly replace?: boolean }): void;
  /** Removes all filters. */
  clear(): void;
}

export function useListState(): ListState {
  const [query, setQuery] = useSearchParams();
  const cursors = query.getAll('after');
  const filters = Object.fromEntries([...query].filter(([name]) => !position.includes(name)));
  return {
    filters,
    filter: (name) => filters[name] ?? '',
    isFiltered: Object.keys(filters).length > 0,
    cursors,
    cursor: cursors.at(-1),
    selected: query.getAll('selected'),
    change: (values, options) => setQuery((before) => changedQuery(before, values), options),
    clear: () => setQuery({}),
  };
}

/** Empty values are removed; so is the position, unless it is given: other filters have other pages. */
export function changedQuery(before: URLSearchParams, values: Values): URLSearchParams {
  const next = new URLSearchParams(before);
  for (const name of [...position, ...Object.keys(values)]) next.delete(name);
  for (const [name, value] of Object.entries(values)) {
    for (const one of [value].flat()) if (one !== '') next.append(name, one);
  }
  return next;
}
