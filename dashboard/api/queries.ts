/** Loads answers of the admin API and keeps them current: by time, on the tab's return, and after every change; sends changes. */
import {
  MutationCache,
  QueryClient,
  type UseMutationOptions,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { withStart } from '../components/time-range.ts';
import { useDashboard } from '../context.ts';
import { usePageSize } from '../page-size.ts';
import { useListState } from '../route.ts';
import { isFinal, retriesMax } from './api-error.ts';
import type { PathValues, Query, ReadName, ResponseOf } from './call-api.ts';
import type { Page, ReadPage } from './pages.ts';

/** While the tab is hidden nothing is refreshed. */
const refreshMs = 15_000;
const refreshInProgressMs = 2000;

/** @param onError - for every change that does not show its error itself (`meta.showsError`) */
export function newQueryClient(onError: (message: string) => void): QueryClient {
  const client = new QueryClient({
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, { meta }) => {
        if (meta?.showsError !== true) onError(error.message);
      },
      // What a change affects is not worth a list: all that is on screen is loaded again.
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
  /** Whether the response is about to change: it is then refreshed more often. */
  readonly inProgress?: (answer: Data) => boolean;
  /** False if there is nothing to ask yet. */
  readonly enabled?: boolean;
  /** Whether the response stays the same for the session. */
  readonly isFixed?: boolean;
  /** Instead of the usual time. */
  readonly refreshEveryMs?: number;
  /** The query that is sent, where it depends on the time in another way than the filter of lists does. */
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

/** The response of a list with pages, whose rows are in the field of this name. */
type PageResponse<Field extends string, Row> = Readonly<Record<Field, readonly Row[]>> & {
  readonly next_cursor?: string | undefined;
};

interface PageOptions<Data> extends Omit<ResponseOptions<Data>, 'sent'> {
  readonly leftOut?: (answer: Data) => string | undefined;
}

/** A list that has pages: the one of the address, and the others for a CSV file. */
export function usePagedAnswer<Name extends ReadName, Field extends string & keyof ResponseOf<Name>>(
  name: Name,
  path: PathValues<Name>,
  filters: Query,
  field: Field,
  { leftOut, ...options }: PageOptions<ResponseOf<Name>> = {},
) {
  type Row = ResponseOf<Name>[Field] extends readonly (infer Each)[] ? Each : never;
  const pageOf = (answer: ResponseOf<Name>): Page<Row> => {
    const { [field]: rows, next_cursor: nextCursor } = answer as unknown as PageResponse<Field, Row>;
    return { rows, nextCursor, leftOut: leftOut?.(answer) };
  };
  const { api } = useDashboard();
  const { cursor } = useListState();
  const limit = usePageSize();
  const query = useResponse(name, path, { ...filters, cursor, limit }, options);
  // Of one time, however long all pages take.
  const sent = withStart(filters);
  const readPage: ReadPage<Row> = async (page) => pageOf(await api.get(name, path, { ...sent, ...page }));
  const page = query.data === undefined ? undefined : pageOf(query.data);
  return { query, readPage, rows: page?.rows, nextCursor: page?.nextCursor, leftOut: page?.leftOut };
}

/** The signed-in administrator, and what the stage has. */
export function useAbout() {
  return useResponse('showAbout', {}, undefined, { isFixed: true });
}

/** A change by the admin API, sent once: of a double click, the second comes before the button is disabled. */
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
