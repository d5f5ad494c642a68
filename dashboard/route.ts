/**
 * The page, its filters and its selection are in the address after `#`, so that links, reload and Back work, and so is
 * the mode: test data is shown below `#/test/`. A server never sees that part of an address, so no log holds the phone
 * numbers in it.
 */
import { type BaseLocationHook, useSearchParams } from 'wouter';
import { navigate, useLocationProperty } from 'wouter/use-browser-location';
import type { Mode } from '../shared/contract/mode.ts';

/** `#/messages/msg_1?client_id=x` has the path `messages/msg_1` and the query `client_id=x`. */
const pathAndQuery = (): string[] => window.location.hash.replace(/^#\/?(test(\/|$))?/, '').split('?');

/** The mode of an address after `#`, which it begins with. */
export const modeIn = (hash: string): Mode => (/^#\/?test(\/|$)/.test(hash) ? 'test' : 'live');

const modeInAddress = (): Mode => modeIn(window.location.hash);

/** Which data is shown. */
export function useMode(): Mode {
  return useLocationProperty(modeInAddress);
}

/** What an address of this mode begins with. */
const startIn = (mode: Mode): string => (mode === 'test' ? '#/test' : '#');

/** wouter's own hook for hashes keeps the query before the `#`, where it would be sent to the server. */
export const useHashLocation: BaseLocationHook = () => [
  // wouter decodes a path before it looks for its parts; `idInPath` decodes the part that is an id.
  useLocationProperty(() => `/${pathAndQuery()[0]?.replaceAll('%', '%25')}`),
  (path, options) => navigate(startIn(modeInAddress()) + path, options),
];
useHashLocation.searchHook = () => useLocationProperty(() => pathAndQuery()[1] ?? '');
useHashLocation.hrefs = (path) => startIn(modeInAddress()) + path;

/** A page of the mode that is shown, or of another one. */
export function linkTo(
  page: string,
  id?: string,
  query: Readonly<Record<string, string>> = {},
  mode = modeInAddress(),
): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  const path = id === undefined ? page : `${page}/${encodeURIComponent(id)}`;
  return `${startIn(mode)}/${path}${search === '' ? '' : `?${search}`}`;
}

/** The page that is shown, in this mode. */
export function hereIn(mode: Mode): string {
  return `${startIn(mode)}/${pathAndQuery().join('?')}`;
}

/** The id that `linkTo` wrote; a person may have typed what is no percent-encoding. */
export function idInPath(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const go: (link: string, options?: { readonly replace?: boolean }) => void = navigate;

type Values = Readonly<Record<string, string | readonly string[]>>;

/** What the address of a list holds besides its filters: the cursor and the number of the page, and the selection. */
const position = ['after', 'page', 'selected'];
/** What it holds that is neither a filter nor a place in the list. */
const kept = ['tab', 'sort', 'descending'];

/** The cursor of the page before each that was turned to: the address has one. Of a link's page, the first is before. */
const pageBefore = new Map<string, string | undefined>();

export function useListState() {
  const [query, setQuery] = useSearchParams();
  const cursor = query.get('after') ?? undefined;
  const page = cursor === undefined ? 1 : Math.max(2, Number(query.get('page')) || 2);
  const filters = Object.fromEntries([...query].filter(([name]) => ![...kept, ...position].includes(name)));
  const at = (after: string | undefined, number: number): Values =>
    after === undefined ? {} : { after, page: String(number) };
  return {
    /** Every filter that is set, as the admin API takes them. */
    filters,
    /** The value of a filter; empty if it is not set. */
    filter: (name: string): string => filters[name] ?? '',
    isFiltered: Object.keys(filters).length > 0,
    /** Of this page; the first page has none. */
    cursor,
    /** The number of this page, from 1. */
    page,
    /** To the next page, which begins there. */
    turnTo: (nextCursor: string): void => {
      pageBefore.set(nextCursor, cursor);
      setQuery((held) => changedQuery(held, at(nextCursor, page + 1)));
    },
    /** To an earlier page; to the first, where the one is not known. */
    turnBack: (pages = 1): void => {
      let before = cursor;
      for (let back = 0; back < pages; back += 1) before = pageBefore.get(before ?? '');
      setQuery((held) => changedQuery(held, at(before, page - pages)));
    },
    /** The order of the list; empty for the usual one. */
    order: { sort: query.get('sort') ?? '', descending: query.get('descending') ?? '' },
    /** The ids of the selected rows. */
    selected: query.getAll('selected'),
    /** As `changedQuery` does; `isHere` keeps the page. */
    change: (values: Values, { isHere = false, ...options }: { replace?: boolean; isHere?: boolean } = {}) =>
      setQuery((before) => changedQuery(before, { ...(isHere ? at(cursor, page) : {}), ...values }), options),
    /** The part of a page with tabs that is shown; no filter. Empty for the first. */
    tab: query.get('tab') ?? '',
    /** Removes all filters. */
    clear: () => setQuery((before) => [...before].filter(([name]) => kept.includes(name))),
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
