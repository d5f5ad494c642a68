/** Usage is counted in UTC hours, days and months. A period's name is the start of its ISO time. */

/** Shortest first. */
export const intervals = ['hour', 'day', 'month'] as const;

export type Interval = (typeof intervals)[number];

/** The length of a period's name, as in `2026-11-20T10`, `2026-11-20` and `2026-11`. */
const nameLength = { hour: 13, day: 10, month: 7 } as const satisfies Record<Interval, number>;

/** How many days usage is kept. */
export const usageKeptDays = 400;

export interface Period {
  readonly name: string;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

export function periodAt(interval: Interval, at: Date): Period {
  const name = at.toISOString().slice(0, nameLength[interval]);
  const from = new Date(`${name}${'0000-01-01T00:00:00.000Z'.slice(nameLength[interval])}`);
  const to = new Date(from);
  if (interval === 'hour') to.setUTCHours(to.getUTCHours() + 1);
  if (interval === 'day') to.setUTCDate(to.getUTCDate() + 1);
  if (interval === 'month') to.setUTCMonth(to.getUTCMonth() + 1);
  return { name, from, to };
}

/**
 * Returns the periods that overlap the time from `since` to `until` (exclusive), oldest first.
 *
 * @returns undefined if there are more than `max` periods
 */
export function periodsBetween(
  interval: Interval,
  since: Date,
  until: Date,
  max: number,
): readonly Period[] | undefined {
  const periods: Period[] = [];
  for (let at = since; at < until; ) {
    if (periods.length === max) return undefined;
    const period = periodAt(interval, at);
    periods.push(period);
    at = period.to;
  }
  return periods;
}
