/** The periods of the usage page: UTC days, weeks from Monday, and months, as usage is counted. */

export const usagePeriods = [
  { id: 'today', text: 'Today' },
  { id: 'week', text: 'This week' },
  { id: 'month', text: 'This month' },
  { id: 'last_month', text: 'Last month' },
] as const;
export type UsagePeriod = (typeof usagePeriods)[number]['id'];

interface UsageTimes {
  readonly since: Date;
  /** Exclusive. */
  readonly until: Date;
  /** What the summary of the whole is called. */
  readonly interval: 'day' | 'week' | 'month';
  /** What one bar of the charts covers. */
  readonly step: 'hour' | 'day';
}

export function timesAt(period: UsagePeriod, now: Date): UsageTimes {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const at = (ofMonth: number, ofDay: number): Date => new Date(Date.UTC(year, ofMonth, ofDay));
  if (period === 'today') {
    return { since: at(month, day), until: at(month, day + 1), interval: 'day', step: 'hour' };
  }
  if (period === 'week') {
    const monday = day - ((now.getUTCDay() + 6) % 7);
    return { since: at(month, monday), until: at(month, monday + 7), interval: 'week', step: 'day' };
  }
  const first = period === 'month' ? month : month - 1;
  return { since: at(first, 1), until: at(first + 1, 1), interval: 'month', step: 'day' };
}

const stepMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** The start of each bar, oldest first. */
export function stepsOf({ since, until, step }: UsageTimes): Date[] {
  const count = (until.getTime() - since.getTime()) / stepMs[step];
  return Array.from({ length: count }, (_step, index) => new Date(since.getTime() + index * stepMs[step]));
}
