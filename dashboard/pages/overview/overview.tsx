/** The first page: problems, and the numbers of sent and delivered messages. */

import SpaceBetween from '@cloudscape-design/components/space-between';
import type { UseQueryResult } from '@tanstack/react-query';
import { lazy } from 'react';
import type { ResponseOf } from '../../../shared/admin/http/admin-operations.ts';
import { useResponse } from '../../api/queries.ts';
import { LoadFailure } from '../../components/loaded.tsx';
import { Page, Section, Totals } from '../../components/page.tsx';
import { PeriodChoice, usePeriod } from '../../components/period-choice.tsx';
import { RenderFailure } from '../../components/render-failure.tsx';
import { iso, stepsOf, timesOfLast } from '../../components/usage-period.ts';
import { valuesOf } from '../../components/usage-series.ts';
import { linkTo } from '../../route.ts';
import { nameOf, numberText, percent } from '../../value-names.ts';
import { NeedsAttention } from './needs-attention.tsx';

const TimeChart = lazy(() => import('../../components/time-chart.tsx'));

/** `last` is the same period in the format of the lists' filter. */
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
  // This response is expensive and changes slowly.
  const attention = useResponse('showAttention', {}, undefined, { refreshEveryMs: 60_000 });
  return (
    <Page
      title="Overview"
      description="Messages by the time of their acceptance."
      actions={<PeriodChoice queries={[usage, attention]} periods={periods} selected={span} />}
    >
      <SpaceBetween size="l">
        <LoadFailure query={usage} />
        <LoadFailure query={attention} />
        <NeedsAttention query={attention} />
        <Totals columns={4} totals={totalsOf(usage.data?.usage, period.last)} />
        {/* The charts are loaded after the first rows, because their script would delay the rows. */}
        {usage.isPending ? null : (
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
    {
      label: 'Messages accepted',
      value: text(count()),
      href: linkTo('usage', undefined, { period: 'today' }),
    },
    {
      label: 'Delivery rate',
      value: percent(finished === 0 ? null : delivered / finished),
      href: messages('delivered'),
    },
    { label: 'Messages failed', value: text(count('failed')), href: messages('failed') },
    { label: 'Messages expired', value: text(count('expired')), href: messages('expired') },
  ];
}

/** These colors can be distinguished in light and dark mode, and with red-green color blindness. */
const statusColours = [
  ['delivered', '#2ea597'],
  ['read', '#688ae8'],
  ['failed', '#c33d69'],
  ['expired', '#e07f9d'],
] as const;

function MessagesByStatus({
  times,
  query,
}: {
  readonly times: ReturnType<typeof timesOfLast>;
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
