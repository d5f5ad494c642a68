/** The periods of the usage page: UTC days, weeks from Monday, months, or chosen days. Usage is counted by UTC day. */

const usagePeriods = [
  { id: 'today', text: 'Today' },
  { id: 'week', text: 'This week' },
  { id: 'month', text: 'This month' },
  { id: 'last_month', text: 'Last month' },
] as const;

export const chosenDays = { id: 'days', text: 'Other days' } as const;
export const periods = [...usagePeriods, chosenDays];

/** The choice in the address. */
export interface Chosen extends Readonly<Record<string, string>> {
  readonly period: (typeof periods)[number]['id'];
  /** The first and last day, if the user has chosen days. */
  readonly first: string;
  readonly last_day: string;
}

export interface UsageTimes {
  readonly since: Date;
  /** Exclusive. */
  readonly until: Date;
  /** The interval of the summary; undefined for chosen days. */
  readonly interval?: 'day' | 'week' | 'month';
  /** The length of one bar in the charts. */
  readonly step: 'hour' | 'day';
}

export function timesAt(period: (typeof usagePeriods)[number]['id'], now: Date): Required<UsageTimes> {
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

/** The maximum length. With many clients, each day takes a read of its own. */
export const daysMax = 31;

/**
 * Returns the period from the first to the last day (`2026-11-20`). Returns the last seven days if the dates are invalid, or too
 * many.
 */
export function timesOfDays(first: string, last: string, now: Date): UsageTimes {
  const [since, lastDay] = [Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`)];
  const days = (lastDay - since) / stepMs.day + 1;
  if (days >= 1 && days <= daysMax)
    return {
      since: new Date(since),
      until: new Date(lastDay + stepMs.day),
      step: days === 1 ? 'hour' : 'day',
    };
  const until = timesAt('today', now).until;
  return { since: new Date(until.getTime() - 7 * stepMs.day), until, step: 'day' };
}

/** Returns the latest hours or days, the present one included. */
export function timesOfLast({
  step,
  steps,
}: {
  readonly step: 'hour' | 'day';
  readonly steps: number;
}): UsageTimes {
  const until = (Math.floor(Date.now() / stepMs[step]) + 1) * stepMs[step];
  return { since: new Date(until - steps * stepMs[step]), until: new Date(until), step };
}

export function timesOf({ period, first, last_day }: Chosen): UsageTimes {
  const now = new Date();
  return period === chosenDays.id ? timesOfDays(first, last_day, now) : timesAt(period, now);
}

export function iso({ since, until }: { readonly since: Date; readonly until: Date }) {
  return { since: since.toISOString(), until: until.toISOString() };
}

const stepMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** The start of each bar, oldest first. */
export function stepsOf({ since, until, step }: UsageTimes): Date[] {
  const count = (until.getTime() - since.getTime()) / stepMs[step];
  return Array.from({ length: count }, (_step, index) => new Date(since.getTime() + index * stepMs[step]));
}
