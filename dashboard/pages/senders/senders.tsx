/** Senders: what messages are sent from, by client, channel and country, with the feedback for each row; editable. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { SenderView } from '../../../shared/admin/senders.ts';
import { useAnswer } from '../../api/queries.ts';
import { ClientLink } from '../../components/client-name.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import type { CsvColumns } from '../../components/download.ts';
import { type Column, List } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { useDashboard } from '../../context.ts';
import { channelNames, everyClient } from '../../value-names.ts';
import { type EditedSender, newSender, SenderForm } from './sender-form.tsx';

export function SendersPage() {
  const { api, notify } = useDashboard();
  const query = useAnswer('listSenders', {});
  const [inForm, setInForm] = useState<EditedSender>();
  const [removing, setRemoving] = useState<SenderView>();
  const remove = useMutation({
    mutationFn: ({ client_id, destination }: SenderView) =>
      api.send('removeSender', {}, { client_id, destination }),
    onSuccess: (_senders, { destination }) => notify('success', `Row of ${destination} removed.`),
    onSettled: () => setRemoving(undefined),
  });
  const rows = query.data?.senders;
  const faulty = rows?.filter(({ status }) => status === 'invalid') ?? [];
  return (
    <Page
      title="Senders"
      description="Changes take effect within 60 seconds. The most specific row wins: client before country."
      actions={
        <Button variant="primary" onClick={() => setInForm(newSender)}>
          Add sender
        </Button>
      }
    >
      <SpaceBetween size="l">
        {faulty.length === 0 ? null : (
          <Alert type="warning" header="Invalid rows">
            {faulty.length === 1 ? 'One row has' : `${faulty.length} rows have`} a mistake, which is named
            below. A row with an invalid value is not used: the most specific of the others is.
          </Alert>
        )}
        <List<SenderView>
          title="Rows"
          columns={columns(setInForm, setRemoving)}
          rows={rows}
          query={query}
          empty="Every message is sent from the sender of the stage."
          idOf={(row) => `${row.client_id} ${row.destination}`}
          isCounted
          csv={{ name: 'senders', columns: csvColumns }}
        />
      </SpaceBetween>
      {inForm === undefined ? null : (
        <SenderForm
          row={inForm}
          onDismiss={() => setInForm(undefined)}
          onSaved={({ destination, status_message }) => {
            setInForm(undefined);
            notify('success', `Sender of ${destination} saved. ${status_message}`);
          }}
        />
      )}
      {removing === undefined ? null : (
        <ConfirmDialog
          title={`Remove the sender of ${removing.destination}?`}
          text="Messages are sent from the next row in order, within 60 seconds."
          action="Remove"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(removing)}
          onDismiss={() => setRemoving(undefined)}
        />
      )}
    </Page>
  );
}

function columns(edit: (row: SenderView) => void, remove: (row: SenderView) => void): Column<SenderView>[] {
  return [
    {
      id: 'client',
      header: 'Client and destination',
      minWidth: 150,
      isRowHeader: true,
      cell: (row) => (
        <>
          {row.client_id === everyClient ? 'Every client' : <ClientLink id={row.client_id} />}
          <Box>{destinationOf(row)}</Box>
        </>
      ),
    },
    {
      id: 'identity',
      header: 'Sender',
      minWidth: 150,
      cell: ({ identity, inbound }) => (
        <>
          <Box fontWeight="bold">{identity ?? '–'}</Box>
          {inbound ? <Box fontSize="body-s">receives messages</Box> : null}
        </>
      ),
    },
    { id: 'pace', header: 'Per second', minWidth: 100, cell: (row) => row.messages_per_second ?? '–' },
    {
      id: 'status',
      header: 'Status',
      minWidth: 280,
      cell: ({ status, status_message, note }) => (
        <>
          <StatusIndicator type={status === 'active' ? 'success' : 'warning'}>{status}</StatusIndicator>
          <Box fontSize="body-s">{status_message}</Box>
          {note === null ? null : (
            <Box color="text-body-secondary" fontSize="body-s">
              Note: {note}
            </Box>
          )}
        </>
      ),
    },
    {
      id: 'action',
      header: 'Action',
      minWidth: 130,
      cell: (row) => (
        <SpaceBetween size="xxs">
          {row.channel === null ? null : (
            <Button
              variant="inline-link"
              ariaLabel={`Edit: ${row.client_id} ${row.destination}`}
              onClick={() => edit(row)}
            >
              Edit
            </Button>
          )}
          <Button
            variant="inline-link"
            ariaLabel={`Remove: ${row.client_id} ${row.destination}`}
            onClick={() => remove(row)}
          >
            Remove
          </Button>
        </SpaceBetween>
      ),
    },
  ];
}

function destinationOf({ channel, country, destination }: SenderView): string {
  if (channel === null) return destination;
  return `${channelNames[channel]}, ${country === '*' ? 'every country' : country}`;
}

const csvColumns = {
  client_id: (row) => row.client_id,
  destination: (row) => row.destination,
  identity: (row) => row.identity,
  messages_per_second: (row) => row.messages_per_second,
  entity_id: (row) => row.entity_id,
  template_id: (row) => row.template_id,
  inbound: (row) => row.inbound,
  note: (row) => row.note,
  status: (row) => row.status,
  status_message: (row) => row.status_message,
} as const satisfies CsvColumns<SenderView>;
