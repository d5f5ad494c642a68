/** The first page: what needs attention, how much is sent and delivered, by whom, and why messages fail. */
import Container from '@cloudscape-design/components/container';
import Grid from '@cloudscape-design/components/grid';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { lazy, Suspense } from 'react';
import type { UsageSummary, UsageView } from '../../../shared/admin/usage.ts';
import { useAnswer } from '../../api/queries.ts';
import { chartColours as colours } from '../../components/chart-series.ts';
import { ClientLink } from '../../components/client-name.tsx';
import { List } from '../../components/list.tsx';
import { Loaded, LoadFailure, Waiting } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { PeriodChoice, usePeriod } from '../../components/period-choice.tsx';
import { RenderFailure } from '../../components/render-failure.tsx';
import { Total } from '../../components/total.tsx';
import { linkTo } from '../../route.ts';
import { percent } from '../../value-names.ts';
import { NeedsAttention, useAttention } from './needs-attention.tsx';

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

/** `last`: the same time as a filter of lists. */
const periods = [
  { id: 'day', text: 'Last 24 hours', last: '24-hour' },
  { id: 'week', text: 'Last 7 days', last: '7-day' },
  { id: 'month', text: 'Last 30 days', last: '30-day' },
] as const;

export function OverviewPage() {
  const span = usePeriod(periods, 'day');
  const query = useAnswer('showUsage', {}, { span });
  const today = useAnswer('summarizeUsage', {}, { interval: 'day' });
  const attention = useAttention();
  const usage = query.data;
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
        <Container header={<Header variant="h2">Totals</Header>}>
          <Totals usage={usage} last={last} />
        </Container>
        <Loaded query={today}>
          {(loaded) => (
            <Grid gridDefinition={[{ colspan: { default: 12, s: 6 } }, { colspan: { default: 12, s: 6 } }]}>
              <TopClients summary={loaded} />
              <TopErrorCodes summary={loaded} />
            </Grid>
          )}
        </Loaded>
        {/* After the first rows: the script of charts would delay them. */}
        {today.isPending ? null : (
          <RenderFailure isPart>
            <Suspense fallback={<Waiting />}>
              <SpaceBetween size="l">
                <Chart title="Messages by status" unit="Messages" series={messageSeries} usage={usage} />
                <Chart title="Webhook attempts" unit="Attempts" series={webhookSeries} usage={usage} />
              </SpaceBetween>
            </Suspense>
          </RenderFailure>
        )}
      </SpaceBetween>
    </Page>
  );
}

interface TotalsProps {
  readonly usage: UsageView | undefined;
  readonly last: string;
}

function Totals({ usage, last }: TotalsProps) {
  const totals = usage?.totals;
  const of = (...names: readonly string[]): number =>
    names.reduce((sum, name) => sum + (totals?.[name] ?? 0), 0);
  const rate = (good: number, all: number): string => percent(all === 0 ? null : good / all);
  const count = (value: number): string => (totals === undefined ? '–' : value.toLocaleString());
  const delivered = of('messages_delivered', 'messages_read');
  const undelivered = of('messages_failed', 'messages_expired');
  const acknowledged = of('webhooks_acknowledged');
  const attempts = of(...Object.keys(webhookSeries));
  const messages = (status: string): string => linkTo('messages', undefined, { status, last });
  return (
    <KeyValuePairs
      columns={4}
      items={[
        {
          label: 'Messages accepted',
          value: <Total value={count(of('messages_accepted'))} href={linkTo('usage')} />,
        },
        {
          label: 'Delivery rate',
          value: <Total value={rate(delivered, delivered + undelivered)} href={messages('delivered')} />,
        },
        {
          label: 'Messages failed',
          value: <Total value={count(of('messages_failed'))} href={messages('failed')} />,
        },
        {
          label: 'Messages expired',
          value: <Total value={count(of('messages_expired'))} href={messages('expired')} />,
        },
        { label: 'Webhook latency, average', value: <Total value={latencyText(usage)} /> },
        { label: 'Webhook success rate', value: <Total value={rate(acknowledged, attempts)} /> },
        {
          label: 'Webhook retries scheduled',
          value: <Total value={count(of('webhooks_retry_scheduled'))} />,
        },
        {
          label: 'Webhooks failed',
          value: (
            <Total value={count(of('webhooks_failed'))} href={linkTo('activity', undefined, { last })} />
          ),
        },
      ]}
    />
  );
}

