/**
 * Compares the usage of a time with that of the time before, group by group, and marks what is abnormal. Only whole days
 * or hours count, so that a day that has just begun is not compared with a whole one.
 */
import * as z from 'zod/mini';
import { addDays } from '../platform/clock.ts';
import { withoutUndefined } from '../platform/object-fields.ts';
import { type Interval, periodAt } from '../usage/period.ts';
import { adminUsageQuery, type Grouping, usageMoment, usageRange } from '../usage/usage-query.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { listUsage, type NamedUsageEntry } from './usage.ts';

export const usageChangeQuery = z.extend(z.pick(adminUsageQuery, { client_id: true, group_by: true }), {
  since: usageMoment,
  until: usageMoment,
});

interface Times {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

type Group = Pick<NamedUsageEntry, 'client_id' | 'client_name' | Exclude<Grouping, 'client'>>;
type Sums = Pick<NamedUsageEntry, 'messages' | 'delivered' | 'failed' | 'cost'>;

export type UsageChange = ReturnType<typeof changeOf>;

export type UsageComparison = Awaited<ReturnType<typeof compareUsage>>;

export async function compareUsage(
  dependencies: AdminDependencies,
  client: string | undefined,
  {
    since,
    until,
    groupBy,
  }: { readonly since: Date; readonly until: Date; readonly groupBy: readonly Grouping[] },
) {
  const now = dependencies.clock();
  const interval = intervalOf(since, until);
  const times = { from: periodAt(interval, since).from, to: wholeEnd(interval, until < now ? until : now) };
  const before = timesBefore(times);
  const read = async ({ from, to }: Times) =>
    from >= to
      ? []
      : (
          await listUsage(
            dependencies,
            client,
            usageRange({ since: from, until: to, interval, group_by: groupBy }, now),
          )
        ).usage;
  const [current, previous] = [sumsByGroup(await read(times)), sumsByGroup(await read(before))];
  const keys = new Set([...current.keys(), ...previous.keys()]);
  return {
    currency: dependencies.currency,
    from: times.from.toISOString(),
    to: times.to.toISOString(),
    before_from: before.from.toISOString(),
    before_to: before.to.toISOString(),
    /** Says what of the asked time is not compared, as its hour or day is not over; null if all is. */
    left_out: times.to < until ? leftOutText(interval, times.to) : null,
    /** The largest change first. */
    changes: [...keys]
      .map((key) => changeOf(current.get(key), previous.get(key)))
      .toSorted(
        (one, other) =>
          Math.abs(other.now.messages - other.before.messages) -
          Math.abs(one.now.messages - one.before.messages),
      ),
  };
}

/** Up to a day is compared by hours. */
function intervalOf(since: Date, until: Date): Exclude<Interval, 'month'> {
  return until <= addDays(since, 1) ? 'hour' : 'day';
}

function wholeEnd(interval: Interval, until: Date): Date {
  return periodAt(interval, until).from;
}

function leftOutText(interval: Interval, to: Date): string {
  const start = to.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ');
  return `Left out: everything from ${start} on, as only whole ${interval}s are compared.`;
}

/** As long as these times: of a month, or of its first days, those of the month before; otherwise those right before. */
function timesBefore({ from, to }: Times): Times {
  const month = periodAt('month', from);
  if (from > month.from || to > month.to)
    return { from: new Date(2 * from.getTime() - to.getTime()), to: from };
  const previous = periodAt('month', addDays(month.from, -1));
  const sameLength = new Date(previous.from.getTime() + (to.getTime() - from.getTime()));
  return {
    from: previous.from,
    to: to.getTime() === month.to.getTime() || sameLength > month.from ? month.from : sameLength,
  };
}

type Summed = Group & Sums;

function sumsByGroup(entries: readonly NamedUsageEntry[]): ReadonlyMap<string, Summed> {
  const sums = new Map<string, Summed>();
  for (const entry of entries) {
    const { messages, delivered, failed, cost } = entry;
    const group = groupOf(entry);
    const key = JSON.stringify(group);
    const sum = sums.get(key) ?? { ...group, messages: 0, delivered: 0, failed: 0, cost: 0 };
    sums.set(key, {
      ...group,
      messages: sum.messages + messages,
      delivered: sum.delivered + delivered,
      failed: sum.failed + failed,
      cost: millionths(sum.cost + cost),
    });
  }
  return sums;
}

/** Sums of decimals are rounded to what costs are counted in. */
const millionths = (amount: number): number => Math.round(amount * 1e6) / 1e6;

function groupOf({ client_id, client_name, channel, type, country, status }: Group): Group {
  const name = client_id === undefined ? undefined : (client_name ?? null);
  return withoutUndefined({ client_id, client_name: name, channel, type, country, status });
}

const nothing: Sums = { messages: 0, delivered: 0, failed: 0, cost: 0 };

function changeOf(current: Summed | undefined, previous: Summed | undefined) {
  const group = current ?? previous;
  if (group === undefined) throw new Error('a group is of one of the times');
  const [now, before] = [sumsOf(current), sumsOf(previous)];
  return {
    ...groupOf(group),
    now,
    before,
    /** How many times as many messages; null if there were none before. */
    factor: before.messages === 0 ? null : now.messages / before.messages,
    /** What is abnormal, in words; empty if nothing is. */
    abnormal: abnormalIn(now, before),
  };
}

function sumsOf({ messages, delivered, failed, cost }: Sums = nothing): Sums {
  return { messages, delivered, failed, cost };
}

/** With fewer messages in both times, a change is chance. */
const messagesToJudge = 100;
const abnormalFactor = 2;
/** How many more of a hundred messages fail. */
const abnormalFailures = 0.1;

function abnormalIn(now: Sums, before: Sums): string[] {
  if (Math.max(now.messages, before.messages) < messagesToJudge) return [];
  const found: string[] = [];
  if (now.messages >= before.messages * abnormalFactor)
    found.push(before.messages === 0 ? 'new' : 'many more messages');
  if (now.messages * abnormalFactor <= before.messages) found.push('far fewer messages');
  if (shareOf(now) - shareOf(before) >= abnormalFailures) found.push('more failures');
  return found;
}

const shareOf = ({ messages, failed }: Sums): number => (messages === 0 ? 0 : failed / messages);
