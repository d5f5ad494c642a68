/** Shows the limits in force, their source and their current use, for every endpoint and cap of a client. */

import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { RowOf } from '../../../shared/admin/http/admin-operations.ts';
import { useResponse } from '../../api/queries.ts';
import { type Column, csvOnly } from '../../components/columns.ts';
import { RowStatus } from '../../components/edited-row.tsx';
import { List } from '../../components/list.tsx';
import { Secondary, Time, withLocalTimes } from '../../components/text.tsx';
import { capNames, durationText, numberText } from '../../value-names.ts';

type ExplainedEndpoint = RowOf<'explainLimits', 'endpoints'>;

export function LimitsInForce({ clientId }: { readonly clientId: string }) {
  const query = useResponse('explainLimits', { client_id: clientId });
  return (
    <List<ExplainedEndpoint>
      title="Limits"
      description="The limits in force, and their use in the current minute, hour, day and month (UTC)."
      columns={columnsIn(query.data?.currency)}
      rows={query.data?.endpoints}
      query={query}
      empty="There are no limits."
      idOf={({ endpoint }) => endpoint}
      csvName={`limits-of-${clientId}`}
    />
  );
}

/** A higher use is emphasized. */
const nearlyReached = 0.8;

const sources = {
  default: 'Default',
  every_client_row: 'Row for every client',
  own_row: 'Own row',
} as const satisfies Record<ExplainedEndpoint['source'], string>;

const columnsIn = (currency = ''): readonly Column<ExplainedEndpoint>[] => [
  {
    title: 'Endpoint',
    field: 'endpoint',
    minWidth: 165,
    cell: ({ endpoint, cap }) => (cap === null ? <span className="id">{endpoint}</span> : capNames[cap]),
  },
  {
    title: 'Used',
    field: 'blocked',
    minWidth: 230,
    cell: (row) => <Use {...row} {...{ currency }} />,
    csv: Object.fromEntries(['minute', 'hour', 'day', 'month'].map((name) => [name, usedIn(name)])),
  },
  { title: 'Reached first', minWidth: 135, cell: firstReached },
  {
    title: 'Source',
    field: 'source',
    minWidth: 130,
    cell: ({ source, expires_at }) => (
      <>
        {sources[source]}
        {expires_at === null ? null : (
          <Secondary>
            until <Time at={expires_at} />
          </Secondary>
        )}
      </>
    ),
  },
  { title: "Client's own row", field: 'status', minWidth: 225, cell: (row) => <OwnRow {...row} /> },
  ...csvOnly<ExplainedEndpoint>('expires_at', 'status_message'),
];

function usedIn(name: string) {
  return ({ windows }: ExplainedEndpoint): string => {
    const window = windows.find((one) => one.window === name);
    return window === undefined ? '' : `${window.used} of ${window.limit}`;
  };
}

function Use({ blocked, cap, windows, currency }: ExplainedEndpoint & { readonly currency: string }) {
  if (blocked) return <StatusIndicator type="stopped">blocked</StatusIndicator>;
  if (windows.length === 0) return <>No cap</>;
  return (
    <SpaceBetween size="xxxs">
      {windows.map(({ window, limit, used, from }) => (
        <div key={window}>
          <Box variant="span" fontWeight={used >= limit * nearlyReached ? 'bold' : 'normal'}>
            {numberText(used)} of {numberText(limit)}
            {cap === 'spend' ? ` ${currency}` : ''}
          </Box>{' '}
          <Box variant="span" color="text-body-secondary">
            per {window}
            {from === 'default' ? ' (default)' : ''}
          </Box>
        </div>
      ))}
    </SpaceBetween>
  );
}

/** Returns the window that refuses requests first if the client sends as fast as it can. */
function firstReached({ blocked, first_reached, windows: [shortest] }: ExplainedEndpoint): string {
  if (blocked || shortest === undefined) return '–';
  return first_reached === null
    ? `The ${shortest.window}`
    : `The ${first_reached.window}, after ${durationText(first_reached.after_seconds)} at full rate`;
}

function OwnRow({ status, status_message }: ExplainedEndpoint) {
  if (status === null) return <>–</>;
  return (
    <>
      <RowStatus status={status} />
      {status_message === null ? null : <Box fontSize="body-s">{withLocalTimes(status_message)}</Box>}
    </>
  );
}
