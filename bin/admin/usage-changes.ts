/** The change of usage against the time before, as a table and as CSV. */

import { groupColumns } from '../../shared/admin/csv-columns.ts';
import type { UsageChange, UsageComparison } from '../../shared/admin/usage-change.ts';
import { csvTable } from '../../shared/platform/csv.ts';
import { textTable } from './print.ts';

export function changesTable(compared: UsageComparison): string {
  const { from, to, before_from, before_to, currency, changes, left_out } = compared;
  const table = textTable(
    changes,
    [
      ...groupColumns.filter((name) => changes.some((change) => name in change)),
      ['messages', ({ now }) => now.messages],
      ['before', ({ before }) => before.messages],
      ['change', changeText],
      ['failed', ({ now }) => percentText(now.failed, now.messages)],
      ['before', ({ before }) => percentText(before.failed, before.messages)],
      [`cost ${currency}`, ({ now }) => now.cost],
      ['before', ({ before }) => before.cost],
      ['abnormal', ({ abnormal }) => abnormal.join(', ') || null],
    ],
    'No messages in either period.',
  );
  return `${timesText(from, to)}, compared with ${timesText(before_from, before_to)}${left_out === null ? '' : `\n${left_out}`}\n\n${table}`;
}

export function changesCsv({ from, to, before_from, before_to, currency, changes }: UsageComparison): string {
  const sums = ['messages', 'delivered', 'failed', 'cost'] as const;
  return csvTable(
    [
      'from',
      'to',
      'before_from',
      'before_to',
      ...groupColumns,
      ...sums,
      ...sums.map((name) => `${name}_before`),
      'currency',
      'factor',
      'abnormal',
    ],
    changes.map((change) => [
      from,
      to,
      before_from,
      before_to,
      ...groupColumns.map((name) => change[name]),
      ...sums.map((name) => change.now[name]),
      ...sums.map((name) => change.before[name]),
      currency,
      change.factor,
      change.abnormal.join(', '),
    ]),
  );
}

function timesText(from: string, to: string): string {
  return `${minuteText(from)} to ${minuteText(to)} UTC`;
}

const minuteText = (time: string): string => time.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ');

/** `+50 %`, or `×3.2` where that says more. */
function changeText({ factor, now }: UsageChange): string {
  if (factor === null) return now.messages === 0 ? '-' : 'new';
  if (factor >= 2) return `×${factor.toFixed(1)}`;
  const percent = Math.round((factor - 1) * 100);
  return `${percent > 0 ? '+' : ''}${percent} %`;
}

function percentText(part: number, whole: number): string | null {
  return whole === 0 ? null : `${Math.round((part / whole) * 100)} %`;
}
