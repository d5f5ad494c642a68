/** All limits and caps of one client, or of the row for every client: a value is edited in place, a whole row in a form. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { EndpointLimits } from '../../../shared/admin/limits.ts';
import type { WindowAttribute } from '../../../shared/contract/limit-rows.ts';
import { useAnswer } from '../../api/queries.ts';
import { useClientName } from '../../components/client-name.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { useDashboard } from '../../context.ts';
import { linkTo } from '../../route.ts';
import { capNames, everyClient } from '../../value-names.ts';
import { LimitFaultNote, LimitWarningNote } from './limit-fault.tsx';
import { limitFault, limitTitles, limitWindows } from './limit-field.ts';
import { LimitPreview } from './limit-preview.tsx';
import { LimitRowForm } from './limit-row-form.tsx';

export function ClientLimits({ clientId }: { readonly clientId: string }) {
  const { api, notify } = useDashboard();
  const query = useAnswer('showLimits', { client_id: clientId });
  const name = useClientName(clientId);
  const [inForm, setInForm] = useState<EndpointLimits>();
  const save = useMutation({
    mutationFn: (change: Readonly<Record<string, unknown>>) =>
      api.send('setLimits', { client_id: clientId }, change),
    onSuccess: ({ endpoint }) =>
      notify('success', `Limits of ${endpoint} saved. The change takes effect within 60 seconds.`),
  });
  const [resetting, setResetting] = useState<string>();
  const reset = useMutation({
    mutationFn: (endpoint: string) => api.send('removeLimits', { client_id: clientId }, { endpoint }),
    onSuccess: (_limits, endpoint) => notify('success', `Limits of ${endpoint} reset to the defaults.`),
    onSettled: () => setResetting(undefined),
  });

  const columns: TableProps.ColumnDefinition<EndpointLimits>[] = [
    {
      id: 'endpoint',
      header: 'Endpoint',
      minWidth: 150,
      isRowHeader: true,
      cell: (row) => (
        <SpaceBetween size="xxs">
          {row.cap === null ? <span className="id">{row.endpoint}</span> : capNames[row.cap]}
          <RowState {...row} />
          {row.faults.map((fault) => (
            <LimitFaultNote key={fault.field} {...fault} />
          ))}
          {row.warnings.map((warning) => (
            <LimitWarningNote key={warning} warning={warning} />
          ))}
        </SpaceBetween>
      ),
    },
    ...limitWindows.map(column),
    {
      id: 'remove',
      header: 'Action',
      minWidth: 130,
      cell: (row) => (
        <SpaceBetween size="xxs">
          {row.windows.length > 0 ? (
            <Button
              variant="inline-link"
              ariaLabel={`Edit row: ${row.endpoint}`}
              onClick={() => setInForm(row)}
            >
              Edit row
            </Button>
          ) : null}
          {row.override === null && row.faults.length === 0 ? null : (
            <Button
              variant="inline-link"
              ariaLabel={`Reset to default: ${row.endpoint}`}
              onClick={() => setResetting(row.endpoint)}
            >
              Reset to default
            </Button>
          )}
        </SpaceBetween>
      ),
    },
  ];

  return (
    <Loaded query={query}>
      {({ limits }) => (
        <>
          {inForm === undefined ? null : (
            <LimitRowForm
              row={inForm}
              onDismiss={() => setInForm(undefined)}
              onSaved={({ endpoint, status_message }) => {
                setInForm(undefined);
                notify('success', `Limits of ${endpoint} saved. ${status_message ?? ''}`);
              }}
            />
          )}
          <Table<EndpointLimits>
            header={
              <Header
                variant="h2"
                description={
                  <>
                    {name === undefined ? null : <Copyable name="client id" text={clientId} />}
                    <div>
                      Overrides are bold. Select a value to edit it; leave it empty to use the default.
                    </div>
                  </>
                }
                actions={
                  <SpaceBetween direction="horizontal" size="xs">
                    {clientId === everyClient ? null : (
                      <Button href={linkTo('limits', everyClient)}>Rows for every client</Button>
                    )}
                    <Button href={linkTo('limits')}>All clients</Button>
                  </SpaceBetween>
                }
              >
                {titleOf(clientId, name)}
              </Header>
            }
            columnDefinitions={columns}
            items={limits}
            trackBy="endpoint"
            wrapLines
            submitEdit={async (row, edited, text) => {
              const value = String(text).trim();
              await save.mutateAsync({
                endpoint: row.endpoint,
                [edited.id ?? '']: value === '' ? null : Number(value),
              });
            }}
            ariaLabels={{
              tableLabel: `Limits of ${clientId}`,
              activateEditLabel: (edited, row) => `Edit ${String(edited.header)} of ${row.endpoint}`,
              cancelEditLabel: () => 'Cancel',
              submitEditLabel: () => 'Save',
            }}
          />
          {resetting === undefined ? null : (
            <ConfirmDialog
              title={`Reset the limits of ${resetting}?`}
              text="The client's own values are deleted. The defaults take effect within 60 seconds."
              action="Reset to default"
              isBusy={reset.isPending}
              onConfirm={() => reset.mutate(resetting)}
              onDismiss={() => setResetting(undefined)}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

function titleOf(clientId: string, name: string | undefined): string {
  if (clientId === everyClient) return 'Every client without a row of its own';
  return name ?? clientId;
}

/** What a row says besides its limits. */
function RowState({ blocked, note, status_message, faults }: EndpointLimits) {
  return (
    <>
      {blocked ? <StatusIndicator type="stopped">blocked</StatusIndicator> : null}
      {status_message === null || faults.length > 0 ? null : <Box fontSize="body-s">{status_message}</Box>}
      {note === null ? null : (
        <Box color="text-body-secondary" fontSize="body-s">
          Note: {note}
        </Box>
      )}
    </>
  );
}

function column(field: WindowAttribute): TableProps.ColumnDefinition<EndpointLimits> {
  return {
    id: field,
    header: limitTitles[field],
    minWidth: 150,
    cell: (row) => {
      const own = row.override?.[field];
      const unit = row.currency === null ? '' : ` ${row.currency}`;
      const byDefault = row.defaults?.[field];
      const standard = byDefault === undefined ? '–' : `${byDefault.toLocaleString()}${unit}`;
      if (own === undefined) return <Box color="text-body-secondary">{standard}</Box>;
      return (
        <>
          <Box variant="span" fontWeight="bold">
            {`${own.toLocaleString()}${unit}`}
          </Box>{' '}
          <Box variant="span" color="text-body-secondary" fontSize="body-s">
            default {standard}
          </Box>
        </>
      );
    },
    editConfig: {
      ariaLabel: limitTitles[field],
      errorIconAriaLabel: 'Error',
      editIconAriaLabel: 'can be edited',
      disabledReason: ({ windows }) => {
        if (windows.length === 0) return 'This endpoint does not exist.';
        return windows.includes(field) ? undefined : 'There is no such limit here.';
      },
      validation: (row, text: string | undefined) =>
        limitFault(row, text ?? String(row.override?.[field] ?? '')),
      editingCell: (row, { currentValue, setValue }) => {
        const text = currentValue ?? String(row.override?.[field] ?? '');
        return (
          <>
            <Input
              autoFocus
              inputMode="decimal"
              placeholder={String(row.defaults?.[field] ?? '')}
              ariaLabel={`${limitTitles[field]} of ${row.endpoint}`}
              value={text}
              onChange={({ detail }) => setValue(detail.value)}
            />
            <LimitPreview row={row} field={field} text={text} />
          </>
        );
      },
    },
  };
}
