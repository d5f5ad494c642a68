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
import { iso, stepsOf, timesOfLast, type UsageTimes } from '../../components/usage-period.ts';
import { valuesOf } from '../../components/usage-series.ts';
import { linkTo } from '../../route.ts';
import { nameOf, numberText, percent } from '../../value-names.ts';
import { NeedsAttention } from './needs-attention.tsx';

const TimeChart = lazy(() => import('../../components/time-chart.tsx'));

/** `last`: the same period as a filter of lists. */
const periods = [
  { id: 'day', text: 'Last 24 hours', last: '24-hour', step: 'hour', steps: 24 },
  { id: 'week', text: 'Last 7 days', last: '7-day', step: 'day', steps: 7 },
  { id: 'month', text: 'Last 30 days', last: '30-day', step: 'day', steps: 30 },
] as const;

export function OverviewPage() {
  const span = usePeriod(periods, 'day');
  const period = periods.find(({ id }) => id === span) ?? periods[0];
  const sent = () => ({ ...iso(timesOfLast(period)), interval: period.step, group_by: 'status' });
  const usage = useResponse('listUsage', {}, { span }, { sent });
  const today = useResponse('summarizeUsage', {}, { interval: 'day' });
  // The response is expensive and changes slowly.
  const attention = useResponse('showAttention', {}, undefined, { refreshEveryMs: 60_000 });
  return (
    <Page
      title="Overview"
      description="Messages by the time of their acceptance."
      actions={<PeriodChoice queries={[usage, today, attention]} periods={periods} selected={span} />}
    >
      <SpaceBetween size="l">
        <LoadFailure query={usage} />
        <LoadFailure query={attention} />
        <NeedsAttention query={attention} />
        <Totals columns={4} totals={totalsOf(usage.data?.usage, period.last)} />
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
            <MessagesByStatus times={timesOfLast(period)} query={usage} />
          </RenderFailure>
        )}
      </SpaceBetween>
    </Page>
  );
}

/** @param last - the period, as a filter of lists */
function totalsOf(usage: ResponseOf<'listUsage'>['usage'] | undefined, last: string) {
  const count = (...statuses: readonly string[]): number =>
    (usage ?? [])
      .filter(({ status = '' }) => statuses.length === 0 || statuses.includes(status))
      .reduce((sum, { messages }) => sum + messages, 0);
  const text = (amount: number): string => (usage === undefined ? '–' : numberText(amount));
  const delivered = count('delivered', 'read');
  const finished = delivered + count('failed', 'expired');
  const messages = (status: string): string => linkTo('messages', undefined, { status, last });
  return [
    { label: 'Messages accepted', value: text(count()), href: linkTo('usage') },
    {
      label: 'Delivery rate',
      value: percent(finished === 0 ? null : delivered / finished),
      href: messages('delivered'),
    },
    { label: 'Messages failed', value: text(count('failed')), href: messages('failed') },
    { label: 'Messages expired', value: text(count('expired')), href: messages('expired') },
  ];
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

const statusColours = [
  ['delivered', colours.good],
  ['read', colours.better],
  ['failed', colours.bad],
  ['expired', colours.doubtful],
] as const;

function MessagesByStatus({
  times,
  query,
}: {
  readonly times: UsageTimes;
  readonly query: UseQueryResult<ResponseOf<'listUsage'>>;
}) {
  const steps = stepsOf(times);
  const byStatus = Map.groupBy(query.data?.usage ?? [], ({ status }) => status);
  return (
    <Section title="Messages by status">
      <TimeChart
        title="Messages by status"
        unit="Messages"
        step={times.step}
        steps={steps}
        series={statusColours.map(([status, color]) => ({
          title: nameOf(status),
          color,
          values: valuesOf(byStatus.get(status) ?? [], steps, ({ messages }) => messages),
        }))}
        query={query}
      />
    </Section>
  );
}
