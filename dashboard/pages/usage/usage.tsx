/** Usage in a period: sent messages, their results and cost, and the clients that sent the most. */

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import DateRangePicker from '@cloudscape-design/components/date-range-picker';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation } from '@tanstack/react-query';
import type { ResponseOf, RowOf } from '../../../shared/admin/http/admin-operations.ts';
import type { Interval } from '../../../shared/usage/period.ts';
import { type UsageList, usageCsv } from '../../../shared/usage/usage-csv.ts';
import { useResponse } from '../../api/queries.ts';
import { ClientLink } from '../../components/client-name.tsx';
import { type Column, csvOnly } from '../../components/columns.ts';
import { downloadCsv } from '../../components/download.ts';
import { ChoiceField } from '../../components/form-fields.tsx';
import { List } from '../../components/list.tsx';
import { Loaded, LoadFailure } from '../../components/loaded.tsx';
import { Page, Section, Totals } from '../../components/page.tsx';
import { PeriodChoice, usePeriod } from '../../components/period-choice.tsx';
import TimeChart from '../../components/time-chart.tsx';
import {
  type Chosen,
  chosenDays,
  daysMax,
  iso,
  periods,
  stepsOf,
  timesOf,
  type UsageTimes,
} from '../../components/usage-period.ts';
import { groupTitle, seriesOf, usageGroups } from '../../components/usage-series.ts';
import { useDashboard } from '../../dashboard-context.ts';
import { linkTo, useListState } from '../../route.ts';
import { numberText, percent } from '../../value-names.ts';

export default function UsagePage() {
  const chosen = useChosen();
  const summary = useResponse('summarizeUsage', {}, chosen, {
    sent: () => {
      const { interval, since, until } = timesOf(chosen);
      return interval === undefined ? iso({ since, until }) : { interval, at: since.toISOString() };
    },
  });
  return (
    <Page
      title="Usage"
      description="Of all clients, by the UTC time at which messages were accepted. Counted within about a minute."
      actions={<PeriodChoice queries={[summary]} periods={periods} selected={chosen.period} />}
    >
      {chosen.period === chosenDays.id ? (
        <Box padding={{ bottom: 'm' }}>
          <DaysField />
        </Box>
      ) : null}
      <Loaded query={summary}>
        {(loaded) => (
          <SpaceBetween size="l">
            <Totals columns={3} totals={totalsOf(loaded)} />
            <Charts chosen={chosen} names={namesIn(loaded)} />
            <List<ClientSums>
              title="Top clients"
              columns={clientColumns(loaded.currency)}
              rows={loaded.top_clients}
              empty="No messages in this period."
              idOf={({ client_id }) => client_id}
              csvName={`top-clients-${chosen.period}`}
            />
            <List<ErrorCode>
              title="Top error codes"
              columns={errorColumns(loaded)}
              rows={loaded.error_codes}
              empty="No message of this period has an error."
              idOf={({ error_code }) => error_code}
              csvName={`error-codes-${chosen.period}`}
            />
          </SpaceBetween>
        )}
      </Loaded>
    </Page>
  );
}

/** Returns the period in the address. */
function useChosen(): Chosen {
  const { filter } = useListState();
  return { period: usePeriod(periods, 'month'), first: filter('first'), last_day: filter('last_day') };
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
    csv: { name: ({ name }) => name },
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
    title: 'Cost',
    field: 'cost',
    minWidth: 140,
    cell: (sums) => `${costText(sums, currency)}${sums.estimated ? ' (partly estimated)' : ''}`,
  },
  ...csvOnly<ClientSums>('segments'),
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

function Charts({ chosen, names }: { readonly chosen: Chosen; readonly names: ReadonlyMap<string, string> }) {
  const { filter, change } = useListState();
  const group = usageGroups.find(({ value }) => value === filter('by')) ?? usageGroups[1];
  const grouped = useUsage(chosen, group.value);
  const byChannel = useUsage(chosen, 'channel');
  const times = timesOf(chosen);
  const steps = stepsOf(times);
  const currency = byChannel.data?.currency ?? '';
  const title = (by: (typeof usageGroups)[number]['value']) => (entry: UsageList['usage'][number]) =>
    groupTitle(entry, by, names);
  const common = { step: times.step, steps };
  return (
    <SpaceBetween size="l">
      <LoadFailure query={grouped} />
      {group.value === 'channel' ? null : <LoadFailure query={byChannel} />}
      <Section title="Messages" actions={<UsageDownloads chosen={chosen} by={group.value} />}>
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

/** Returns the intervals of the CSV files: one for each month (for invoices), or for each bar of the chart. */
function csvIntervals({ interval, step }: UsageTimes): readonly Interval[] {
  if (step === 'hour') return ['hour', 'day'];
  return interval === 'week' ? ['day'] : ['day', 'month'];
}

function UsageDownloads({ chosen, by }: { readonly chosen: Chosen; readonly by: string }) {
  const { api } = useDashboard();
  const load = useMutation({
    mutationFn: async (interval: Interval) => {
      return api.get('listUsage', {}, { ...iso(timesOf(chosen)), interval, group_by: by });
    },
    onSuccess: (usage, interval) =>
      downloadCsv(`usage-${chosen.period}-${by}-by-${interval}.csv`, usageCsv(usage)),
  });
  return (
    <SpaceBetween direction="horizontal" size="xs">
      {csvIntervals(timesOf(chosen)).map((interval) => (
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

function useUsage(chosen: Chosen, by: string) {
  const sent = () => {
    const times = timesOf(chosen);
    return { ...iso(times), interval: times.step, group_by: by };
  };
  return useResponse('listUsage', {}, { ...chosen, by }, { sent });
}

/** The field for a range of days. Both are whole days in UTC. */
function DaysField() {
  const { filter, change } = useListState();
  const [first, last] = [filter('first'), filter('last_day')];
  return (
    <FormField label="Days (UTC)">
      <DateRangePicker
        value={first === '' ? null : { type: 'absolute', startDate: first, endDate: last }}
        placeholder="The last 7 days"
        rangeSelectorMode="absolute-only"
        dateOnly
        relativeOptions={[]}
        isValidRange={(range) => {
          if (range?.type !== 'absolute') return { valid: true };
          const days = (Date.parse(range.endDate) - Date.parse(range.startDate)) / 86_400_000 + 1;
          if (Number.isNaN(days)) return { valid: false, errorMessage: 'Choose the first and the last day.' };
          return days >= 1 && days <= daysMax
            ? { valid: true }
            : { valid: false, errorMessage: `Choose at most ${daysMax} days.` };
        }}
        onChange={({ detail: { value } }) =>
          change(
            value?.type === 'absolute'
              ? { first: value.startDate, last_day: value.endDate }
              : { first: '', last_day: '' },
          )
        }
      />
    </FormField>
  );
}
