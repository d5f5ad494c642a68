/** Lists the senders by client, channel and country, with the feedback for each row. Rows can be edited. */

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import type { RowOf } from '../../../shared/admin/http/admin-operations.ts';
import { inOneLine } from '../../../shared/platform/visible-text.ts';
import { usePagedAnswer, useResponse } from '../../api/queries.ts';
import { ClientLink } from '../../components/client-name.tsx';
import type { Column } from '../../components/columns.ts';
import { RowStatus } from '../../components/edited-row.tsx';
import { Filters, useClientFilter } from '../../components/filters.tsx';
import { useConfirm } from '../../components/form.tsx';
import { List, RowAction } from '../../components/list.tsx';
import { LoadFailure } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Secondary, Time, withLocalTimes } from '../../components/text.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { linkTo, useListState } from '../../route.ts';
import { channelNames, everyClient } from '../../value-names.ts';
import type { SenderView } from './sender-form.tsx';
import { SenderForm } from './sender-form.tsx';

export function SendersPage() {
  const { api } = useDashboard();
  const { filters, isFiltered } = useListState();
  const client = useClientFilter();
  const list = usePagedAnswer('listSenders', {}, filters, 'senders');
  const [inForm, setInForm] = useState<Partial<SenderView>>();
  const { confirm, dialog } = useConfirm();
  const remove = ({ client_id, destination }: SenderView): void =>
    confirm({
      title: `Remove the sender of ${destination}?`,
      text: 'Messages are sent from the next row in order, within 60 seconds.',
      action: 'Remove',
      work: () => api.send('removeSender', {}, { client_id, destination }),
      done: `Row of ${destination} removed.`,
    });
  // While the user types, the previous client's rows are hidden.
  const rows = client.isTyping ? undefined : list.rows;
  return (
    <Page
      title="Senders"
      description="Changes take effect within 60 seconds. The most specific row wins: client before country."
      actions={
        <Button variant="primary" onClick={() => setInForm({})}>
          Add sender
        </Button>
      }
    >
      <SpaceBetween size="l">
        <List<SenderView>
          {...list}
          title="Rows"
          description="A row with an invalid value is not used."
          columns={columnsOf(setInForm, remove)}
          rows={rows}
          filter={<Filters>{client.field}</Filters>}
          isFiltered={isFiltered}
          empty="Every message is sent from the sender of the stage."
          idOf={idOf}
        />
        <Carriers />
      </SpaceBetween>
      {inForm === undefined ? null : <SenderForm row={inForm} onClose={() => setInForm(undefined)} />}
      {dialog}
    </Page>
  );
}

function columnsOf(
  edit: (row: SenderView) => void,
  remove: (row: SenderView) => void,
): readonly Column<SenderView>[] {
  return [
    {
      title: 'Client and destination',
      field: 'client_id',
      minWidth: 150,
      cell: (row) => (
        <>
          {row.client_id === everyClient ? 'Every client' : <ClientLink id={row.client_id} />}
          <Box>{destinationOf(row)}</Box>
        </>
      ),
    },
    {
      title: 'Sender',
      field: 'identity',
      minWidth: 150,
      cell: ({ identity, inbound }) => (
        <>
          <Box fontWeight="bold">{identity ?? '–'}</Box>
          {inbound ? <Box fontSize="body-s">receives messages</Box> : null}
        </>
      ),
    },
    { title: 'Per second', field: 'messages_per_second', minWidth: 100 },
    {
      title: 'Status',
      field: 'status',
      minWidth: 280,
      cell: (row) => (
        <>
          <RowStatus status={row.status} />
          <Box fontSize="body-s">{withLocalTimes(row.status_message)}</Box>
          {row.note === null ? null : <Secondary>Note: {inOneLine(row.note)}</Secondary>}
        </>
      ),
    },
    {
      title: 'Action',
      minWidth: 130,
      cell: (row) => (
        <SpaceBetween size="xxs">
          {row.channel === null ? null : <RowAction text="Edit" of={idOf(row)} onClick={() => edit(row)} />}
          <RowAction text="Remove" of={idOf(row)} onClick={() => remove(row)} />
        </SpaceBetween>
      ),
    },
  ];
}

const idOf = ({ client_id, destination }: SenderView): string => `${client_id} ${destination}`;

function destinationOf({ channel, country, carrier, destination }: SenderView): string {
  if (channel === null) return destination;
  const by = carrier === null ? '' : `, by ${carrier}`;
  return `${channelNames[channel]}, ${country === '*' ? 'every country' : country}${by}`;
}

/** Shows the carriers of the stage, in their order of use, and the state of their credentials. */
function Carriers() {
  // Each refresh calls the API of every carrier.
  const query = useResponse('listCarriers', {}, undefined, { refreshEveryMs: 300_000 });
  return (
    <>
      <LoadFailure query={query} />
      <List<RowOf<'listCarriers', 'carriers'>>
        title="Carriers"
        description="The next carrier is asked if the one before certainly did not accept a message."
        isLoading={query.isPending}
        columns={[
          {
            title: 'Carrier',
            minWidth: 150,
            cell: ({ carrier, channel, preference }) => (
              <>
                <Box fontWeight="bold">{carrier}</Box>
                <Box fontSize="body-s">
                  {channelNames[channel]}, number {preference}
                </Box>
              </>
            ),
          },
          { title: 'Credentials', minWidth: 280, cell: Credentials },
          { title: 'Last answer', minWidth: 200, cell: LastAnswer },
        ]}
        rows={query.data?.carriers}
        empty="Both channels are turned off."
        idOf={({ channel, carrier }) => `${channel} ${carrier}`}
      />
    </>
  );
}

function Credentials({ credentials_work, credentials_answer, next_step }: RowOf<'listCarriers', 'carriers'>) {
  if (credentials_work === null) return 'None of its own';
  return (
    <>
      <StatusIndicator type={credentials_work ? 'success' : 'error'}>
        {credentials_work ? 'They work' : `They do not work: ${credentials_answer}`}
      </StatusIndicator>
      {next_step === null ? null : <Box fontSize="body-s">{next_step}</Box>}
    </>
  );
}

function LastAnswer({ last_answer: last }: RowOf<'listCarriers', 'carriers'>) {
  if (last === null) return 'None in the newest messages';
  return (
    <>
      <a href={linkTo('messages', last.message_id)}>{last.outcome.replaceAll('_', ' ')}</a>{' '}
      <Time at={last.at} />
      {last.error_code === null ? null : <Box fontSize="body-s">{last.error_code}</Box>}
    </>
  );
}
