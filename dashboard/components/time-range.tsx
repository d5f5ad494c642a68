/** The filter of a time: `last` (`24-hour`), or `since` and `until`, in the address. */
import DateRangePicker, { type DateRangePickerProps } from '@cloudscape-design/components/date-range-picker';
import FormField from '@cloudscape-design/components/form-field';
import type { Query } from '../api/client.ts';
import { type ListState, useListState } from '../route.ts';

export function TimeRange() {
  const { filter, change } = useListState();
  return (
    <FormField label="Time">
      <DateRangePicker
        value={rangeOf(timesIn(filter))}
        placeholder="Any time"
        relativeOptions={[
          { key: 'hour', amount: 1, unit: 'hour', type: 'relative' },
          { key: 'day', amount: 24, unit: 'hour', type: 'relative' },
          { key: 'week', amount: 7, unit: 'day', type: 'relative' },
        ]}
        isValidRange={() => ({ valid: true })}
        onChange={({ detail }) => change(filtersOf(detail.value))}
      />
    </FormField>
  );
}

const secondsPerUnit = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
  year: 31_536_000,
} as const;

function filtersOf(range: DateRangePickerProps.Value | null): Times {
  const none = { last: '', since: '', until: '' };
  if (range === null) return none;
  if (range.type === 'relative') return { ...none, last: `${range.amount}-${range.unit}` };
  return {
    ...none,
    since: new Date(range.startDate).toISOString(),
    until: new Date(range.endDate).toISOString(),
  };
}

type Times = Readonly<Record<'last' | 'since' | 'until', string>>;

function rangeOf({ last, since, until }: Times): DateRangePickerProps.Value | null {
  const [, amount, unit = ''] = /^(\d{1,4})-([a-z]+)$/.exec(last) ?? [];
  if (Object.hasOwn(secondsPerUnit, unit)) {
    return { type: 'relative', amount: Number(amount), unit: unit as keyof typeof secondsPerUnit };
  }
  return since === '' || until === '' ? null : { type: 'absolute', startDate: since, endDate: until };
}

/** The filters of the address. */
export function timesIn(filter: ListState['filter']): Times {
  return { last: filter('last'), since: filter('since'), until: filter('until') };
}

/** With the time at which `last` begins, seen from now. */
export function withStart({ last, ...query }: Query): Query {
  const range = rangeOf({ last: last ?? '', since: '', until: '' });
  if (range?.type !== 'relative') return query;
  const seconds = range.amount * secondsPerUnit[range.unit];
  return { ...query, since: new Date(Date.now() - seconds * 1000).toISOString() };
}
