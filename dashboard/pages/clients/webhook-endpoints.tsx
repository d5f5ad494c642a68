/** The health of a client's webhook endpoints: if they fail, since when, and the number of waiting webhooks. */

import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { lazy, useState } from 'react';
import type { RowOf } from '../../../shared/admin/http/admin-operations.ts';
import type { ResendView } from '../../../shared/webhook/webhook-response.schema.ts';
import { useResponse } from '../../api/queries.ts';
import { chartColours } from '../../components/chart-series.ts';
import { type Column, csvOnly } from '../../components/columns.ts';
import { Fields } from '../../components/filters.tsx';
import { ChoiceField } from '../../components/form-fields.tsx';
import { List, RowAction } from '../../components/list.tsx';
import { Section } from '../../components/page.tsx';
import { RenderFailure } from '../../components/render-failure.tsx';
import { Time } from '../../components/text.tsx';
import { linkTo } from '../../route.ts';
import { numberText, percent } from '../../value-names.ts';
import { ResendSince, ResendState } from './resend-since.tsx';

export function WebhookEndpoints({ clientId }: { readonly clientId: string }) {
  const query = useResponse('showWebhookHealth', { client_id: clientId });
  const count = query.data?.messages ?? 0;
  // Stored here, because the row can leave the list while the dialog is open.
  const [chosen, setChosen] = useState<RowOf<'showWebhookHealth', 'endpoints'>>();
  const [resends, setResends] = useState<readonly ResendView[]>([]);
  return (
    <SpaceBetween size="l">
      {resends.map((started) => (
        <ResendState key={started.resend_id} clientId={clientId} started={started} />
      ))}
      <List<RowOf<'showWebhookHealth', 'endpoints'>>
        title="Webhook endpoints"
        description={
          count === 0
            ? undefined
            : `Includes the webhooks of the latest ${count === 1 ? 'message' : `${count} messages`}, and all that have failed.`
        }
        actions={
          <SpaceBetween direction="horizontal" size="s">
            <Link href={linkTo('webhooks', undefined, { client_id: clientId })}>All webhooks</Link>
            <Link href={linkTo('activity', 'webhooks', { client_id: clientId })}>Failed webhooks</Link>
          </SpaceBetween>
        }
        columns={[
          ...columns,
          {
            title: 'Action',
            minWidth: 160,
            cell: (row) => (
              <RowAction text="Resend all since…" of={row.origin} onClick={() => setChosen(row)} />
            ),
          },
        ]}
        rows={query.data?.endpoints}
        query={query}
        empty="The latest messages of this client have no webhooks."
        idOf={({ origin }) => origin}
        csvName={`webhook-endpoints-of-${clientId}`}
      />
      <EndpointCharts endpoints={query.data?.endpoints ?? []} />
      {chosen === undefined ? null : (
        <ResendSince
          clientId={clientId}
          origin={chosen.origin}
          failingSince={chosen.failing_since}
          // A repeated request has the same id.
          onStarted={(started) =>
            setResends((shown) => [
              ...shown.filter(({ resend_id }) => resend_id !== started.resend_id),
              started,
            ])
          }
          onClose={() => setChosen(undefined)}
        />
      )}
    </SpaceBetween>
  );
}

const columns: readonly Column<RowOf<'showWebhookHealth', 'endpoints'>>[] = [
  { title: 'Endpoint', field: 'origin', csvName: 'endpoint', minWidth: 170 },
  { title: 'Health', field: 'failing_since', minWidth: 190, cell: (row) => <Health {...row} /> },
  { title: 'Waiting', field: 'waiting', minWidth: 90 },
  { title: 'Failed', field: 'failed', minWidth: 90 },
  { title: 'Success rate', field: 'success_rate', minWidth: 110, cell: (row) => percent(row.success_rate) },
  {
    title: 'Latency, average',
    field: 'latency_ms',
    minWidth: 110,
    cell: ({ latency_ms }) => (latency_ms === null ? '–' : `${numberText(latency_ms)} ms`),
  },
  ...csvOnly<RowOf<'showWebhookHealth', 'endpoints'>>('last_error', 'acknowledged'),
];

function Health({ failing_since, last_error, success_rate }: RowOf<'showWebhookHealth', 'endpoints'>) {
  if (failing_since === null && success_rate === null)
    return <StatusIndicator type="pending">not called yet</StatusIndicator>;
  if (failing_since === null) return <StatusIndicator type="success">healthy</StatusIndicator>;
  return (
    <>
      <StatusIndicator type="error">
        {/* The latest messages have no webhook to this endpoint, so its present state is unknown. */}
        {success_rate === null ? 'failed' : 'failing'}
        {last_error === null ? '' : ` (${last_error})`} since
      </StatusIndicator>{' '}
      <Time at={failing_since} />
    </>
  );
}

const TimeChart = lazy(() => import('../../components/time-chart.tsx'));

/** @param endpoints - sorted, with failing endpoints first */
function EndpointCharts({ endpoints }: { endpoints: readonly RowOf<'showWebhookHealth', 'endpoints'>[] }) {
  const [chosen, setChosen] = useState<string>();
  const tried = endpoints.filter(({ history }) => history.points.length > 0);
  const shown = tried.find(({ origin }) => origin === chosen) ?? tried[0];
  if (shown === undefined) return null;
  return (
    <Section title="Webhook attempts">
      <SpaceBetween size="m">
        {tried.length === 1 ? (
          <span className="id">{shown.origin}</span>
        ) : (
          <ChoiceField
            label="Endpoint"
            value={shown.origin}
            options={tried.map(({ origin }) => ({ value: origin }))}
            onChange={setChosen}
          />
        )}
        <RenderFailure isPart>
          <Charts {...shown} />
        </RenderFailure>
      </SpaceBetween>
    </Section>
  );
}

function Charts({
  origin,
  history: { step, points },
  success_rate,
}: RowOf<'showWebhookHealth', 'endpoints'>) {
  const common = { step, steps: points.map(({ at }) => new Date(at)) };
  const { good, better, bad } = chartColours;
  return (
    <Fields perRow={2}>
      <div>
        <Header variant="h3">Success rate: {percent(success_rate)}</Header>
        <TimeChart
          {...common}
          title={`Attempts at ${origin}`}
          unit="Attempts"
          series={[
            { title: 'Acknowledged', color: good, values: points.map(({ acknowledged }) => acknowledged) },
            { title: 'Failed', color: bad, values: points.map(({ failed }) => failed) },
          ]}
        />
      </div>
      <div>
        <Header variant="h3">Latency, average</Header>
        <TimeChart
          {...common}
          title={`Latency of ${origin}`}
          unit="Milliseconds"
          series={[
            { title: 'Latency', color: better, values: points.map(({ latency_ms }) => latency_ms ?? 0) },
          ]}
          text={(ms) => `${numberText(ms)} ms`}
        />
      </div>
    </Fields>
  );
}
