/**
 * Loads responses of the admin API, and sends changes. Refreshes at intervals, when the user returns to the tab, and after every
 * change.
 */

import {
  MutationCache,
  QueryClient,
  type UseMutationOptions,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { useRef } from 'react';
import type { ResponseOf, RowOf } from '../../shared/admin/http/admin-operations.ts';
import { withStart } from '../components/time-range.ts';
import { useDashboard } from '../dashboard-context.ts';
import { useListState } from '../route.ts';
import { isFinal, retriesMax } from './api-error.ts';
import type { PathValues, Query, ReadName } from './call-api.ts';

/** The refresh stops while the tab is hidden. */
const refreshMs = 15_000;
const refreshInProgressMs = 2000;

/** @param onError - called for every failed change that does not show its own error (`meta.showsError`) */
export function newQueryClient(onError: (message: string) => void): QueryClient {
  const client = new QueryClient({
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, { meta }) => {
        if (meta?.showsError !== true) onError(error.message);
      },
      // Everything on the screen is loaded again: a list of the queries that each change affects would soon be out of date.
      onSettled: () => void client.invalidateQueries(),
    }),
    defaultOptions: {
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        retry: (failures, error) => failures < retriesMax && !isFinal(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

interface ResponseOptions<Data> {
  /** True if the response will soon change and must be refreshed more often. */
  readonly inProgress?: (answer: Data) => boolean;
  /** False if the query cannot be sent yet. */
  readonly enabled?: boolean;
  /** True if the response never changes during a session. */
  readonly isFixed?: boolean;
  /** The refresh interval, if it differs from the usual one. */
  readonly refreshEveryMs?: number;
  /** Returns the query to send, for lists whose times need another conversion. */
  readonly sent?: (query: Query) => Query;
}

export function useResponse<Name extends ReadName>(
  name: Name,
  path: PathValues<Name>,
  query: Query = {},
  {
    inProgress,
    enabled = true,
    isFixed = false,
    refreshEveryMs = refreshMs,
    sent = withStart,
  }: ResponseOptions<ResponseOf<Name>> = {},
) {
  const { api } = useDashboard();
  return useQuery<ResponseOf<Name>>({
    queryKey: [name, path, query],
    queryFn: ({ signal }) => api.get(name, path, sent(query), signal),
    enabled,
    staleTime: isFixed ? Number.POSITIVE_INFINITY : 0,
    refetchInterval: ({ state: { data, error } }) => {
      if (isFixed || isFinal(error)) return false;
      return data !== undefined && inProgress?.(data) === true ? refreshInProgressMs : refreshEveryMs;
    },
  });
}

const rowsOfPage = '50';

/** Loads the page of a list that the address (URL) selects. */
export function usePagedAnswer<Name extends ReadName, Field extends string & keyof ResponseOf<Name>>(
  name: Name,
  path: PathValues<Name>,
  filters: Query,
  field: Field,
  options: ResponseOptions<ResponseOf<Name>> = {},
) {
  const { cursor } = useListState();
  const query = useResponse(name, path, { ...filters, cursor, limit: rowsOfPage }, options);
  const page = query.data as
    | (Readonly<Record<Field, readonly RowOf<Name, Field>[]>> & { readonly next_cursor?: string })
    | undefined;
  return { query, isPaged: true, rows: page?.[field], nextCursor: page?.next_cursor };
}

/** Loads the signed-in administrator and the features of the stage. */
export function useAbout() {
  return useResponse('showAbout', {}, undefined, { isFixed: true });
}

/** Sends a change once. A second click may arrive before the button is disabled. */
export function useChange<ResponseOf, Input = void>(options: UseMutationOptions<ResponseOf, Error, Input>) {
  const isSending = useRef(false);
  const change = useMutation<ResponseOf, Error, Input>({
    ...options,
    onSettled: () => {
      isSending.current = false;
    },
  });
  const mutate: typeof change.mutate = (...given) => {
    if (isSending.current) return;
    isSending.current = true;
    change.mutate(...given);
  };
  return { ...change, mutate };
}
