/** The periods of the pages about usage: UTC days, weeks from Monday, months, or the latest hours or days. */

export const periods = [
  { id: 'today', text: 'Today' },
  { id: 'week', text: 'This week' },
  { id: 'month', text: 'This month' },
  { id: 'last_month', text: 'Last month' },
] as const;

export type UsagePeriod = (typeof periods)[number]['id'];

/** Returns the start and the exclusive end of a period, the interval of its summary, and the length of a bar in its charts. */
export function timesAt(period: UsagePeriod, now: Date) {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const at = (ofMonth: number, ofDay: number): Date => new Date(Date.UTC(year, ofMonth, ofDay));
  if (period === 'today') {
    return { since: at(month, day), until: at(month, day + 1), interval: 'day', step: 'hour' } as const;
  }
  if (period === 'week') {
    const monday = day - ((now.getUTCDay() + 6) % 7);
    return { since: at(month, monday), until: at(month, monday + 7), interval: 'week', step: 'day' } as const;
  }
  const first = period === 'month' ? month : month - 1;
  return { since: at(first, 1), until: at(first + 1, 1), interval: 'month', step: 'day' } as const;
}

const stepMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** Returns the latest hours or days, including the current one. */
export function timesOfLast({ step, steps }: { readonly step: keyof typeof stepMs; readonly steps: number }) {
  const until = (Math.floor(Date.now() / stepMs[step]) + 1) * stepMs[step];
  return { since: new Date(until - steps * stepMs[step]), until: new Date(until), step };
}

export function iso({ since, until }: { readonly since: Date; readonly until: Date }) {
  return { since: since.toISOString(), until: until.toISOString() };
}

/** Returns the start of each bar, oldest first. */
export function stepsOf({ since, until, step }: ReturnType<typeof timesOfLast>): Date[] {
  const count = (until.getTime() - since.getTime()) / stepMs[step];
  return Array.from({ length: count }, (_step, index) => new Date(since.getTime() + index * stepMs[step]));
}
