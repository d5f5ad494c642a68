/** Outbox: what the simulated carrier took, body and all; only where it is the carrier. */
import Button from '@cloudscape-design/components/button';
import ContentLayout from '@cloudscape-design/components/content-layout';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import type { TableProps } from '@cloudscape-design/components/table';
import { type FormEvent, useState } from 'react';
import type { OutboxEntry } from '../../shared/carrier/simulator/outbox.ts';
import { useLoaded } from '../api/use-loading.ts';
import { IdLink } from '../components/id-link.tsx';
import { List } from '../components/list.tsx';
import { Time } from '../components/time.tsx';
import { useDashboard } from '../context.ts';
import { go, linkTo } from '../route.ts';

export function OutboxPage({ query }: { readonly query: URLSearchParams }) {
  const { api } = useDashboard();
  const to = query.get('to') ?? '';
  const [wanted, setWanted] = useState(to);
  const loaded = useLoaded<{ messages: OutboxEntry[] }>(to, () => api.get('/outbox', { to }));
  const search = (event: FormEvent): void => {
    event.preventDefault();
    go(linkTo('outbox', undefined, { to: wanted.trim() }));
  };
  return (
    <ContentLayout
      header={
        <Header
          variant="h1"
          description="The latest messages that the simulated carrier received, 200 at most."
          actions={<Button iconName="refresh" ariaLabel="Refresh" onClick={loaded.reload} />}
        >
          Outbox
        </Header>
      }
    >
      <List<OutboxEntry>
        label="Outbox"
        filter={
          <form onSubmit={search}>
            <FormField label="Recipient" secondaryControl={<Button formAction="submit">Search</Button>}>
              <Input
                type="search"
                placeholder="+44…"
                value={wanted}
                onChange={({ detail }) => setWanted(detail.value)}
              />
            </FormField>
          </form>
        }
        columns={columns}
        rows={loaded.data?.messages}
        loading={loaded.loading}
        error={loaded.error}
        onRetry={loaded.reload}
        empty="The outbox is empty."
        idOf={(entry) => `${entry.message_id} ${entry.at}`}
      />
    </ContentLayout>
  );
}

const columns: TableProps.ColumnDefinition<OutboxEntry>[] = [
  { id: 'at', header: 'Time', minWidth: 170, cell: (entry) => <Time at={entry.at} /> },
  { id: 'to', header: 'To', minWidth: 140, isRowHeader: true, cell: (entry) => entry.to },
  { id: 'from', header: 'From', minWidth: 110, cell: (entry) => entry.from ?? '–' },
  { id: 'channel', header: 'Channel', minWidth: 100, cell: (entry) => entry.channel },
  { id: 'body', header: 'Body', minWidth: 260, cell: (entry) => entry.body },
  {
    id: 'message',
    header: 'Message',
    minWidth: 180,
    cell: (entry) => <IdLink page="messages" id={entry.message_id} />,
  },
];
