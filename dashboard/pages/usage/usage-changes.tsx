/** How the usage of a time differs from that of the time before, by group: the largest change first, abnormal ones marked. */
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { UsageChange, UsageComparison } from '../../../shared/admin/usage-change.ts';
import { useResponse } from '../../api/queries.ts';
import { ClientLink } from '../../components/client-name.tsx';
import type { Column } from '../../components/columns.ts';
import { List } from '../../components/list.tsx';
import { nameOf, numberText, percent } from '../../value-names.ts';
import { type Chosen, iso, timesOf } from './usage-period.ts';
import { groupTitle, type UsageGroup } from './usage-series.ts';

export function UsageChanges({ by, chosen }: { readonly by: UsageGroup; readonly chosen: Chosen }) {
  const sent = () => ({ ...iso(timesOf(chosen)), group_by: by });
  const query = useResponse('compareUsage', {}, { ...chosen, by }, { sent });
  const { data } = query;
  return (
    <List<UsageChange>
      title="Change against the time before"
      description={data === undefined ? undefined : comparedText(data)}
      columns={columnsOf(by)}
      rows={data?.changes}
      query={query}
      csvName={`usage-changes-by-${by}`}
      empty="No messages in either period."
      idOf={(change) => titleOf(change, by)}
    />
  );
}

function titleOf(change: UsageChange, by: UsageGroup): string {
  return groupTitle(change, by, new Map());
}

const minuteText = (time: string): string => time.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ');

function comparedText({ from, to, before_from, before_to, left_out }: UsageComparison): string {
  return `${minuteText(from)} to ${minuteText(to)}, compared with ${minuteText(before_from)} to ${minuteText(before_to)} (UTC). ${left_out ?? ''}`;
}

/** `+50 %`, or `×3.2` where that says more. */
function changeText({ factor, now }: UsageChange): string {
  if (factor === null) return now.messages === 0 ? '–' : 'new';
  if (factor >= 2) return `×${factor.toFixed(1)}`;
  const change = Math.round((factor - 1) * 100);
  return `${change > 0 ? '+' : ''}${change} %`;
}

const shareOf = ({ messages, failed }: UsageChange['now']): string =>
  messages === 0 ? '–' : percent(failed / messages);

const columnsOf = (by: UsageGroup): readonly Column<UsageChange>[] => [
  {
    title: nameOf(by),
    minWidth: 170,
    cell: (change) =>
      by === 'client' ? (
        <ClientLink id={change.client_id} name={change.client_name ?? null} />
      ) : (
        titleOf(change, by)
      ),
    csv: {
      [by]: (change) => (by === 'client' ? change.client_id : change[by]),
      ...(by === 'client' ? { name: (change: UsageChange) => change.client_name } : {}),
    },
  },
  {
    title: 'Messages',
    minWidth: 100,
    cell: ({ now }) => numberText(now.messages),
    csv: { messages: ({ now }) => now.messages, messages_before: ({ before }) => before.messages },
  },
  { title: 'Before', minWidth: 90, cell: ({ before }) => numberText(before.messages) },
  { title: 'Change', minWidth: 90, cell: changeText, csv: { factor: ({ factor }) => factor } },
  {
    title: 'Failed',
    minWidth: 130,
    cell: ({ now, before }) => `${shareOf(now)} (before: ${shareOf(before)})`,
    csv: { failed: ({ now }) => now.failed, failed_before: ({ before }) => before.failed },
  },
  {
    title: 'Abnormal',
    minWidth: 170,
    cell: ({ abnormal }) =>
      abnormal.length === 0 ? '–' : <StatusIndicator type="warning">{abnormal.join(', ')}</StatusIndicator>,
    csv: { abnormal: ({ abnormal }) => abnormal.join(', ') },
  },
];
