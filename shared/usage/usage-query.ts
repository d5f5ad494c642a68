/** Validates the parameters of usage queries (times, interval, groups) for the API, the admin API and the shell. */
import * as z from 'zod/mini';
import { invalidFields } from '../contract/errors.ts';
import { dateTime, optional } from '../operation/fields.ts';
import { type Interval, intervals, type Period, periodAt, periodsBetween, usageKeptDays } from './period.ts';

export const groupings = ['channel', 'type', 'country', 'status'] as const;
const adminGroupings = ['client', ...groupings] as const;

export type Grouping = (typeof adminGroupings)[number];

/**
 * The maximum number of periods in one response: the hours of 31 days, all days for which usage is kept, and the months of
 * two years.
 */
export const periodsMax = { hour: 744, day: usageKeptDays, month: 24 } as const satisfies Record<
  Interval,
  number
>;

/**
 * The years are limited, because an offset can move a time beyond them, and an ISO time with a longer year is not a
 * period's name.
 */
const [first, last] = [Date.parse('1970-01-01T00:00:00Z'), Date.parse('9999-01-01T00:00:00Z')];

export const usageMoment = z.pipe(
  dateTime,
  z.date().check(z.refine((at) => at.getTime() >= first && at.getTime() < last, 'must be in 1970 to 9998')),
);

function groupList<Name extends Grouping>(names: readonly Name[]) {
  const message = `must be one or more of ${names.join(', ')}, each once, separated by commas`;
  return z.pipe(
    z.string().check(
      z.refine((text) => {
        const parts = text.split(',');
        return (
          new Set(parts).size === parts.length && parts.every((part) => names.some((name) => name === part))
        );
      }, message),
    ),
    z.transform((text) => text.split(',') as Name[]),
  );
}

function queryOf<Name extends Grouping>(names: readonly Name[]) {
  return z.object({
    since: optional(usageMoment),
    /** Exclusive. */
    until: optional(usageMoment),
    interval: optional(z.enum(intervals)),
    group_by: optional(groupList(names)),
  });
}

/** The query of `GET /api/v1/account/usage` (contract, section 11). */
export const usageQuery = queryOf(groupings);

/** The query of administrators, who can also group by client. */
export const adminUsageQuery = z.extend(queryOf(adminGroupings), {
  client_id: optional(z.string().check(z.minLength(1), z.maxLength(128))),
});

/** The maximum number of periods with a grouping by client, because each period then needs its own query. */
export const clientPeriodsMax = 31;

export interface UsageRange {
  readonly interval: Interval;
  readonly periods: readonly Period[];
  readonly groupBy: readonly Grouping[];
}

/**
 * Returns the whole periods that overlap the requested time. The default is the current UTC month up to now, by day.
 *
 * @throws GatewayError if the times are in the wrong order or too far apart.
 */
export function usageRange(
  query: Readonly<{
    since?: Date | undefined;
    until?: Date | undefined;
    interval?: Interval | undefined;
    group_by?: readonly Grouping[] | undefined;
  }>,
  now: Date,
): UsageRange {
  const { interval = 'day', until = now } = query;
  // `until` is exclusive, so if it is the start of a month, the default is the previous month.
  const since = query.since ?? periodAt('month', new Date(until.getTime() - 1)).from;
  if (since >= until)
    throw invalidFields([{ field: 'since', message: 'must be before until (by default, now)' }]);
  const groupBy = query.group_by ?? [];
  const max = groupBy.includes('client') ? clientPeriodsMax : periodsMax[interval];
  const periods = periodsBetween(interval, since, until, max);
  if (periods === undefined)
    throw invalidFields([{ field: 'since', message: `must be at most ${max} ${interval}s before until` }]);
  return { interval, periods, groupBy };
}
