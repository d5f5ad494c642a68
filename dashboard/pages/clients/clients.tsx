/** The list of clients; creates clients, whose secrets are shown once. */
import Button from '@cloudscape-design/components/button';
import Link from '@cloudscape-design/components/link';
import { useState } from 'react';
import type { ClientView } from '../../../shared/admin/client-views.ts';
import type { ShownClient } from '../../../shared/admin/clients.ts';
import { useAnswer } from '../../api/queries.ts';
import { Copyable } from '../../components/copyable.tsx';
import type { CsvColumns } from '../../components/download.ts';
import { type Column, List } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { Secrets } from '../../components/secrets.tsx';
import { State } from '../../components/state.tsx';
import { Time } from '../../components/time.tsx';
import { useDashboard } from '../../context.ts';
import { linkTo, useListState } from '../../route.ts';
import { NewClient } from './create-client.tsx';

export function ClientsPage() {
  const { api } = useDashboard();
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<ShownClient>();
  const { cursor } = useListState();
  const query = useAnswer('listClients', {}, { cursor });
  return (
    <Page
      title="Clients"
      actions={
        <Button variant="primary" onClick={() => setIsCreating(true)}>
          Create client
        </Button>
      }
    >
      <List<ClientView>
        title="All clients"
        columns={columns}
        rows={query.data?.clients}
        query={query}
        nextCursor={query.data?.next_cursor}
        isCounted
        csv={{
          name: 'clients',
          columns: csvColumns,
          readPage: async (page) => {
            const read = await api.get('listClients', {}, page);
            return { rows: read.clients, next: read.next_cursor };
          },
        }}
        empty="Create a client to send messages."
        idOf={(client) => client.client_id}
      />
      {isCreating ? (
        <NewClient
          onDismiss={() => setIsCreating(false)}
          onCreated={(client) => {
            setIsCreating(false);
            setCreated(client);
          }}
        />
      ) : null}
      {created === undefined ? null : (
        <Secrets
          title={`The secrets of ${created.name}`}
          secrets={[
            { label: 'Client id', value: created.client_id },
            { label: 'Client secret', value: created.client_secret },
            { label: 'Webhook secret', value: created.webhook_secret },
          ]}
          onDone={() => setCreated(undefined)}
        />
      )}
    </Page>
  );
}

const columns: Column<ClientView>[] = [
  {
    id: 'name',
    header: 'Name',
    minWidth: 140,
    isRowHeader: true,
    cell: (client) => <Link href={linkTo('clients', client.client_id)}>{client.name}</Link>,
  },
  {
    id: 'id',
    header: 'Client id',
    minWidth: 220,
    cell: (client) => <Copyable name={`the client id of ${client.name}`} text={client.client_id} />,
  },
  {
    id: 'state',
    header: 'Status',
    minWidth: 110,
    cell: (client) => <State of={client.disabled ? 'disabled' : 'enabled'} />,
  },
  { id: 'scopes', header: 'Scopes', minWidth: 110, cell: (client) => client.scopes.join(', ') },
  { id: 'url', header: 'Webhook URL', minWidth: 165, cell: (client) => client.webhook_url ?? '–' },
  { id: 'created', header: 'Created', minWidth: 125, cell: (client) => <Time at={client.created_at} /> },
];

const csvColumns = {
  client_id: (client) => client.client_id,
  name: (client) => client.name,
  status: (client) => (client.disabled ? 'disabled' : 'enabled'),
  scopes: (client) => client.scopes.join(' '),
  webhook_url: (client) => client.webhook_url,
  created_at: (client) => client.created_at,
} as const satisfies CsvColumns<ClientView>;
