/** Outbox: what the simulated carrier received, body and all; only where it is the carrier. */
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import type { TableProps } from '@cloudscape-design/components/table';
import { type FormEvent, useState } from 'react';
import type { OutboxMessage } from '../../shared/admin/outbox.ts';
import { useAnswer } from '../api/queries.ts';
import { IdLink } from '../components/id-link.tsx';
import { List } from '../components/list.tsx';
import { Page } from '../components/page.tsx';
import { Time } from '../components/time.tsx';
import { useListState } from '../route.ts';

export function OutboxPage() {
  const { query: asked, isFiltered } = useListState();
  const to = asked.get('to') ?? '';
  const query = useAnswer<'listOutbox'>('/outbox', { to });
  return (
    <Page title="Outbox" description="The latest 200 messages that the simulated carrier received.">
      <List<OutboxMessage>
        title="Messages"
        filter={<Search key={to} to={to} />}
        columns={columns}
        rows={query.data?.messages}
        query={query}
        empty="No message was sent on this stage."
        isFiltered={isFiltered}
        idOf={(entry) => `${entry.message_id} ${entry.at}`}
      />
    </Page>
  );
}

function Search({ to }: { readonly to: string }) {
  const { change } = useListState();
  const [wanted, setWanted] = useState(to);
  const search = (event: FormEvent): void => {
    event.preventDefault();
    change({ to: wanted.trim() });
  };
  return (
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
  );
}

const columns: TableProps.ColumnDefinition<OutboxMessage>[] = [
  { id: 'at', header: 'Time', minWidth: 125, cell: (entry) => <Time at={entry.at} /> },
  { id: 'to', header: 'Recipient', minWidth: 140, isRowHeader: true, cell: (entry) => entry.to },
  { id: 'from', header: 'Sender', minWidth: 110, cell: (entry) => entry.from ?? '–' },
  { id: 'channel', header: 'Channel', minWidth: 100, cell: (entry) => entry.channel },
  { id: 'body', header: 'Text', minWidth: 200, cell: (entry) => entry.body },
  {
    id: 'message',
    header: 'Message',
    minWidth: 180,
    cell: (entry) => <IdLink page="messages" id={entry.message_id} />,
  },
];
