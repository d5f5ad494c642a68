/** Limits: all overrides, including invalid rows, or the editable limits of one client. */

import Box, { type BoxProps } from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { WindowAttribute } from '../../shared/contract/rate-limits-and-caps.ts';
import { usePagedAnswer } from '../api/queries.ts';
import { ClientLimits } from '../components/client-limits.tsx';
import { ClientField, ClientLink, useClientNames } from '../components/client-name.tsx';
import type { Column } from '../components/columns.ts';
import { RowFaults, RowStatus } from '../components/edited-row.tsx';
import { submitted } from '../components/form.tsx';
import { type EndpointLimits, limitTitles } from '../components/limit-row-form.tsx';
import { List } from '../components/list.tsx';
import { Page } from '../components/page.tsx';
import { go, linkTo } from '../route.ts';
import { numberText } from '../value-names.ts';

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
  return (
    <List<EndpointLimits>
      {...list}
      title="Overrides"
      description="A value with a mistake has no effect."
      columns={columns}
      empty="Every client has the default limits."
      idOf={(row) => `${row.client_id} ${row.endpoint}`}
    />
  );
}

/** Returns the column of a window. Shows the limit that applies, in bold if the row sets it. */
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
        <RowFaults {...row} />
      </>
    ),
  },
];
