/** The first page: problems, the numbers of sent and delivered messages, the busiest clients, and why messages fail. */

import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { UseQueryResult } from '@tanstack/react-query';
import { lazy } from 'react';
import type { ResponseOf, RowOf } from '../../../shared/admin/http/admin-operations.ts';
import { useResponse } from '../../api/queries.ts';
import { chartColours as colours } from '../../components/chart-series.ts';
import { ClientLink } from '../../components/client-name.tsx';
import { Fields } from '../../components/filters.tsx';
import { List } from '../../components/list.tsx';
import { Loaded, LoadFailure } from '../../components/loaded.tsx';
import { Page, Section, Totals } from '../../components/page.tsx';
import { PeriodChoice, usePeriod } from '../../components/period-choice.tsx';
import { RenderFailure } from '../../components/render-failure.tsx';
import { linkTo } from '../../route.ts';
import { numberText, percent } from '../../value-names.ts';
import { NeedsAttention } from './needs-attention.tsx';

const TimeChart = lazy(() => import('../../components/time-chart.tsx'));

const messageSeries = {
  messages_delivered: { title: 'Delivered', color: colours.good },
  messages_read: { title: 'Read', color: colours.better },
  messages_failed: { title: 'Failed', color: colours.bad },
  messages_expired: { title: 'Expired', color: colours.doubtful },
} as const;
const webhookSeries = {
  webhooks_acknowledged: { title: 'Acknowledged', color: colours.good },
  webhooks_retry_scheduled: { title: 'Retry scheduled', color: colours.doubtful },
  webhooks_failed: { title: 'Failed', color: colours.bad },
} as const;

/** `last`: the same period as a filter of lists. */
const periods = [
  { id: 'day', text: 'Last 24 hours', last: '24-hour' },
  { id: 'week', text: 'Last 7 days', last: '7-day' },
  { id: 'month', text: 'Last 30 days', last: '30-day' },
] as const;

export function OverviewPage() {
  const span = usePeriod(periods, 'day');
  const query = useResponse('showUsage', {}, { span });
  const today = useResponse('summarizeUsage', {}, { interval: 'day' });
  // The response is expensive and changes slowly.
  const attention = useResponse('showAttention', {}, undefined, { refreshEveryMs: 60_000 });
  const last = periods.find(({ id }) => id === span)?.last ?? '24-hour';
  return (
    <Page
      title="Overview"
      description="Messages by the time of their acceptance. Webhook attempts are approximate counts."
      actions={<PeriodChoice queries={[query, today, attention]} periods={periods} selected={span} />}
    >
      <SpaceBetween size="l">
        <LoadFailure query={query} />
        <LoadFailure query={attention} />
        <NeedsAttention query={attention} />
        <Totals columns={4} totals={totalsOf(query.data, last)} />
        <Loaded query={today}>
          {(loaded) => (
            <Fields perRow={2}>
              <TopClients summary={loaded} />
              <TopErrorCodes summary={loaded} />
            </Fields>
          )}
        </Loaded>
        {/* Loaded after the first rows, because the script of the charts would delay them. */}
        {today.isPending ? null : (
          <RenderFailure isPart>
            <SpaceBetween size="l">
              <Chart title="Messages by status" unit="Messages" series={messageSeries} query={query} />
              <Chart title="Webhook attempts" unit="Attempts" series={webhookSeries} query={query} />
            </SpaceBetween>
          </RenderFailure>
        )}
      </SpaceBetween>
    </Page>
  );
}

