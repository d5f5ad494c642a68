/** Limits: all overrides, including invalid rows, or the editable limits of one client. */

import Alert from '@cloudscape-design/components/alert';
import Box, { type BoxProps } from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { WindowAttribute } from '../../../shared/contract/rate-limits-and-caps.ts';
import { usePagedAnswer } from '../../api/queries.ts';
import { ClientField, ClientLink, useClientNames } from '../../components/client-name.tsx';
import { type Column, csvOnly } from '../../components/columns.ts';
import { RowStatus } from '../../components/edited-row.tsx';
import { submitted } from '../../components/form.tsx';
import { List } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { go, linkTo } from '../../route.ts';
import { numberText } from '../../value-names.ts';
import { ClientLimits } from './client-limits.tsx';
import type { EndpointLimits } from './limit-field.ts';
import { limitTitles } from './limit-field.ts';
import { LimitWarnings } from './limit-warnings.tsx';

/** @param id - the client's id; empty for all overrides */
export function LimitsPage({ id }: { readonly id: string }) {
  return (
    <Page title="Limits" description="Changes take effect within 60 seconds.">
      <SpaceBetween size="l">
        <ClientChoice />
        {id === '' ? <Overrides /> : <ClientLimits clientId={id} />}
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
  return (
    <form onSubmit={submitted(() => show(text.trim()))}>
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
  const list = usePagedAnswer('listOverrides', {}, {}, 'limits');
  const faulty = list.rows?.filter(({ status }) => status === 'invalid') ?? [];
  return (
    <SpaceBetween size="l">
      {faulty.length === 0 ? null : (
        <Alert type="warning" header="Invalid overrides">
          {faulty.length === 1 ? 'One override' : `${faulty.length} overrides`} on this page{' '}
          {faulty.length === 1 ? 'has' : 'have'} a mistake, which is named below. What is wrong has no effect.
        </Alert>
      )}
      <List<EndpointLimits>
        {...list}
        title="Overrides"
        columns={columns}
        empty="Every client has the default limits."
        idOf={(row) => `${row.client_id} ${row.endpoint}`}
        csvName="limit-overrides"
      />
    </SpaceBetween>
  );
}

/** Returns the column of a window. Shows the value in force, in bold if the row sets it. */
function limitColumn(field: WindowAttribute): Column<EndpointLimits> {
  return {
    title: limitTitles[field],
    minWidth: 100,
    cell: ({ override, in_force }) => {
      const own = override?.[field];
      const shown = own ?? in_force?.[field];
      const look: BoxProps = own === undefined ? { color: 'text-body-secondary' } : { fontWeight: 'bold' };
      return <Box {...look}>{shown === undefined ? '–' : numberText(shown)}</Box>;
    },
    csv: { [field]: ({ override }) => override?.[field] },
  };
}

const columns: readonly Column<EndpointLimits>[] = [
  {
    title: 'Client',
    field: 'client_id',
    minWidth: 190,
    cell: ({ client_id }) => <ClientLink id={client_id} to={linkTo('limits', client_id)} />,
  },
  { title: 'Endpoint', field: 'endpoint', minWidth: 170 },
  ...(['per_minute', 'per_hour', 'per_day'] as const).map(limitColumn),
  {
    title: 'Status',
    field: 'status',
    minWidth: 190,
    cell: (row) => (
      <>
        {row.status === null ? null : <RowStatus status={row.status} />}
        <LimitWarnings row={row} />
      </>
    ),
  },
  { csv: { per_month: ({ override }) => override?.per_month } },
  ...csvOnly<EndpointLimits>('blocked', 'expires_at', 'note', 'status_message'),
];
