/** Searches messages by id, recipient, client or reference; newest first. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ContentLayout from '@cloudscape-design/components/content-layout';
import FormField from '@cloudscape-design/components/form-field';
import Grid from '@cloudscape-design/components/grid';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { type FormEvent, useState } from 'react';
import type { MessagePage, MessageStatus } from '../../shared/message/message-response.schema.ts';
import { usePaged } from '../api/use-loading.ts';
import { IdLink } from '../components/id-link.tsx';
import { List } from '../components/list.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useDashboard } from '../context.ts';
import { go, linkTo } from '../route.ts';

const names = ['recipient', 'client_id', 'reference'] as const;

export function MessagesPage({ query }: { readonly query: URLSearchParams }) {
  const { api } = useDashboard();
  const asked = Object.fromEntries(names.map((name) => [name, query.get(name) ?? '']));
  const [messageId, setMessageId] = useState('');
  const [wanted, setWanted] = useState<Readonly<Record<string, string>>>(asked);
  const searched = asked.recipient !== '' || asked.client_id !== '';
  const list = usePaged<MessagePage>(query.toString(), async (cursor) =>
    searched ? api.get('/messages', { ...asked, cursor }) : { messages: [] },
  );

  const search = (event: FormEvent): void => {
    event.preventDefault();
    const id = messageId.trim();
    if (id !== '') go(linkTo('messages', id));
    else go(linkTo('messages', undefined, trimmed(wanted)));
  };
  const field = (name: (typeof names)[number], label: string, placeholder: string) => (
    <FormField label={label}>
      <Input
        type="search"
        placeholder={placeholder}
        value={wanted[name] ?? ''}
        onChange={({ detail }) => setWanted({ ...wanted, [name]: detail.value })}
      />
    </FormField>
  );
  const needsClient = (wanted.reference ?? '').trim() !== '' && (wanted.client_id ?? '').trim() === '';

  return (
    <ContentLayout header={<Header variant="h1">Messages</Header>}>
      <List<MessageStatus>
        label="Messages"
        header={
          <Header
            variant="h2"
            actions={
              searched ? <Button iconName="refresh" ariaLabel="Refresh" onClick={list.reload} /> : null
            }
          >
            Search
          </Header>
        }
        filter={
          <form onSubmit={search}>
            <SpaceBetween size="m">
              <Grid
                gridDefinition={names
                  .map(() => ({ colspan: { default: 12, s: 6, l: 3 } }))
                  .concat({ colspan: { default: 12, s: 6, l: 3 } })}
              >
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
                  <Box color="text-body-secondary">Enter the client of the reference, too.</Box>
                ) : null}
              </SpaceBetween>
            </SpaceBetween>
          </form>
        }
        columns={columns}
        rows={list.data?.messages}
        loading={list.loading}
        error={list.error}
        onRetry={list.reload}
        empty={searched ? 'No message was found.' : 'Search by message id, recipient or client.'}
        idOf={(message) => message.message_id}
        pages={list.pages}
      />
    </ContentLayout>
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
  { id: 'state', header: 'State', minWidth: 145, cell: (message) => <State of={message.status} /> },
  { id: 'channel', header: 'Channel', minWidth: 100, cell: (message) => message.channel },
  { id: 'recipient', header: 'Recipient', minWidth: 140, cell: (message) => message.recipient },
  { id: 'reference', header: 'Reference', minWidth: 120, cell: (message) => message.reference ?? '–' },
  {
    id: 'client',
    header: 'Client',
    minWidth: 150,
    cell: (message) => <IdLink page="clients" id={message.client_id} />,
  },
  { id: 'created', header: 'Created', minWidth: 170, cell: (message) => <Time at={message.created_at} /> },
];

function trimmed(wanted: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, value.trim()]));
}
