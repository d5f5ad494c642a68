/** The time filter in the address: `last` (such as `24-hour`), or `since` and `until`. */
import type { DateRangePickerProps } from '@cloudscape-design/components/date-range-picker';

const secondsPerUnit = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
  year: 31_536_000,
} as const;

export function rangeOf({
  last = '',
  since = '',
  until = '',
}: {
  readonly last?: string;
  readonly since?: string;
  readonly until?: string;
}): DateRangePickerProps.Value | null {
  const [, amount, unit = ''] = /^(\d{1,4})-([a-z]+)$/.exec(last) ?? [];
  if (Object.hasOwn(secondsPerUnit, unit)) {
    return { type: 'relative', amount: Number(amount), unit: unit as keyof typeof secondsPerUnit };
  }
  return since === '' || until === '' ? null : { type: 'absolute', startDate: since, endDate: until };
}

export function timesOf(range: DateRangePickerProps.Value | null) {
  const none = { last: '', since: '', until: '' };
  if (range === null) return none;
  if (range.type === 'relative') return { ...none, last: `${range.amount}-${range.unit}` };
  const [since, until] = [new Date(range.startDate), new Date(range.endDate)];
  return { ...none, since: since.toISOString(), until: until.toISOString() };
}

/** Returns the error of an entered range; undefined if it is valid. */
export function rangeFault(range: DateRangePickerProps.Value | null): string | undefined {
  if (range === null) return undefined;
  if (range.type === 'relative') {
    return range.amount >= 1 && range.amount <= 9999 ? undefined : 'Enter a duration of 1 to 9,999.';
  }
  const [since, until] = [Date.parse(range.startDate), Date.parse(range.endDate)];
  if (Number.isNaN(since) || Number.isNaN(until)) return 'Enter the start and the end.';
  return since <= until ? undefined : 'The start is after the end.';
}

/** Replaces `last` with a start time, counted back from now. */
export function withStart<Query extends Readonly<Record<string, string | null | undefined>>>(
  { last, ...query }: Query,
  now = Date.now(),
) {
  const range = rangeOf({ last: last ?? '' });
  if (range?.type !== 'relative') return query;
  const seconds = range.amount * secondsPerUnit[range.unit];
  return { ...query, since: new Date(now - seconds * 1000).toISOString() };
}
