/** Usage: what all clients sent in a period, what became of it, what it cost, and who sent the most. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { UsageList, UsageSummary } from '../../../shared/admin/usage.ts';
import { usageCsv } from '../../../shared/admin/usage-csv.ts';
import { useAnswer } from '../../api/queries.ts';
import { ChoiceField } from '../../components/choice-field.tsx';
import { type CsvColumns, downloadCsv } from '../../components/download.ts';
import { type Column, List } from '../../components/list.tsx';
import { Loaded, LoadFailure } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { PeriodChoice, usePeriod } from '../../components/period-choice.tsx';
import TimeChart from '../../components/time-chart.tsx';
import { Total } from '../../components/total.tsx';
import { linkTo, useListState } from '../../route.ts';
import { percent } from '../../value-names.ts';
import { stepsOf, timesAt, type UsagePeriod, usagePeriods } from './usage-period.ts';
import { groupTitle, seriesOf, type UsageGroup, usageGroups } from './usage-series.ts';

export default function UsagePage() {
  const period = usePeriod(usagePeriods, 'month');
  const summary = useAnswer(
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
            <Container header={<Header variant="h2">Totals</Header>}>
              <Totals summary={loaded} />
            </Container>
            <Charts period={period} names={namesIn(data)} />
            <List<Sender>
              title="Top senders"
              columns={senderColumns(loaded.currency)}
              rows={loaded.top_senders}
              empty="No messages in this period."
              idOf={({ client_id }) => client_id}
              csv={{ name: `top-senders-${period}`, columns: senderCsv }}
            />
            <List<ErrorCode>
              title="Top error codes"
              columns={errorColumns(loaded)}
              rows={loaded.error_codes}
              empty="No message of this period has an error."
              idOf={({ error_code }) => error_code}
              csv={{ name: `error-codes-${period}`, columns: errorCsv }}
            />
          </SpaceBetween>
        )}
      </Loaded>
    </Page>
  );
}

type Sender = UsageSummary['top_senders'][number];
type ErrorCode = UsageSummary['error_codes'][number];

function namesIn(summary: UsageSummary | undefined): ReadonlyMap<string, string> {
  return new Map(
    summary?.top_senders.flatMap(({ client_id, name }) => (name === null ? [] : [[client_id, name]])),
  );
}

function Totals({ summary: { total, currency } }: { readonly summary: UsageSummary }) {
  const count = (value = 0) => <Total value={value.toLocaleString()} />;
  return (
    <KeyValuePairs
      columns={3}
      items={[
        { label: 'Messages', value: count(total?.messages) },
        { label: 'SMS segments', value: count(total?.segments) },
        { label: 'Delivery rate', value: <Total value={percent(total?.delivery_rate)} /> },
        { label: 'Failed', value: count(total?.failed) },
        {
          label: 'Cost',
          value: total === null ? <Total value="–" /> : <Cost of={total} {...{ currency }} />,
        },
      ]}
    />
  );
}

interface CostProps {
  readonly of: Pick<Sender, 'cost' | 'other_costs' | 'estimated'>;
  readonly currency: string;
}

function Cost({ of, currency }: CostProps) {
  return (
    <>
      <Total value={costText(of, currency)} />
      {of.estimated ? <Box color="text-body-secondary">partly estimated</Box> : null}
    </>
  );
}

function costText({ cost, other_costs = {} }: CostProps['of'], currency: string): string {
  return [[currency, cost] as const, ...Object.entries(other_costs)]
    .map(([code, amount]) => amountText(amount, code))
    .join(' + ');
}

/** `USD 0.0042`: prices of messages have up to five decimals. */
function amountText(amount: number, currency: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: amount < 1 ? 5 : 2 };
  return `${currency} ${amount.toLocaleString(undefined, digits)}`;
}

function senderColumns(currency: string): readonly Column<Sender>[] {
  return [
    {
      id: 'client',
      header: 'Client',
      minWidth: 200,
      isRowHeader: true,
      cell: ({ client_id, name }) => (
        <>
          <Link href={linkTo('messages', undefined, { client_id })}>{name ?? client_id}</Link>
          {name === null ? null : (
            <Box color="text-body-secondary" fontSize="body-s">
              <span className="id">{client_id}</span>
            </Box>
          )}
        </>
      ),
    },
    {
      id: 'messages',
      header: 'Messages',
      minWidth: 110,
      cell: ({ messages }) => messages.toLocaleString(),
    },
    {
      id: 'delivered',
      header: 'Delivery rate',
      minWidth: 110,
      cell: ({ delivery_rate }) => percent(delivery_rate),
    },
    { id: 'failed', header: 'Failed', minWidth: 90, cell: ({ failed }) => failed.toLocaleString() },
    {
      id: 'cost',
      header: 'Cost',
      minWidth: 140,
      cell: (sender) => `${costText(sender, currency)}${sender.estimated ? ' (partly estimated)' : ''}`,
    },
  ];
}

const errorColumns = ({ from: since, to: until }: UsageSummary): readonly Column<ErrorCode>[] => [
  {
    id: 'code',
    header: 'Code',
    minWidth: 170,
    isRowHeader: true,
    cell: ({ error_code }) => (
      <span className="id">
        <Link href={linkTo('messages', undefined, { error_code, since, until })}>{error_code}</Link>
      </span>
    ),
  },
  { id: 'meaning', header: 'Meaning', minWidth: 240, cell: ({ meaning }) => meaning ?? '–' },
  { id: 'messages', header: 'Messages', minWidth: 110, cell: ({ messages }) => messages.toLocaleString() },
];

const senderCsv = {
  client_id: (sender) => sender.client_id,
  name: (sender) => sender.name,
  messages: (sender) => sender.messages,
  segments: (sender) => sender.segments,
  delivery_rate: (sender) => sender.delivery_rate,
  failed: (sender) => sender.failed,
  cost: (sender) => sender.cost,
} as const satisfies CsvColumns<Sender>;

const errorCsv = {
  error_code: (error) => error.error_code,
  meaning: (error) => error.meaning,
  messages: (error) => error.messages,
} as const satisfies CsvColumns<ErrorCode>;

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
    <>
      <LoadFailure query={grouped} />
      <Container
        header={
          <Header
            variant="h2"
            actions={
              <Button
                iconName="download"
                disabled={grouped.data === undefined}
                onClick={() => {
                  if (grouped.data !== undefined)
                    downloadCsv(`usage-${period}-${group.value}.csv`, usageCsv(grouped.data));
                }}
              >
                Download CSV
              </Button>
            }
          >
            Messages
          </Header>
        }
      >
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
            isLoading={grouped.isPending}
          />
        </SpaceBetween>
      </Container>
      <Container header={<Header variant="h2">Cost by channel</Header>}>
        <TimeChart
          {...common}
          title="Cost by channel"
          unit={`Cost in ${currency}`}
          series={seriesOf(byChannel.data?.usage ?? [], steps, title('channel'), (one) => one.cost)}
          text={(value) => amountText(value, currency)}
          isLoading={byChannel.isPending}
        />
      </Container>
    </>
  );
}

function useUsage(period: UsagePeriod, by: UsageGroup) {
  return useAnswer(
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
