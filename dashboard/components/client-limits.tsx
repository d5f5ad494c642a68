/**
 * Shows all limits and caps of one client with their use, or the limits in the row for every client. A form edits a row.
 */

import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import type { WindowAttribute } from '../../shared/contract/rate-limits-and-caps.ts';
import { inOneLine } from '../../shared/platform/visible-text.ts';
import { useResponse } from '../api/queries.ts';
import { useDashboard } from '../dashboard-context.ts';
import { capNames, everyClient, numberText } from '../value-names.ts';
import { useClientName } from './client-name.tsx';
import type { Column } from './columns.ts';
import { RowFaults, RowStatus } from './edited-row.tsx';
import { useConfirm } from './form.tsx';
import { type EndpointLimits, LimitRowForm, limitTitles } from './limit-row-form.tsx';
import { List, RowAction } from './list.tsx';
import { Secondary, withLocalTimes } from './text.tsx';

type Used = RowOf<'explainLimits', 'endpoints'>['windows'];

export function ClientLimits({ clientId }: { readonly clientId: string }) {
  const { api } = useDashboard();
  const path = { client_id: clientId };
  const query = useResponse('showLimits', path);
  const explained = useResponse('explainLimits', path, undefined, { enabled: clientId !== everyClient });
  const explainedOf = (row: EndpointLimits) =>
    explained.data?.endpoints.find(({ endpoint }) => endpoint === row.endpoint);
  const name = useClientName(clientId);
  const [inForm, setInForm] = useState<EndpointLimits>();
  const { confirm, dialog } = useConfirm();
  const reset = (endpoint: string): void =>
    confirm({
      title: `Reset the limits of ${endpoint}?`,
      text: "The client's own values are deleted. The defaults take effect within 60 seconds.",
      action: 'Reset to default',
      work: () => api.send('removeLimits', path, { endpoint }),
      done: `Limits of ${endpoint} reset to the defaults.`,
    });
  const columns: readonly Column<EndpointLimits>[] = [
    {
      title: 'Endpoint',
      minWidth: 200,
      cell: (row) => <Endpoint {...row} refused={explainedOf(row)?.observed?.refused} />,
    },
    ...(Object.keys(limitTitles) as WindowAttribute[]).map(
      (window): Column<EndpointLimits> => ({
        title: limitTitles[window],
        minWidth: 120,
        cell: (row) => <Limit row={row} window={window} used={explainedOf(row)?.windows ?? []} />,
      }),
    ),
    {
      title: 'Action',
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
    <>
      {inForm === undefined ? null : <LimitRowForm row={inForm} onClose={() => setInForm(undefined)} />}
      <List<EndpointLimits>
        title={clientId === everyClient ? 'Every client without a row of its own' : (name ?? clientId)}
        description="Own values are bold. The use is that of the current minute, hour, day and month (UTC)."
        columns={columns}
        rows={query.data?.limits}
        query={query}
        empty="There are no limits."
        idOf={({ endpoint }) => endpoint}
      />
      {dialog}
    </>
  );
}

/**
 * Shows the block, the note, the status and the faults of a row. @param refused - what an observing row would have refused
 */
function Endpoint({
  endpoint,
  cap,
  blocked,
  note,
  status,
  status_message,
  refused,
  ...row
}: EndpointLimits & { readonly refused: number | undefined }) {
  const unit = cap === null ? 'requests today' : `${row.currency ?? 'messages'} this month`;
  return (
    <SpaceBetween size="xxs">
      {cap === null ? <span className="id">{endpoint}</span> : capNames[cap]}
      {blocked ? <StatusIndicator type="stopped">blocked</StatusIndicator> : null}
      {refused === undefined ? null : (
        <StatusIndicator type="info">{`would have refused ${numberText(refused)} ${unit}`}</StatusIndicator>
      )}
      {status === null ? null : <RowStatus status={status} />}
      {/* The faults of an invalid row are listed below. */}
      {status_message === null || status === 'invalid' ? null : (
        <Box fontSize="body-s">{withLocalTimes(status_message)}</Box>
      )}
      {note === null ? null : <Secondary>Note: {inOneLine(note)}</Secondary>}
      <RowFaults {...row} />
    </SpaceBetween>
  );
}

function Limit({ row, window, used }: { row: EndpointLimits; window: WindowAttribute; used: Used }) {
  const text = (limit: number): string =>
    `${numberText(limit)}${row.currency === null ? '' : ` ${row.currency}`}`;
  const isObserved = row.mode === 'observe';
  const observed = isObserved ? row.override?.[window] : undefined;
  const [own, standard] = [isObserved ? undefined : row.override?.[window], row.defaults?.[window]];
  const limit = row.in_force?.[window] ?? own ?? standard;
  const observes = observed === undefined ? null : <Secondary>observed {text(observed)}</Secondary>;
  if (limit === undefined) return observes ?? <>–</>;
  const amount = used.find((each) => `per_${each.window}` === window)?.used;
  return (
    <>
      <Box {...(own === undefined ? { color: 'text-body-secondary' } : { fontWeight: 'bold' })}>
        {amount === undefined ? text(limit) : `${numberText(amount)} of ${text(limit)}`}
      </Box>
      {own === undefined || standard === undefined ? null : <Secondary>default {text(standard)}</Secondary>}
      {observes}
    </>
  );
}
