/** Usage as the series of a chart: the largest groups, and the sum of all others. */

import type { UsageList } from '../../shared/usage/usage-csv.ts';
import { channelNames, nameOf } from '../value-names.ts';
import type { Series } from './time-chart.tsx';

export const usageGroups = [
  { value: 'client', label: 'Client' },
  { value: 'channel', label: 'Channel' },
  { value: 'type', label: 'Type' },
  { value: 'country', label: 'Country' },
  { value: 'status', label: 'Status' },
] as const;

type Entry = UsageList['usage'][number];
/** With more series, the colours could not be distinguished. */
const seriesMax = 7;

export function seriesOf(
  usage: readonly Entry[],
  steps: readonly Date[],
  titleOf: (entry: Entry) => string,
  amountOf: (entry: Entry) => number,
): Series[] {
  const sum = (entries: readonly Entry[]): number => entries.reduce((all, one) => all + amountOf(one), 0);
  const groups = [...Map.groupBy(usage, titleOf)]
    .filter(([, entries]) => sum(entries) > 0)
    .toSorted(([, one], [, other]) => sum(other) - sum(one));
  const shown = groups.slice(0, seriesMax);
  const others = groups.slice(seriesMax).flatMap(([, entries]) => entries);
  return [...shown, ...(others.length === 0 ? [] : [['All others', others] as const])].map(
    ([title, entries]) => ({ title, values: valuesOf(entries, steps, amountOf) }),
  );
}

/** Returns the sum of the entries for each step. */
export function valuesOf(
  usage: readonly Entry[],
  steps: readonly Date[],
  amountOf: (entry: Entry) => number,
): number[] {
  const byTime = Map.groupBy(usage, ({ from }) => from);
  return steps.map((step) =>
    (byTime.get(step.toISOString()) ?? []).reduce((sum, entry) => sum + amountOf(entry), 0),
  );
}

const countries = new Intl.DisplayNames('en', { type: 'region' });

/** Returns the title of an entry's group. */
export function groupTitle(
  entry: Partial<Entry>,
  group: (typeof usageGroups)[number]['value'],
  names: ReadonlyMap<string, string>,
): string {
  if (group === 'client') {
    const id = entry.client_id ?? '';
    const name = names.get(id);
    // The id is added, because names are not unique.
    return name === undefined ? id : `${name} (${id.replace(/^client_/, '').slice(0, 4)}…)`;
  }
  if (group === 'channel') return entry.channel === undefined ? '' : channelNames[entry.channel];
  if (group === 'country') {
    const { country } = entry;
    if (country === null || country === undefined) return 'Unknown country';
    return /^([A-Z]{2}|\d{3})$/.test(country) ? (countries.of(country) ?? country) : country;
  }
  return nameOf(entry[group] ?? '');
}
