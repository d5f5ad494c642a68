/** Overview: messages by state and webhook attempts in the last day, week or month. */
import BarChart from '@cloudscape-design/components/bar-chart';
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { UsageView } from '../../shared/admin/usage.ts';
import { useAnswer } from '../api/queries.ts';
import { LoadFailure, Refresh } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { useListState } from '../route.ts';

/** Distinguishable in light and dark mode, and with red-green colour blindness. */
const colours = { good: '#2ea597', better: '#688ae8', bad: '#c33d69', doubtful: '#e07f9d' } as const;

const messageSeries = {
  messages_delivered: { title: 'delivered', color: colours.good },
  messages_read: { title: 'read', color: colours.better },
  messages_failed: { title: 'failed', color: colours.bad },
  messages_expired: { title: 'expired', color: colours.doubtful },
} as const;
const webhookSeries = {
  webhooks_acknowledged: { title: 'acknowledged', color: colours.good },
  webhooks_retry_scheduled: { title: 'retry scheduled', color: colours.doubtful },
  webhooks_failed: { title: 'failed', color: colours.bad },
} as const;

const periods = [
  { id: 'day', text: 'Day' },
  { id: 'week', text: 'Week' },
  { id: 'month', text: 'Month' },
];

export default function OverviewPage() {
  const { query: asked, change } = useListState();
  const span = periods.find(({ id }) => id === asked.get('span'))?.id ?? 'day';
  const query = useAnswer<'showUsage'>('/usage', { span });
  const usage = query.data;
  return (
    <Page
      title="Overview"
      description="Messages by the time of their acceptance; webhook attempts are approximate."
      actions={
        <SpaceBetween direction="horizontal" size="xs" alignItems="end">
          <Refresh query={query} />
          <SegmentedControl
            label="Period"
            selectedId={span}
            options={periods}
            onChange={({ detail }) => change({ span: detail.selectedId })}
          />
        </SpaceBetween>
      }
    >
      <SpaceBetween size="l">
        <LoadFailure query={query} />
        <Container header={<Header variant="h2">Totals</Header>}>
          <Totals totals={usage?.totals} />
        </Container>
        <Chart title="Messages by status" series={messageSeries} usage={usage} loading={query.isFetching} />
        <Chart title="Webhook attempts" series={webhookSeries} usage={usage} loading={query.isFetching} />
      </SpaceBetween>
    </Page>
  );
}

function Totals({ totals = {} }: { readonly totals: UsageView['totals'] | undefined }) {
  const of = (name: string): number => totals[name] ?? 0;
  const attempts = Object.keys(webhookSeries).reduce((sum, name) => sum + of(name), 0);
  const success =
    attempts === 0 ? '–' : `${Math.round((of('webhooks_acknowledged') / attempts) * 1000) / 10} %`;
  return (
    <KeyValuePairs
      columns={4}
      items={[
        { label: 'Messages accepted', value: <Total value={of('messages_accepted').toLocaleString()} /> },
        { label: 'Messages delivered', value: <Total value={of('messages_delivered').toLocaleString()} /> },
        {
          label: 'Messages failed or expired',
          value: <Total value={(of('messages_failed') + of('messages_expired')).toLocaleString()} />,
        },
        { label: 'Webhook success rate', value: <Total value={success} /> },
      ]}
    />
  );
}

function Total({ value }: { readonly value: string }) {
  return (
    <Box variant="span" fontSize="heading-xl" fontWeight="bold">
      {value}
    </Box>
  );
}

interface ChartProps {
  readonly title: string;
  readonly series: Readonly<Record<string, { readonly title: string; readonly color: string }>>;
  readonly usage: UsageView | undefined;
  readonly loading: boolean;
}

function Chart({ title, series, usage, loading }: ChartProps) {
  const step = usage?.step ?? 'hour';
  const points = usage?.points ?? [];
  const any = points.some(({ counts }) => Object.keys(series).some((name) => (counts[name] ?? 0) > 0));
  const label = (at: Date): string =>
    at.toLocaleString(
      undefined,
      step === 'hour' ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' },
    );
  return (
    <Container header={<Header variant="h2">{title}</Header>}>
      <BarChart<Date>
        ariaLabel={title}
        stackedBars
        height={240}
        hideFilter
        xScaleType="categorical"
        xDomain={points.map(({ at }) => new Date(at))}
        series={
          any
            ? Object.entries(series).map(([name, look]) => ({
                ...look,
                type: 'bar' as const,
                data: points.map(({ at, counts }) => ({ x: new Date(at), y: counts[name] ?? 0 })),
              }))
            : []
        }
        i18nStrings={{ xTickFormatter: label }}
        xTitle={step === 'hour' ? 'Hour' : 'Day (UTC)'}
        yTitle="Count"
        statusType={loading && usage === undefined ? 'loading' : 'finished'}
        loadingText="Loading"
        empty={<Box textAlign="center">Nothing here yet: no data for this period.</Box>}
      />
    </Container>
  );
}
