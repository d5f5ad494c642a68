/** Hash routing: the page is in the address after `#`, so links, reload and the back button work. */
import { useSyncExternalStore } from 'react';

export interface Location {
  /** `#/messages/msg_1?client_id=x` is `messages`. */
  readonly page: string;
  readonly id: string | undefined;
  readonly query: URLSearchParams;
}

export function useLocation(): Location {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return parse(hash);
}

export function parse(hash: string): Location {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page = '', id] = path.split('/');
  return {
    page: page === '' ? 'activity' : page,
    id: id === undefined ? undefined : decodeURIComponent(id),
    query: new URLSearchParams(query),
  };
}

export function linkTo(page: string, id?: string, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  const path = id === undefined ? page : `${page}/${encodeURIComponent(id)}`;
  return `#/${path}${search === '' ? '' : `?${search}`}`;
}

export function go(link: string): void {
  window.location.hash = link;
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}
