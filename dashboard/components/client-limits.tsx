/** All limits of one client, editable in place; an empty field means the default. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { EndpointLimits } from '../../shared/admin/limits.ts';
import { useAnswer } from '../api/queries.ts';
import { useDashboard } from '../context.ts';
import { linkTo } from '../route.ts';
import { useClientName } from './client-name.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { LimitFaultNote, LimitWarningNote } from './limit-fault.tsx';
import { LimitPreview } from './limit-preview.tsx';
import { Loaded } from './loaded.tsx';

const fields = ['per_minute', 'per_hour', 'per_day'] as const;
type Field = (typeof fields)[number];
const titles: Readonly<Record<Field, string>> = {
  per_minute: 'Per minute',
  per_hour: 'Per hour',
  per_day: 'Per day',
};

export function ClientLimits({ clientId }: { readonly clientId: string }) {
  const { api, notify } = useDashboard();
  const path = `/clients/${encodeURIComponent(clientId)}/limits`;
  const query = useAnswer<'showLimits'>(path);
  const name = useClientName(clientId);
  const save = useMutation({
    mutationFn: (change: Readonly<Record<string, unknown>>) => api.send<'setLimits'>('PATCH', path, change),
    onSuccess: ({ endpoint }) =>
      notify('success', `Limits of ${endpoint} saved. The change takes effect within 60 seconds.`),
  });
  const [resetting, setResetting] = useState<string>();
  const reset = useMutation({
    mutationFn: (endpoint: string) => api.send<'removeLimits'>('POST', `${path}/remove`, { endpoint }),
    onSuccess: (_limits, endpoint) => notify('success', `Limits of ${endpoint} reset to the defaults.`),
    onSettled: () => setResetting(undefined),
  });

  const columns: TableProps.ColumnDefinition<EndpointLimits>[] = [
    {
      id: 'endpoint',
      header: 'Endpoint',
      minWidth: 210,
      isRowHeader: true,
      cell: (row) => (
        <SpaceBetween size="xxs">
          {row.endpoint}
          {row.faults.map((fault) => (
            <LimitFaultNote key={fault.field} {...fault} />
          ))}
          {row.warnings.map((warning) => (
            <LimitWarningNote key={warning} warning={warning} />
          ))}
        </SpaceBetween>
      ),
    },
    ...fields.map((field) => column(field)),
    {
      id: 'remove',
      header: 'Action',
      minWidth: 130,
      cell: (row) =>
        row.override === null && row.faults.length === 0 ? (
          '–'
        ) : (
          <Button
            variant="inline-link"
            ariaLabel={`Reset to default: ${row.endpoint}`}
            onClick={() => setResetting(row.endpoint)}
          >
            Reset to default
          </Button>
        ),
    },
  ];

  return (
    <Loaded query={query}>
      {({ limits }) => (
        <>
          <Table<EndpointLimits>
            header={
              <Header
                variant="h2"
                description="Overrides are bold. Select a value to edit it; leave it empty to use the default."
                actions={<Button href={linkTo('limits')}>All clients</Button>}
              >
                {name === undefined ? clientId : `${name} (${clientId})`}
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
              yes="Reset to default"
              isBusy={reset.isPending}
              onYes={() => reset.mutate(resetting)}
              onNo={() => setResetting(undefined)}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

function column(field: Field): TableProps.ColumnDefinition<EndpointLimits> {
  return {
    id: field,
    header: titles[field],
    minWidth: 170,
    cell: (row) => {
      const own = row.override?.[field];
      const standard = row.defaults?.[field]?.toLocaleString() ?? '–';
      if (own === undefined) return <Box color="text-body-secondary">{standard}</Box>;
      return (
        <>
          <Box variant="span" fontWeight="bold">
            {own.toLocaleString()}
          </Box>{' '}
          <Box variant="span" color="text-body-secondary" fontSize="body-s">
            default {standard}
          </Box>
        </>
      );
    },
    editConfig: {
      ariaLabel: titles[field],
      errorIconAriaLabel: 'Error',
      editIconAriaLabel: 'can be edited',
      disabledReason: (row) => (row.policy === null ? 'This endpoint does not exist.' : undefined),
      validation: (row, text: string | undefined) => fault(text ?? String(row.override?.[field] ?? '')),
      editingCell: (row, { currentValue, setValue }) => {
        const text = currentValue ?? String(row.override?.[field] ?? '');
        return (
          <>
            <Input
              autoFocus
              inputMode="numeric"
              placeholder={String(row.defaults?.[field] ?? '')}
              ariaLabel={`${titles[field]} of ${row.endpoint}`}
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

function fault(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  return /^[1-9]\d{0,8}$/.test(text.trim())
    ? undefined
    : 'Enter a whole number of 1 or more, or leave the field empty.';
}
