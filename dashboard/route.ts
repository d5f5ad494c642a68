/**
 * The address after `#` contains the page, its filters and the mode, so that links, reload and Back work. Test data is
 * shown below `#/test/`. Servers never see this part of a URL, so no log contains its phone numbers.
 */
import { type BaseLocationHook, useSearchParams } from 'wouter';
import { navigate, useLocationProperty } from 'wouter/use-browser-location';
import type { Mode } from '../shared/contract/mode.ts';

/** `#/messages/msg_1?client_id=x` has the path `messages/msg_1` and the query `client_id=x`. */
const pathAndQuery = (): string[] => window.location.hash.replace(/^#\/?(test(\/|$))?/, '').split('?');

/** Returns the mode of an address after `#`. */
export const modeIn = (hash: string): Mode => (/^#\/?test(\/|$)/.test(hash) ? 'test' : 'live');

const modeInAddress = (): Mode => modeIn(window.location.hash);

/** Returns the mode of the page: live or test data. */
export function useMode(): Mode {
  return useLocationProperty(modeInAddress);
}

/** Returns the prefix of all addresses in a mode. */
const startIn = (mode: Mode): string => (mode === 'test' ? '#/test' : '#');

/**
 * Replaces wouter's own hook for hashes. wouter's hook would put the query before the `#`, so the browser would send it to
 * the server.
 */
export const useHashLocation: BaseLocationHook = () => [
  // wouter decodes a whole path before it splits it; `idInPath` decodes the id in the path.
  useLocationProperty(() => `/${pathAndQuery()[0]?.replaceAll('%', '%25')}`),
  (path, options) => navigate(startIn(modeInAddress()) + path, options),
];
useHashLocation.searchHook = () => useLocationProperty(() => pathAndQuery()[1] ?? '');
useHashLocation.hrefs = (path) => startIn(modeInAddress()) + path;

/** Returns the link to a page, in the current mode or another one. */
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

/** Returns the link to the current page in another mode. */
export function hereIn(mode: Mode): string {
  return `${startIn(mode)}/${pathAndQuery().join('?')}`;
}

/** Decodes an id in a path. A path that the user typed may be invalid. */
export function idInPath(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const go: (link: string, options?: { readonly replace?: boolean }) => void = navigate;

type Values = Readonly<Record<string, string>>;

/** The parameters of the position in a list: the cursor and the page number. */
const position = ['after', 'page'];
/** The parameters that stay when filters or the position change. */
const kept = ['tab', 'sort', 'descending'];

/**
 * Maps the cursor of each visited page to the cursor of the page before it. The address contains only the current cursor.
 * If a link opened the page, "previous" leads to the first page.
 */
const pageBefore = new Map<string, string | undefined>();

export function useListState() {
  const [query, setQuery] = useSearchParams();
  const cursor = query.get('after') ?? undefined;
  const page = cursor === undefined ? 1 : Math.max(2, Number(query.get('page')) || 2);
  const filters = Object.fromEntries([...query].filter(([name]) => ![...kept, ...position].includes(name)));
  const at = (after: string | undefined, number: number): Values =>
    after === undefined ? {} : { after, page: String(number) };
  return {
    /** All filters that are set, in the format of the admin API. */
    filters,
    /** The value of a filter; empty if it is not set. */
    filter: (name: string): string => filters[name] ?? '',
    isFiltered: Object.keys(filters).length > 0,
    /** The cursor of this page; undefined for the first page. */
    cursor,
    /** The number of this page, from 1. */
    page,
    /** Goes to the next page. */
    turnTo: (nextCursor: string): void => {
      pageBefore.set(nextCursor, cursor);
      setQuery((held) => changedQuery(held, at(nextCursor, page + 1)));
    },
    /** Goes to an earlier page, or to the first page if the earlier cursor is unknown. */
    turnBack: (pages = 1): void => {
      let before = cursor;
      for (let back = 0; back < pages; back += 1) before = pageBefore.get(before ?? '');
      setQuery((held) => changedQuery(held, at(before, page - pages)));
    },
    /** The order of the list; empty for the default order. */
    order: { sort: query.get('sort') ?? '', descending: query.get('descending') ?? '' },
    /** Changes the query (see `changedQuery`). */
    change: (values: Values, options: { replace?: boolean } = {}) =>
      setQuery((before) => changedQuery(before, values), options),
    /** The selected tab; empty for the first. It is not a filter. */
    tab: query.get('tab') ?? '',
    /** Removes all filters. */
    clear: () => setQuery((before) => [...before].filter(([name]) => kept.includes(name))),
  };
}

/**
 * Returns the changed query. Removes empty values. The position is also removed, unless `values` contains it, because other
 * filters have other pages.
 */
export function changedQuery(before: URLSearchParams, values: Values): URLSearchParams {
  const next = new URLSearchParams(before);
  for (const name of [...position, ...Object.keys(values)]) next.delete(name);
  for (const [name, value] of Object.entries(values)) {
    if (value !== '') next.set(name, value);
  }
  return next;
}
