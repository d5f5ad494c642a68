/**
 * Validates the parameters of usage queries (times, interval and groups) for the client's operation, the admin API and the
 * shell.
 */
import * as z from 'zod/mini';
import { invalidFields } from '../contract/errors.ts';
import { dateTime, optional } from '../operation/fields.ts';
import { type Interval, intervals, type Period, periodAt, periodsBetween, usageKeptDays } from './period.ts';

export const groupings = ['channel', 'type', 'country', 'status'] as const;
const adminGroupings = ['client', ...groupings] as const;

export type Grouping = (typeof adminGroupings)[number];

/**
 * The maximum number of periods in one response: 31 days of hours, all days for which usage is kept, two years of
 * months.
 */
export const periodsMax = { hour: 744, day: usageKeptDays, month: 24 } as const satisfies Record<
  Interval,
  number
>;

/**
 * The years are limited, because an offset can move a time out of them, and an ISO time with a longer year cannot name a
 * period.
 */
const [first, last] = [Date.parse('1970-01-01T00:00:00Z'), Date.parse('9999-01-01T00:00:00Z')];

export const usageMoment = z.pipe(
  dateTime,
  z.date().check(z.refine((at) => at.getTime() >= first && at.getTime() < last, 'must be in 1970 to 9998')),
);

function groupList<Name extends Grouping>(names: readonly Name[]) {
  const message = `must be some of ${names.join(', ')}, each once, separated by commas`;
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

/** The query for administrators, who may also group by client. */
export const adminUsageQuery = z.extend(queryOf(adminGroupings), {
  client_id: optional(z.string().check(z.minLength(1), z.maxLength(128))),
});

/** The maximum number of periods if usage is grouped by client: each period needs a separate query. */
export const clientPeriodsMax = 31;

export interface UsageRange {
  readonly interval: Interval;
  readonly periods: readonly Period[];
  readonly groupBy: readonly Grouping[];
}

/**
 * Returns the whole periods that overlap the requested time; by default the days of the current UTC month up to now.
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
  // `until` is exclusive: if it is the start of a month, the default is the previous month.
  const since = query.since ?? periodAt('month', new Date(until.getTime() - 1)).from;
  if (since >= until)
    throw invalidFields([{ field: 'since', message: 'must be before until, which is now unless given' }]);
  const groupBy = query.group_by ?? [];
  const max = groupBy.includes('client') ? clientPeriodsMax : periodsMax[interval];
  const periods = periodsBetween(interval, since, until, max);
  if (periods === undefined)
    throw invalidFields([{ field: 'since', message: `must be at most ${max} ${interval}s before until` }]);
  return { interval, periods, groupBy };
}
