/** Usage: what all clients sent in a period, what became of it, what it cost, and which clients sent the most. */
import Button from '@cloudscape-design/components/button';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation } from '@tanstack/react-query';
import type { UsageList, UsageSummary } from '../../../shared/admin/usage.ts';
import { usageCsv } from '../../../shared/admin/usage-csv.ts';
import type { Interval } from '../../../shared/usage/period.ts';
import { useResponse } from '../../api/queries.ts';
import { ChoiceField } from '../../components/choice-field.tsx';
import { ClientLink } from '../../components/client-name.tsx';
import { type Column, csvOnly } from '../../components/columns.ts';
import { downloadCsv } from '../../components/download.ts';
import { List } from '../../components/list.tsx';
import { Loaded, LoadFailure } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { PeriodChoice, usePeriod } from '../../components/period-choice.tsx';
import { Section } from '../../components/section.tsx';
import TimeChart from '../../components/time-chart.tsx';
import { Totals } from '../../components/totals.tsx';
import { useDashboard } from '../../context.ts';
import { linkTo, useListState } from '../../route.ts';
import { numberText, percent } from '../../value-names.ts';
import { stepsOf, timesAt, type UsagePeriod, usagePeriods } from './usage-period.ts';
import { groupTitle, seriesOf, type UsageGroup, usageGroups } from './usage-series.ts';

export default function UsagePage() {
  const period = usePeriod(usagePeriods, 'month');
  const summary = useResponse(
    'summarizeUsage',
    {},
    { period },
    {
      sent: () => {
        const { interval, since } = timesAt(period, new Date());
        return { interval, at: since.toISOString() };
      },
    },
  );
  const { data } = summary;
  return (
    <Page
      title="Usage"
      description="Of all clients, by the UTC time at which messages were accepted. Counted within about a minute."
      actions={<PeriodChoice queries={[summary]} periods={usagePeriods} selected={period} />}
    >
      <Loaded query={summary}>
        {(loaded) => (
          <SpaceBetween size="l">
            <Section title="Totals">
              <Totals columns={3} totals={totalsOf(loaded)} />
            </Section>
            <Charts period={period} names={namesIn(data)} />
            <List<ClientSums>
              title="Top clients"
              columns={clientColumns(loaded.currency)}
              rows={loaded.top_clients}
              empty="No messages in this period."
              idOf={({ client_id }) => client_id}
              csvName={`top-clients-${period}`}
            />
            <List<ErrorCode>
              title="Top error codes"
              columns={errorColumns(loaded)}
              rows={loaded.error_codes}
              empty="No message of this period has an error."
              idOf={({ error_code }) => error_code}
              csvName={`error-codes-${period}`}
            />
          </SpaceBetween>
        )}
      </Loaded>
    </Page>
  );
}

type ClientSums = UsageSummary['top_clients'][number];
type ErrorCode = UsageSummary['error_codes'][number];

function namesIn(summary: UsageSummary | undefined): ReadonlyMap<string, string> {
  return new Map(
    summary?.top_clients.flatMap(({ client_id, name }) => (name === null ? [] : [[client_id, name]])),
  );
}

function totalsOf({ total, currency }: UsageSummary) {
  return [
    { label: 'Messages', value: numberText(total?.messages ?? 0) },
    { label: 'SMS segments', value: numberText(total?.segments ?? 0) },
    { label: 'Delivery rate', value: percent(total?.delivery_rate) },
    { label: 'Failed', value: numberText(total?.failed ?? 0) },
    {
      label: 'Cost',
      value: total === null ? '–' : costText(total, currency),
      note: total?.estimated === true ? 'partly estimated' : undefined,
    },
  ];
}

function costText(
  { cost, other_costs = {} }: Pick<ClientSums, 'cost' | 'other_costs'>,
  currency: string,
): string {
  return [[currency, cost] as const, ...Object.entries(other_costs)]
    .map(([code, amount]) => amountText(amount, code))
    .join(' + ');
}

/** `USD 0.0042`: prices of messages have up to five decimals. */
function amountText(amount: number, currency: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: amount < 1 ? 5 : 2 };
  return `${currency} ${amount.toLocaleString('en', digits)}`;
}

