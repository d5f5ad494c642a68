/** The list of clients; creates clients, whose secrets are shown once. */
import Button from '@cloudscape-design/components/button';
import ContentLayout from '@cloudscape-design/components/content-layout';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useState } from 'react';
import type { ClientView } from '../../shared/admin/client-views.ts';
import type { ClientList, ShownClient } from '../../shared/admin/clients.ts';
import { usePaged } from '../api/use-loading.ts';
import { List } from '../components/list.tsx';
import { NewClient } from '../components/new-client.tsx';
import { Secrets } from '../components/secret.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useDashboard } from '../context.ts';
import { linkTo } from '../route.ts';

export function ClientsPage() {
  const { api } = useDashboard();
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<ShownClient>();
  const list = usePaged<ClientList>('clients', (cursor) => api.get('/clients', { cursor }));
  return (
    <ContentLayout
      header={
        <Header
          variant="h1"
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button iconName="refresh" ariaLabel="Refresh" onClick={list.reload} />
              <Button variant="primary" onClick={() => setCreating(true)}>
                Create client
              </Button>
            </SpaceBetween>
          }
        >
          Clients
        </Header>
      }
    >
      <List<ClientView>
        label="Clients"
        columns={columns}
        rows={list.data?.clients}
        loading={list.loading}
        error={list.error}
        onRetry={list.reload}
        empty="There are no clients."
        idOf={(client) => client.client_id}
        pages={list.pages}
      />
      {creating ? (
        <NewClient
          onDismiss={() => setCreating(false)}
          onCreated={(client) => {
            setCreating(false);
            setCreated(client);
            list.reload();
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
    </ContentLayout>
  );
}

const columns: TableProps.ColumnDefinition<ClientView>[] = [
  {
    id: 'name',
    header: 'Name',
    minWidth: 140,
    isRowHeader: true,
    cell: (client) => <Link href={linkTo('clients', client.client_id)}>{client.name}</Link>,
  },
  { id: 'id', header: 'Client id', minWidth: 190, cell: (client) => client.client_id },
  {
    id: 'state',
    header: 'State',
    minWidth: 110,
    cell: (client) => <State of={client.disabled ? 'disabled' : 'enabled'} />,
  },
  { id: 'scopes', header: 'Scopes', minWidth: 110, cell: (client) => client.scopes.join(', ') },
  { id: 'url', header: 'Webhook URL', minWidth: 200, cell: (client) => client.webhook_url ?? '–' },
  { id: 'created', header: 'Created', minWidth: 170, cell: (client) => <Time at={client.created_at} /> },
];
