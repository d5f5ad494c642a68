/** Limits: all overrides, with rows that have invalid values; and the limits of one client, editable. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type FormEvent, useState } from 'react';
import type { EndpointLimits } from '../../../shared/admin/limits.ts';
import { useAnswer } from '../../api/queries.ts';
import { ClientField, ClientLink, useClientNames } from '../../components/client-name.tsx';
import type { CsvColumns } from '../../components/download.ts';
import { type Column, List } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { go, linkTo } from '../../route.ts';
import { ClientLimits } from './client-limits.tsx';
import { LimitFaultNote, LimitWarningNote } from './limit-fault.tsx';

export function LimitsPage({ clientId }: { readonly clientId: string | undefined }) {
  return (
    <Page title="Limits" description="Changes take effect within 60 seconds.">
      <SpaceBetween size="l">
        <ClientChoice key={clientId} />
        {clientId === undefined ? <Overrides /> : <ClientLimits clientId={clientId} />}
      </SpaceBetween>
    </Page>
  );
}

function ClientChoice() {
  const clients = useClientNames();
  const [text, setText] = useState('');
  const show = (wanted: string): void => {
    const named = clients.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
    if (wanted !== '') go(linkTo('limits', named?.client_id ?? wanted));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    show(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <ClientField
        value={text}
        onChange={setText}
        onSelect={show}
        action={<Button formAction="submit">Show</Button>}
      />
    </form>
  );
}

function Overrides() {
  const query = useAnswer('listOverrides', {});
  const rows = query.data?.limits;
  const faulty = rows?.filter(({ faults }) => faults.length > 0) ?? [];
  return (
    <SpaceBetween size="l">
      {faulty.length === 0 ? null : (
        <Alert type="warning" header="Invalid overrides">
          {faulty.length === 1 ? 'One override has' : `${faulty.length} overrides have`} an invalid value. The
          defaults are used instead.
        </Alert>
      )}
      <List<EndpointLimits>
        title="Overrides"
        columns={columns}
        rows={rows}
        query={query}
        empty="Every client has the default limits."
        idOf={(row) => `${row.client_id} ${row.endpoint}`}
        isCounted
        csv={{ name: 'limit-overrides', columns: csvColumns }}
      />
    </SpaceBetween>
  );
}

const columns: Column<EndpointLimits>[] = [
  {
    id: 'client',
    header: 'Client',
    minWidth: 190,
    isRowHeader: true,
    cell: (row) => <ClientLink id={row.client_id} to={linkTo('limits', row.client_id)} />,
  },
  { id: 'endpoint', header: 'Endpoint', minWidth: 170, cell: (row) => row.endpoint },
  ...(['per_minute', 'per_hour', 'per_day'] as const).map((field) => ({
    id: field,
    header: { per_minute: 'Per minute', per_hour: 'Per hour', per_day: 'Per day' }[field],
    minWidth: 100,
    cell: (row: EndpointLimits) =>
      row.override?.[field] === undefined ? (
        <Box color="text-body-secondary">{row.in_force?.[field]?.toLocaleString() ?? '–'}</Box>
      ) : (
        <Box fontWeight="bold">{row.override[field].toLocaleString()}</Box>
      ),
  })),
  {
    id: 'faults',
    header: 'Warnings',
    minWidth: 190,
    cell: (row) =>
      row.faults.length + row.warnings.length === 0 ? (
        '–'
      ) : (
        <>
          {row.faults.map((fault) => (
            <LimitFaultNote key={fault.field} {...fault} />
          ))}
          {row.warnings.map((warning) => (
            <LimitWarningNote key={warning} warning={warning} />
          ))}
        </>
      ),
  },
];

const csvColumns = {
  client_id: (row) => row.client_id,
  endpoint: (row) => row.endpoint,
  per_minute: (row) => row.override?.per_minute,
  per_hour: (row) => row.override?.per_hour,
  per_day: (row) => row.override?.per_day,
  per_month: (row) => row.override?.per_month,
  blocked: (row) => row.blocked,
  expires_at: (row) => row.expires_at,
  note: (row) => row.note,
  status: (row) => row.status,
  status_message: (row) => row.status_message,
} as const satisfies CsvColumns<EndpointLimits>;