const clientColumns = (currency: string): readonly Column<ClientSums>[] => [
  {
    title: 'Client',
    field: 'client_id',
    minWidth: 200,
    cell: ({ client_id, name }) => (
      <ClientLink id={client_id} name={name} to={linkTo('messages', undefined, { client_id })} />
    ),
    csv: { name: ({ name }) => name },
  },
  { title: 'Messages', field: 'messages', minWidth: 110 },
  {
    title: 'Delivery rate',
    field: 'delivery_rate',
    minWidth: 110,
    cell: ({ delivery_rate }) => percent(delivery_rate),
  },
  { title: 'Failed', field: 'failed', minWidth: 90 },
  {
    title: 'Cost',
    field: 'cost',
    minWidth: 140,
    cell: (sums) => `${costText(sums, currency)}${sums.estimated ? ' (partly estimated)' : ''}`,
  },
  ...csvOnly<ClientSums>('segments'),
];

const errorColumns = ({ from: since, to: until }: UsageSummary): readonly Column<ErrorCode>[] => [
  {
    title: 'Code',
    field: 'error_code',
    minWidth: 170,
    cell: ({ error_code }) => (
      <span className="id">
        <Link href={linkTo('messages', undefined, { error_code, since, until })}>{error_code}</Link>
      </span>
    ),
  },
  { title: 'Meaning', field: 'meaning', minWidth: 240 },
  { title: 'Messages', field: 'messages', minWidth: 110 },
];

interface ChartsProps {
  readonly period: UsagePeriod;
  readonly names: ReadonlyMap<string, string>;
}

function Charts({ period, names }: ChartsProps) {
  const { filter, change } = useListState();
  const group = usageGroups.find(({ value }) => value === filter('by')) ?? usageGroups[1];
  const grouped = useUsage(period, group.value);
  const byChannel = useUsage(period, 'channel');
  const times = timesAt(period, new Date());
  const steps = stepsOf(times);
  const currency = byChannel.data?.currency ?? '';
  const title = (by: UsageGroup) => (entry: UsageList['usage'][number]) => groupTitle(entry, by, names);
  const common = { step: times.step, steps };
  return (
    <SpaceBetween size="l">
      <LoadFailure query={grouped} />
      {group.value === 'channel' ? null : <LoadFailure query={byChannel} />}
      <Section title="Messages" actions={<UsageDownloads period={period} by={group.value} />}>
        <SpaceBetween size="m">
          <ChoiceField
            label="Group by"
            value={group.value}
            options={usageGroups}
            onChange={(value) => change({ by: value })}
          />
          <TimeChart
            {...common}
            title="Messages"
            unit="Messages"
            series={seriesOf(grouped.data?.usage ?? [], steps, title(group.value), (one) => one.messages)}
            query={grouped}
          />
        </SpaceBetween>
      </Section>
      <Section title="Cost by channel">
        <TimeChart
          {...common}
          title="Cost by channel"
          unit={`Cost in ${currency}`}
          series={seriesOf(byChannel.data?.usage ?? [], steps, title('channel'), (one) => one.cost)}
          text={(value) => amountText(value, currency)}
          query={byChannel}
        />
      </Section>
    </SpaceBetween>
  );
}

/** The lines of a CSV file: an invoice has one for each month, a chart one for each of its bars. */
const csvIntervals = {
  today: ['hour', 'day'],
  week: ['day'],
  month: ['day', 'month'],
  last_month: ['day', 'month'],
} as const satisfies Record<UsagePeriod, readonly Interval[]>;

function UsageDownloads({ period, by }: { readonly period: UsagePeriod; readonly by: string }) {
  const { api } = useDashboard();
  const load = useMutation({
    mutationFn: async (interval: Interval) => {
      const { since, until } = timesAt(period, new Date());
      const times = { since: since.toISOString(), until: until.toISOString() };
      return api.get('listUsage', {}, { ...times, interval, group_by: by });
    },
    onSuccess: (usage, interval) => downloadCsv(`usage-${period}-${by}-by-${interval}.csv`, usageCsv(usage)),
  });
  return (
    <SpaceBetween direction="horizontal" size="xs">
      {csvIntervals[period].map((interval) => (
        <Button
          key={interval}
          iconName="download"
          loading={load.isPending && load.variables === interval}
          onClick={() => load.mutate(interval)}
        >
          {`CSV by ${interval}`}
        </Button>
      ))}
    </SpaceBetween>
  );
}

function useUsage(period: UsagePeriod, by: UsageGroup) {
  return useResponse(
    'listUsage',
    {},
    { period, by },
    {
      sent: () => {
        const { since, until, step } = timesAt(period, new Date());
        return { since: since.toISOString(), until: until.toISOString(), interval: step, group_by: by };
      },
    },
  );
}
