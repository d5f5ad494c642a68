/** The results of a search. A single result is opened immediately. */
import { useEffect } from 'react';
import { useResponse } from '../api/queries.ts';
import { ClientLink } from '../components/client-name.tsx';
import { SearchForm } from '../components/filters.tsx';
import { List } from '../components/list.tsx';
import { modeChangedText, Page } from '../components/page.tsx';
import { useDashboard } from '../dashboard-context.ts';
import { go, modeIn, useListState, useMode } from '../route.ts';

const kinds = {
  message: 'Message',
  batch: 'Batch',
  one_time_password: 'One-time password',
  webhook_delivery: 'Webhook',
  client: 'Client',
  recipient: 'Number',
} as const;

export function SearchPage() {
  const { filter, change } = useListState();
  const wanted = filter('q');
  const query = useResponse('search', {}, { q: wanted }, { enabled: wanted !== '' });
  const results = query.data?.results;
  const only = results?.length === 1 ? results[0]?.href : undefined;
  const mode = useMode();
  const { notify } = useDashboard();
  useEffect(() => {
    if (only === undefined) return;
    // The result replaces this page, so that Back leads to the page before the search.
    go(only, { replace: true });
    const found = modeIn(only);
    if (found !== mode) notify('warning', modeChangedText(found));
  }, [only, mode, notify]);
  return (
    <Page title="Search">
      <List<NonNullable<typeof results>[number]>
        title="Search results"
        description={
          query.data?.more_clients === true
            ? 'Not all clients were searched or are shown: enter more of the name, or a number or an id.'
            : undefined
        }
        filter={
          <SearchForm
            key={wanted}
            label="Search for"
            placeholder="Number, id or client"
            value={wanted}
            onSearch={(q) => change({ q })}
          />
        }
        columns={[
          { title: 'Result', field: 'title', minWidth: 200, link: ({ href }) => href },
          { title: 'Type', minWidth: 120, cell: ({ kind }) => kinds[kind] },
          { title: 'Client', minWidth: 170, cell: ({ client_id }) => <ClientLink id={client_id} /> },
        ]}
        rows={wanted === '' ? [] : results}
        query={query}
        total={results?.length}
        emptyTitle={wanted === '' ? 'Search' : `Nothing was found for “${wanted}”`}
        empty="Enter a phone number, the id of a message, batch, one-time password or webhook, or the name of a client. Search by a client's reference in Messages; the id of a request is in the logs."
        idOf={({ kind, id }) => `${kind} ${id}`}
      />
    </Page>
  );
}
