/** Searches messages by id, recipient, client or reference; newest first. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Grid from '@cloudscape-design/components/grid';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { type FormEvent, useState } from 'react';
import type { MessageStatus } from '../../shared/message/message-response.schema.ts';
import { useAnswer } from '../api/queries.ts';
import { IdLink } from '../components/id-link.tsx';
import { List } from '../components/list.tsx';
import { Page } from '../components/page.tsx';
import { isInProgress, State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { go, linkTo, useListState } from '../route.ts';

const names = ['recipient', 'client_id', 'reference'] as const;
type Filters = Readonly<Record<(typeof names)[number], string>>;

export function MessagesPage() {
  const { query: asked } = useListState();
  const of = (name: keyof Filters): string => asked.get(name) ?? '';
  const filters = { recipient: of('recipient'), client_id: of('client_id'), reference: of('reference') };
  const isSearched = filters.recipient !== '' || filters.client_id !== '';
  const query = useAnswer<'searchMessages'>(
    '/messages',
    { ...filters, cursor: asked.getAll('after').at(-1) },
    {
      enabled: isSearched,
      inProgress: ({ messages }) => messages.some(({ status }) => isInProgress(status)),
    },
  );
  return (
    <Page title="Messages">
      <List<MessageStatus>
        title="Search results"
        filter={<Search key={JSON.stringify(filters)} filters={filters} />}
        columns={columns}
        rows={query.data?.messages}
        query={query}
        nextCursor={query.data?.next_cursor}
        emptyTitle="Search for messages"
        empty="Enter a message id, a recipient or a client."
        isFiltered={isSearched}
        idOf={(message) => message.message_id}
      />
    </Page>
  );
}

function Search({ filters }: { readonly filters: Filters }) {
  const { change } = useListState();
  const [messageId, setMessageId] = useState('');
  const [wanted, setWanted] = useState(filters);
  const search = (event: FormEvent): void => {
    event.preventDefault();
    const id = messageId.trim();
    if (id !== '') go(linkTo('messages', id));
    else change(Object.fromEntries(names.map((name) => [name, wanted[name].trim()])));
  };
  const field = (name: keyof Filters, label: string, placeholder: string) => (
    <FormField label={label}>
      <Input
        type="search"
        placeholder={placeholder}
        value={wanted[name]}
        onChange={({ detail }) => setWanted({ ...wanted, [name]: detail.value })}
      />
    </FormField>
  );
  const needsClient = wanted.reference.trim() !== '' && wanted.client_id.trim() === '';
  return (
    <form onSubmit={search}>
      <SpaceBetween size="m">
        <Grid gridDefinition={Array.from({ length: 4 }, () => ({ colspan: { default: 12, s: 6, l: 3 } }))}>
          <FormField label="Message id">
            <Input
              type="search"
              placeholder="msg_…"
              value={messageId}
              onChange={({ detail }) => setMessageId(detail.value)}
            />
          </FormField>
          {field('recipient', 'Recipient', '+44…')}
          {field('client_id', 'Client', 'Id or name')}
          {field('reference', 'Reference', "the client's reference")}
        </Grid>
        <SpaceBetween direction="horizontal" size="m" alignItems="center">
          <Button formAction="submit" variant="primary" disabled={needsClient}>
            Search
          </Button>
          {needsClient ? (
            <Box color="text-body-secondary">To search by reference, also enter the client.</Box>
          ) : null}
        </SpaceBetween>
      </SpaceBetween>
    </form>
  );
}

const columns: TableProps.ColumnDefinition<MessageStatus>[] = [
  {
    id: 'id',
    header: 'Message',
    minWidth: 170,
    isRowHeader: true,
    cell: (message) => <IdLink page="messages" id={message.message_id} />,
  },
  { id: 'state', header: 'Status', minWidth: 130, cell: (message) => <State of={message.status} /> },
  { id: 'channel', header: 'Channel', minWidth: 95, cell: (message) => message.channel },
  { id: 'recipient', header: 'Recipient', minWidth: 135, cell: (message) => message.recipient },
  { id: 'reference', header: 'Reference', minWidth: 110, cell: (message) => message.reference ?? '–' },
  {
    id: 'client',
    header: 'Client',
    minWidth: 140,
    cell: (message) => <IdLink page="clients" id={message.client_id} />,
  },
  { id: 'created', header: 'Created', minWidth: 125, cell: (message) => <Time at={message.created_at} /> },
];
