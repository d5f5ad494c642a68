/** Loads data from the admin API, also by pages. */
import { useCallback, useEffect, useRef, useState } from 'react';

interface Loaded<Data> {
  readonly data: Data | undefined;
  readonly error: string | undefined;
  readonly loading: boolean;
  reload(): void;
}

/** Loads again when `key` changes; an outdated response is ignored. */
export function useLoaded<Data>(key: string, load: () => Promise<Data>): Loaded<Data> {
  const [state, setState] = useState<{ key: string; data?: Data; error?: string; loading: boolean }>({
    key,
    loading: true,
  });
  const latest = useRef(load);
  latest.current = load;
  const round = useRef(0);

  const start = useCallback(() => {
    round.current += 1;
    const mine = round.current;
    setState((before) => ({ ...(before.key === key ? before : {}), key, loading: true }));
    latest.current().then(
      (data) => {
        if (round.current === mine) setState({ key, data, loading: false });
      },
      (error: unknown) => {
        if (round.current === mine) setState({ key, error: sentence(error), loading: false });
      },
    );
  }, [key]);

  useEffect(start, [start]);
  const current = state.key === key ? state : { loading: true };
  return {
    data: 'data' in current ? current.data : undefined,
    error: 'error' in current ? current.error : undefined,
    loading: current.loading,
    reload: start,
  };
}

/** The text after a pause in typing. */
export function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 400);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Calls `reload` every two seconds while something is in progress. */
export function useRefresh(underWay: boolean, reload: () => void): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    if (!underWay) return undefined;
    const timer = setInterval(() => latest.current(), 2000);
    return () => clearInterval(timer);
  }, [underWay]);
}

export interface Pages {
  /** From 1. */
  readonly index: number;
  /** Known pages: one more each time a response has a next cursor. */
  readonly count: number;
  turnTo(index: number): void;
}

/** Loads pages by cursor; starts at the first page again when `key` changes. */
export function usePaged<Data extends { readonly next_cursor?: string }>(
  key: string,
  load: (cursor: string | undefined) => Promise<Data>,
): Loaded<Data> & { readonly pages: Pages } {
  const [stored, setStored] = useState<Cursors>(() => firstPage(key));
  const state = stored.key === key ? stored : firstPage(key);
  const cursor = state.cursors[state.index - 1];
  const loaded = useLoaded(`${key}|${state.index}|${cursor ?? ''}`, () => load(cursor));
  const next = loaded.data?.next_cursor;
  const { index } = state;
  useEffect(() => {
    if (next === undefined) return;
    setStored((before) => {
      const now = before.key === key ? before : firstPage(key);
      return { ...now, cursors: [...now.cursors.slice(0, index), next] };
    });
  }, [key, index, next]);
  return {
    ...loaded,
    pages: {
      index,
      count: state.cursors.length,
      turnTo: (wanted) => setStored({ ...state, index: wanted }),
    },
  };
}

interface Cursors {
  readonly key: string;
  readonly index: number;
  /** The cursor of each known page; the first page has none. */
  readonly cursors: readonly (string | undefined)[];
}

function firstPage(key: string): Cursors {
  return { key, index: 1, cursors: [undefined] };
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong.';
}
