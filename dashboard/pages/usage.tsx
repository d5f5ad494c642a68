/** Usage in a period: sent messages, their results and cost, and the clients that sent the most. */

import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation } from '@tanstack/react-query';
import type { ResponseOf, RowOf } from '../../shared/admin/http/admin-operations.ts';
import { type UsageList, usageCsv } from '../../shared/usage/usage-csv.ts';
import { useResponse } from '../api/queries.ts';
import { ClientLink } from '../components/client-name.tsx';
import type { Column } from '../components/columns.ts';
import { ChoiceField } from '../components/form-fields.tsx';
import { List } from '../components/list.tsx';
import { Loaded, LoadFailure } from '../components/loaded.tsx';
import { Page, Section, Totals } from '../components/page.tsx';
import { PeriodChoice, usePeriod } from '../components/period-choice.tsx';
import TimeChart from '../components/time-chart.tsx';
import { iso, periods, stepsOf, timesAt, type UsagePeriod } from '../components/usage-period.ts';
import { groupTitle, seriesOf, usageGroups } from '../components/usage-series.ts';
import { useDashboard } from '../dashboard-context.ts';
import { linkTo, useListState } from '../route.ts';
import { numberText, percent } from '../value-names.ts';

export default function UsagePage() {
  const period = usePeriod(periods, 'month');
  const sent = () => {
    const { interval, since } = timesAt(period, new Date());
    return { interval, at: since.toISOString() };
  };
  const summary = useResponse('summarizeUsage', {}, { period }, { sent });
  return (
    <Page
      title="Usage"
      description="Of all clients, by the UTC time at which messages were accepted. Counted within about a minute."
      actions={<PeriodChoice queries={[summary]} periods={periods} selected={period} />}
    >
      <Loaded query={summary}>
        {(loaded) => (
          <SpaceBetween size="l">
            <Totals columns={3} totals={totalsOf(loaded)} />
            <Charts period={period} names={namesIn(loaded)} />
            <List<ClientSums>
              title="Top clients"
              columns={clientColumns(loaded.currency)}
              rows={loaded.top_clients}
              empty="No messages in this period."
              idOf={({ client_id }) => client_id}
            />
            <List<ErrorCode>
              title="Top error codes"
              columns={errorColumns(loaded)}
              rows={loaded.error_codes}
              empty="No message of this period has an error."
              idOf={({ error_code }) => error_code}
            />
          </SpaceBetween>
        )}
      </Loaded>
    </Page>
  );
}

type ClientSums = RowOf<'summarizeUsage', 'top_clients'>;
type ErrorCode = RowOf<'summarizeUsage', 'error_codes'>;

function namesIn({ top_clients }: ResponseOf<'summarizeUsage'>): ReadonlyMap<string, string> {
  return new Map(top_clients.flatMap(({ client_id, name }) => (name === null ? [] : [[client_id, name]])));
}

function totalsOf({ total, currency }: ResponseOf<'summarizeUsage'>) {
  return [
    { label: 'Messages', value: numberText(total?.messages ?? 0) },
    { label: 'SMS segments', value: numberText(total?.segments ?? 0) },
    {
      label: 'Avoidable SMS segments',
      value: numberText(total?.avoidable_segments ?? 0),
      note: total === null ? undefined : `${amountText(total.avoidable_cost, currency)} of the cost`,
    },
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
  { cost, other_costs = {} }: { cost: number; other_costs?: ClientSums['other_costs'] },
  currency: string,
): string {
  return [[currency, cost] as const, ...Object.entries(other_costs)]
    .map(([code, amount]) => amountText(amount, code))
    .join(' + ');
}

/** Formats an amount (`USD 0.0042`). Prices of messages have up to five decimals. */
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
  },
  { title: 'Messages', field: 'messages', minWidth: 110 },
  {
    title: 'Delivery rate',
    field: 'delivery_rate',
    minWidth: 110,
    cell: (row) => percent(row.delivery_rate),
  },
  { title: 'Failed', field: 'failed', minWidth: 90 },
  {
    title: 'Avoidable segments',
    field: 'avoidable_segments',
    minWidth: 140,
    cell: ({ avoidable_segments: segments, avoidable_cost: cost }) =>
      segments === 0 ? '0' : `${numberText(segments)} (${amountText(cost, currency)})`,
  },
  {
    title: 'Cost',
    field: 'cost',
    minWidth: 140,
    cell: (sums) => `${costText(sums, currency)}${sums.estimated ? ' (partly estimated)' : ''}`,
  },
];

const errorColumns = ({
  from: since,
  to: until,
}: ResponseOf<'summarizeUsage'>): readonly Column<ErrorCode>[] => [
  {
    title: 'Code',
    field: 'error_code',
    minWidth: 170,
    link: ({ error_code }) => linkTo('messages', undefined, { error_code, since, until }),
  },
  { title: 'Meaning', field: 'meaning', minWidth: 240 },
  { title: 'Messages', field: 'messages', minWidth: 110 },
];

function Charts({ period, names }: { period: UsagePeriod; names: ReadonlyMap<string, string> }) {
  const { filter, change } = useListState();
  const group = usageGroups.find(({ value }) => value === filter('by')) ?? usageGroups[1];
  const grouped = useUsage(period, group.value);
  const byChannel = useUsage(period, 'channel');
  const times = timesAt(period, new Date());
  const steps = stepsOf(times);
  const currency = byChannel.data?.currency ?? '';
  const title = (by: (typeof usageGroups)[number]['value']) => (entry: UsageList['usage'][number]) =>
    groupTitle(entry, by, names);
  const common = { step: times.step, steps };
  return (
    <SpaceBetween size="l">
      <LoadFailure query={grouped} />
      {group.value === 'channel' ? null : <LoadFailure query={byChannel} />}
      <Section title="Messages" actions={<UsageDownload period={period} by={group.value} />}>
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

/** Saves the usage of the period as a CSV file, by month (for invoices), or by the day of a shorter period. */
function UsageDownload({ period, by }: { readonly period: UsagePeriod; readonly by: string }) {
  const { api } = useDashboard();
  const { interval, ...times } = timesAt(period, new Date());
  const load = useMutation({
    mutationFn: () =>
      api.get(
        'listUsage',
        {},
        { ...iso(times), interval: interval === 'month' ? interval : 'day', group_by: by },
      ),
    onSuccess: (usage) => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([`${usageCsv(usage)}\n`], { type: 'text/csv;charset=utf-8' }));
      link.download = `usage-${period}-${by}.csv`;
      link.click();
      URL.revokeObjectURL(link.href);
    },
  });
  return (
    <Button iconName="download" loading={load.isPending} onClick={() => load.mutate()}>
      CSV
    </Button>
  );
}

function useUsage(period: UsagePeriod, by: string) {
  const sent = () => {
    const times = timesAt(period, new Date());
    return { ...iso(times), interval: times.step, group_by: by };
  };
  return useResponse('listUsage', {}, { period, by }, { sent });
}