/** Of all attempts, those that timed out included. */
function latencyText(usage: UsageView | undefined): string {
  // An earlier release did not count the time.
  const timed = usage?.points.filter(({ counts }) => counts.webhooks_total_ms !== undefined) ?? [];
  const sum = (names: readonly string[]): number =>
    timed.reduce((all, { counts }) => all + names.reduce((of, name) => of + (counts[name] ?? 0), 0), 0);
  const attempts = sum(Object.keys(webhookSeries));
  if (attempts === 0) return '–';
  return `${Math.round(sum(['webhooks_total_ms']) / attempts).toLocaleString()} ms`;
}

const shownMax = 5;
const today = '24-hour';

function TopClients({ summary }: { readonly summary: UsageSummary }) {
  return (
    <List<UsageSummary['top_senders'][number]>
      title="Top clients today"
      actions={<Link href={linkTo('usage', undefined, { period: 'today', by: 'client' })}>All clients</Link>}
      columns={[
        {
          id: 'client',
          header: 'Client',
          minWidth: 150,
          isRowHeader: true,
          cell: ({ client_id }) => (
            <ClientLink id={client_id} to={linkTo('messages', undefined, { client_id, last: today })} />
          ),
        },
        { id: 'messages', header: 'Messages', cell: ({ messages }) => messages.toLocaleString() },
        { id: 'rate', header: 'Delivery rate', cell: ({ delivery_rate }) => percent(delivery_rate) },
      ]}
      rows={summary.top_senders.slice(0, shownMax)}
      empty="No client has sent a message today (UTC)."
      idOf={({ client_id }) => client_id}
    />
  );
}

function TopErrorCodes({ summary }: { readonly summary: UsageSummary }) {
  return (
    <List<UsageSummary['error_codes'][number]>
      title="Top error codes today"
      actions={<Link href={linkTo('usage', undefined, { period: 'today' })}>All error codes</Link>}
      columns={[
        {
          id: 'code',
          header: 'Code',
          minWidth: 150,
          isRowHeader: true,
          cell: ({ error_code }) => (
            <span className="id">
              <Link href={linkTo('messages', undefined, { error_code, last: today })}>{error_code}</Link>
            </span>
          ),
        },
        { id: 'messages', header: 'Messages', cell: ({ messages }) => messages.toLocaleString() },
        { id: 'meaning', header: 'Meaning', minWidth: 200, cell: ({ meaning }) => meaning ?? '–' },
      ]}
      rows={summary.error_codes.slice(0, shownMax)}
      empty="No message of today (UTC) has an error."
      idOf={({ error_code }) => error_code}
    />
  );
}

interface ChartProps {
  readonly title: string;
  readonly unit: string;
  readonly series: Readonly<Record<string, { readonly title: string; readonly color: string }>>;
  readonly usage: UsageView | undefined;
}

function Chart({ title, unit, series, usage }: ChartProps) {
  const points = usage?.points ?? [];
  const steps = points.map(({ at }) => new Date(at));
  const any = points.some(({ counts }) => Object.keys(series).some((name) => (counts[name] ?? 0) > 0));
  return (
    <Container header={<Header variant="h2">{title}</Header>}>
      <TimeChart
        title={title}
        unit={unit}
        step={usage?.step ?? 'hour'}
        steps={steps}
        series={
          any
            ? Object.entries(series).map(([name, look]) => ({
                ...look,
                data: points.map(({ counts }, index) => ({
                  x: steps[index] ?? new Date(0),
                  y: counts[name] ?? 0,
                })),
              }))
            : []
        }
        isLoading={usage === undefined}
      />
    </Container>
  );
}
