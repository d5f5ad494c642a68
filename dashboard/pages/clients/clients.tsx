/** The list of clients; creates clients. */

import Button from '@cloudscape-design/components/button';
import { useState } from 'react';
import type { RowOf } from '../../../shared/admin/http/admin-operations.ts';
import { usePagedAnswer } from '../../api/queries.ts';
import type { Column } from '../../components/columns.ts';
import { FormDialog, Optional, useForm } from '../../components/form.tsx';
import { RadioField, TextField } from '../../components/form-fields.tsx';
import { List } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { State } from '../../components/state.tsx';
import { Copyable } from '../../components/text.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { linkTo, useListState, useMode } from '../../route.ts';

export function ClientsPage() {
  const mode = useMode();
  const [isCreating, setIsCreating] = useState(false);
  const list = usePagedAnswer('listClients', {}, useListState().order, 'clients');
  return (
    <Page
      title="Clients"
      actions={
        // Every client already has test data, so none is created here.
        mode === 'test' ? null : (
          <Button variant="primary" onClick={() => setIsCreating(true)}>
            Create client
          </Button>
        )
      }
    >
      <List
        {...list}
        title="All clients"
        columns={columns}
        total={list.query.data?.total}
        empty="Create a client to send messages."
        idOf={(client) => client.client_id}
      />
      {isCreating ? <CreateClient onClose={() => setIsCreating(false)} /> : null}
    </Page>
  );
}

const stateOf = ({ disabled }: RowOf<'listClients', 'clients'>) => (disabled ? 'disabled' : 'enabled');

const columns: readonly Column<RowOf<'listClients', 'clients'>>[] = [
  {
    title: 'Name',
    field: 'name',
    sort: 'name',
    minWidth: 140,
    link: ({ client_id }) => linkTo('clients', client_id),
  },
  {
    title: 'Client id',
    field: 'client_id',
    minWidth: 220,
    cell: (client) => <Copyable name={`the client id of ${client.name}`} text={client.client_id} />,
  },
  {
    title: 'Status',
    minWidth: 110,
    cell: (client) => <State of={stateOf(client)} />,
  },
  {
    title: 'Scopes',
    minWidth: 110,
    cell: ({ scopes }) => scopes.join(', '),
  },
  { title: 'Webhook URL', field: 'webhook_url', minWidth: 165 },
  { title: 'Created', field: 'created_at', sort: 'created_at', minWidth: 125, isTime: true },
];

const scopes = [
  { value: 'messages', label: 'Send messages' },
  { value: 'admin', label: 'Administer the gateway' },
];

/** The dialog that creates a client: name, scope and webhook URL. Its secrets are shown once. */
function CreateClient({ onClose }: { readonly onClose: () => void }) {
  const { api, showSecrets } = useDashboard();
  const form = useForm({
    first: { name: '', scope: 'messages', webhook_url: '' },
    send: ({ name, scope, webhook_url }) =>
      api.send('createClient', {}, { name, scopes: [scope], webhook_url: webhook_url.trim() || null }),
    onSent: (client) =>
      showSecrets({
        title: `The secrets of ${client.name}`,
        secrets: [
          { label: 'Client id', value: client.client_id },
          { label: 'Client secret', value: client.client_secret },
          { label: 'Webhook secret', value: client.webhook_secret },
        ],
      }),
    onClose,
  });
  const isComplete = form.values.name.trim() !== '';
  return (
    <FormDialog title="Create client" action="Create" form={form} isComplete={isComplete}>
      <TextField {...form.field('name')} label="Name" autoFocus />
      <RadioField {...form.field('scope')} label="Scope" options={scopes} />
      <TextField
        {...form.field('webhook_url')}
        label={<Optional>Webhook URL</Optional>}
        type="url"
        placeholder="https://"
      />
    </FormDialog>
  );
}