/** @param last - the period, as a filter of lists */
function totalsOf(usage: ResponseOf<'showUsage'> | undefined, last: string) {
  const totals = usage?.totals;
  const sum = (...names: readonly string[]): number =>
    names.reduce((all, name) => all + (totals?.[name] ?? 0), 0);
  const rate = (good: number, all: number): string => percent(all === 0 ? null : good / all);
  const count = (name: string): string => (totals === undefined ? '–' : numberText(sum(name)));
  const delivered = sum('messages_delivered', 'messages_read');
  const finished = delivered + sum('messages_failed', 'messages_expired');
  const attempts = sum(...Object.keys(webhookSeries));
  const messages = (status: string): string => linkTo('messages', undefined, { status, last });
  const failedWebhooks = linkTo('activity', 'webhooks', { last });
  return [
    { label: 'Messages accepted', value: count('messages_accepted'), href: linkTo('usage') },
    { label: 'Delivery rate', value: rate(delivered, finished), href: messages('delivered') },
    { label: 'Messages failed', value: count('messages_failed'), href: messages('failed') },
    { label: 'Messages expired', value: count('messages_expired'), href: messages('expired') },
    { label: 'Webhook latency, average', value: latencyText(usage) },
    { label: 'Webhook success rate', value: rate(sum('webhooks_acknowledged'), attempts) },
    { label: 'Webhook retries scheduled', value: count('webhooks_retry_scheduled') },
    { label: 'Webhooks failed', value: count('webhooks_failed'), href: failedWebhooks },
  ];
}

/** Formats the mean latency of webhooks. It includes attempts that timed out. */
function latencyText(usage: ResponseOf<'showUsage'> | undefined): string {
  // An earlier release did not count the time.
  const timed = usage?.points.filter(({ counts }) => counts.webhooks_total_ms !== undefined) ?? [];
  const sum = (names: readonly string[]): number =>
    timed.reduce((all, { counts }) => all + names.reduce((of, name) => of + (counts[name] ?? 0), 0), 0);
  const attempts = sum(Object.keys(webhookSeries));
  if (attempts === 0) return '–';
  return `${numberText(Math.round(sum(['webhooks_total_ms']) / attempts))} ms`;
}

const shownMax = 5;
const messagesOfToday = (filter: Readonly<Record<string, string>>): string =>
  linkTo('messages', undefined, { ...filter, last: '24-hour' });

function TopClients({ summary }: { readonly summary: ResponseOf<'summarizeUsage'> }) {
  return (
    <List<RowOf<'summarizeUsage', 'top_clients'>>
      title="Top clients today"
      actions={<Link href={linkTo('usage', undefined, { period: 'today', by: 'client' })}>All clients</Link>}
      columns={[
        {
          title: 'Client',
          minWidth: 150,
          cell: ({ client_id, name }) => (
            <ClientLink id={client_id} name={name} to={messagesOfToday({ client_id })} />
          ),
        },
        { title: 'Messages', field: 'messages' },
        { title: 'Delivery rate', cell: ({ delivery_rate }) => percent(delivery_rate) },
      ]}
      rows={summary.top_clients.slice(0, shownMax)}
      empty="No client has sent a message today (UTC)."
      idOf={({ client_id }) => client_id}
    />
  );
}

function TopErrorCodes({ summary }: { readonly summary: ResponseOf<'summarizeUsage'> }) {
  return (
    <List<RowOf<'summarizeUsage', 'error_codes'>>
      title="Top error codes today"
      actions={<Link href={linkTo('usage', undefined, { period: 'today' })}>All error codes</Link>}
      columns={[
        {
          title: 'Code',
          field: 'error_code',
          minWidth: 160,
          link: ({ error_code }) => messagesOfToday({ error_code }),
        },
        { title: 'Messages', field: 'messages' },
        { title: 'Meaning', field: 'meaning', minWidth: 120 },
      ]}
      rows={summary.error_codes.slice(0, shownMax)}
      empty="No message of today (UTC) has an error."
      idOf={({ error_code }) => error_code}
    />
  );
}

function Chart({
  title,
  unit,
  series,
  query,
}: {
  readonly title: string;
  readonly unit: string;
  readonly series: Readonly<Record<string, { readonly title: string; readonly color: string }>>;
  readonly query: UseQueryResult<ResponseOf<'showUsage'>>;
}) {
  const { step = 'hour', points = [] } = query.data ?? {};
  return (
    <Section title={title}>
      <TimeChart
        title={title}
        unit={unit}
        step={step}
        steps={points.map(({ at }) => new Date(at))}
        series={Object.entries(series).map(([name, look]) => ({
          ...look,
          values: points.map(({ counts }) => counts[name] ?? 0),
        }))}
        query={query}
      />
    </Section>
  );
}
