/** For every endpoint and cap of a client: the limits in force, their source, and what is used of them now. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { ExplainedEndpoint } from '../../../shared/admin/explain-limits.ts';
import { useAnswer } from '../../api/queries.ts';
import type { CsvColumns } from '../../components/download.ts';
import { type Column, List } from '../../components/list.tsx';
import { Time } from '../../components/time.tsx';
import { linkTo } from '../../route.ts';
import { capNames, durationText } from '../../value-names.ts';

export function LimitsInForce({ clientId }: { readonly clientId: string }) {
  const query = useAnswer('explainLimits', { client_id: clientId });
  return (
    <List<ExplainedEndpoint>
      title="Limits"
      description="The limits in force, and what is used of them in the current minute, hour, day and month (UTC)."
      actions={<Button href={linkTo('limits', clientId)}>Edit limits</Button>}
      columns={columnsIn(query.data?.currency)}
      rows={query.data?.endpoints}
      query={query}
      empty="There are no limits."
      idOf={({ endpoint }) => endpoint}
      csv={{ name: `limits-of-${clientId}`, columns: csvColumns }}
    />
  );
}

/** From this share on, a use is emphasized. */
const nearlyReached = 0.8;

const sources = {
  default: 'Default',
  every_client_row: 'Row for every client',
  own_row: 'Own row',
} as const satisfies Record<ExplainedEndpoint['source'], string>;

const columnsIn = (currency = ''): readonly Column<ExplainedEndpoint>[] => [
  {
    id: 'endpoint',
    header: 'Endpoint',
    minWidth: 165,
    isRowHeader: true,
    cell: ({ endpoint, cap }) => (cap === null ? <span className="id">{endpoint}</span> : capNames[cap]),
  },
  { id: 'use', header: 'Used', minWidth: 230, cell: (row) => <Use {...row} {...{ currency }} /> },
  { id: 'first', header: 'Reached first', minWidth: 135, cell: firstReached },
  {
    id: 'source',
    header: 'Source',
    minWidth: 130,
    cell: ({ source, expires_at }) => (
      <>
        {sources[source]}
        {expires_at === null ? null : (
          <Box color="text-body-secondary" fontSize="body-s">
            until <Time at={expires_at} />
          </Box>
        )}
      </>
    ),
  },
  { id: 'row', header: "Client's own row", minWidth: 225, cell: (row) => <OwnRow {...row} /> },
];

function Use({ blocked, cap, windows, currency }: ExplainedEndpoint & { readonly currency: string }) {
  if (blocked) return <StatusIndicator type="stopped">blocked</StatusIndicator>;
  if (windows.length === 0) return <>No cap</>;
  return (
    <SpaceBetween size="xxxs">
      {windows.map(({ window, limit, used, from }) => (
        <div key={window}>
          <Box variant="span" fontWeight={used >= limit * nearlyReached ? 'bold' : 'normal'}>
            {used.toLocaleString()} of {limit.toLocaleString()}
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

/** At full rate. */
function firstReached({ blocked, first_reached, windows: [shortest] }: ExplainedEndpoint): string {
  if (blocked || shortest === undefined) return '–';
  return first_reached === null
    ? `The ${shortest.window}`
    : `The ${first_reached.window}, after ${durationText(first_reached.after_seconds)} at full rate`;
}

const inWindow = (name: string) => (row: ExplainedEndpoint) => {
  const window = row.windows.find((one) => one.window === name);
  return window === undefined ? '' : `${window.used} of ${window.limit}`;
};

const csvColumns = {
  endpoint: (row) => row.endpoint,
  source: (row) => row.source,
  blocked: (row) => row.blocked,
  minute: inWindow('minute'),
  hour: inWindow('hour'),
  day: inWindow('day'),
  month: inWindow('month'),
  expires_at: (row) => row.expires_at,
  status: (row) => row.status,
  status_message: (row) => row.status_message,
} as const satisfies CsvColumns<ExplainedEndpoint>;

const rowStatus = { active: 'success', invalid: 'warning', expired: 'stopped' } as const;

function OwnRow({ status, status_message }: ExplainedEndpoint) {
  if (status === null) return <>–</>;
  return (
    <>
      <StatusIndicator type={rowStatus[status as keyof typeof rowStatus] ?? 'info'}>{status}</StatusIndicator>
      {status_message === null ? null : <Box fontSize="body-s">{status_message}</Box>}
    </>
  );
}
