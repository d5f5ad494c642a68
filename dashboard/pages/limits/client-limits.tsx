/** All limits and caps of one client, or of the row for every client. A value is edited in place, a whole row in a form. */

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { WindowAttribute } from '../../../shared/contract/rate-limits-and-caps.ts';
import { firstReached, limitFault, plainLimit } from '../../../shared/limit/entered-limits.ts';
import { inOneLine } from '../../../shared/platform/visible-text.ts';
import { useResponse } from '../../api/queries.ts';
import { useClientName } from '../../components/client-name.tsx';
import { RowStatus } from '../../components/edited-row.tsx';
import { useConfirm } from '../../components/form.tsx';
import { RowAction } from '../../components/list.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Copyable, Secondary, withLocalTimes } from '../../components/text.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { linkTo } from '../../route.ts';
import { capNames, durationText, everyClient, numberText } from '../../value-names.ts';
import type { EndpointLimits } from './limit-field.ts';
import { limitTitles, limitWindows, placeholderOf, savedNotice } from './limit-field.ts';
import { LimitRowForm } from './limit-row-form.tsx';
import { LimitWarnings } from './limit-warnings.tsx';

export function ClientLimits({ clientId }: { readonly clientId: string }) {
  const { api, notify } = useDashboard();
  const query = useResponse('showLimits', { client_id: clientId });
  const name = useClientName(clientId);
  const [inForm, setInForm] = useState<EndpointLimits>();
  const save = useMutation({
    mutationFn: (change: Readonly<Record<string, unknown>>) =>
      api.send('setLimits', { client_id: clientId }, change),
    onSuccess: (saved) => notify(...savedNotice(saved)),
  });
  const { confirm, dialog } = useConfirm();
  const reset = (endpoint: string): void =>
    confirm({
      title: `Reset the limits of ${endpoint}?`,
      text: "The client's own values are deleted. The defaults take effect within 60 seconds.",
      action: 'Reset to default',
      work: () => api.send('removeLimits', { client_id: clientId }, { endpoint }),
      done: `Limits of ${endpoint} reset to the defaults.`,
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
          <LimitWarnings row={row} />
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
            <RowAction text="Edit row" of={row.endpoint} onClick={() => setInForm(row)} />
          ) : null}
          {row.override === null && row.faults.length === 0 ? null : (
            <RowAction text="Reset to default" of={row.endpoint} onClick={() => reset(row.endpoint)} />
          )}
        </SpaceBetween>
      ),
    },
  ];

  return (
    <Loaded query={query}>
      {({ limits }) => (
        <>
          {inForm === undefined ? null : <LimitRowForm row={inForm} onClose={() => setInForm(undefined)} />}
          {limits.some(({ faults }) => faults.some(({ field }) => field === 'client_id')) ? (
            <Box padding={{ bottom: 'm' }}>
              <Alert type="warning" header="There is no such client">
                No client has the id {clientId}, so its rows have no effect. Reset the rows to remove them.
              </Alert>
            </Box>
          ) : null}
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
              const value = plainLimit(row, String(text));
              // The table shows the fault but still submits. An error keeps the editor open.
              if (limitFault(row, value) !== undefined) throw new Error(`${value} is no limit`);
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
          {dialog}
        </>
      )}
    </Loaded>
  );
}

function titleOf(clientId: string, name: string | undefined): string {
  if (clientId === everyClient) return 'Every client without a row of its own';
  return name ?? clientId;
}

/** Shows the block, the note and the status of a row. */
function RowState({ blocked, note, status, status_message }: EndpointLimits) {
  return (
    <>
      {blocked ? <StatusIndicator type="stopped">blocked</StatusIndicator> : null}
      {status === null ? null : <RowStatus status={status} />}
      {/* The faults of an invalid row are listed below. */}
      {status_message === null || status === 'invalid' ? null : (
        <Box fontSize="body-s">{withLocalTimes(status_message)}</Box>
      )}
      {note === null ? null : <Secondary>Note: {inOneLine(note)}</Secondary>}
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
      const standard = byDefault === undefined ? '–' : `${numberText(byDefault)}${unit}`;
      if (own === undefined) return <Box color="text-body-secondary">{standard}</Box>;
      return (
        <>
          <Box variant="span" fontWeight="bold">
            {`${numberText(own)}${unit}`}
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
      validation: (row, text: string | undefined) => (text === undefined ? undefined : limitFault(row, text)),
      editingCell: (row, { currentValue, setValue }) => {
        const text = currentValue ?? String(row.override?.[field] ?? '');
        return (
          <>
            <Input
              autoFocus
              inputMode="decimal"
              placeholder={placeholderOf(row, field)}
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

/** Shows which window would refuse requests first with the new value, before it is saved. */
function LimitPreview({
  row,
  field,
  text,
}: {
  readonly row: EndpointLimits;
  readonly field: WindowAttribute;
  /** The text as entered. Empty for the default. */
  readonly text: string;
}) {
  if (limitFault(row, text) !== undefined) return null;
  const entered = text.trim() === '' ? row.defaults?.[field] : Number(plainLimit(row, text));
  const limits: Partial<Record<WindowAttribute, number>> = { ...row.in_force, [field]: entered };
  const inForce = limitWindows.flatMap((window) => {
    const limit = limits[window];
    return limit === undefined ? [] : [{ window, limit }];
  });
  const first = firstReached(inForce);
  const [shortest] = inForce;
  if (shortest === undefined) return null;
  return (
    <div aria-live="polite">
      <Secondary>
        {first === undefined
          ? `Reached first: ${limitText(shortest.window, shortest.limit)}.`
          : `Reached first: ${limitText(first.window, limits[first.window] ?? 0)}, after ${durationText(Math.round(first.afterSeconds))} at full rate.`}
      </Secondary>
    </div>
  );
}

function limitText(window: WindowAttribute, limit: number): string {
  return `${numberText(limit)} ${window.replace('_', ' ')}`;
}
