/** Usage over time for the dashboard: by hour for one day, by day for longer spans. */
import { hourOf } from '../usage/usage.ts';
import type { AdminDependencies } from './admin-dependencies.ts';

export const usageSpans = { day: 24, week: 7 * 24, month: 30 * 24 } as const;
type UsageSpan = keyof typeof usageSpans;

export interface UsageView {
  readonly span: UsageSpan;
  /** The length of time that one point covers. */
  readonly step: 'hour' | 'day';
  /** Oldest first and without gaps: a time without usage has no counts. */
  readonly points: readonly { readonly at: string; readonly counts: Readonly<Record<string, number>> }[];
  readonly totals: Readonly<Record<string, number>>;
}

const millisecondsPerHour = 3_600_000;

export async function usageOf(dependencies: AdminDependencies, span: UsageSpan): Promise<UsageView> {
  const now = dependencies.clock().getTime();
  const hours = Array.from({ length: usageSpans[span] }, (_hour, ago) =>
    hourOf(new Date(now - ago * millisecondsPerHour)),
  ).toReversed();
  const step = span === 'day' ? 'hour' : 'day';
  const pointOf = (hour: string): string =>
    step === 'hour' ? `${hour}:00:00.000Z` : `${hour.slice(0, 10)}T00:00:00.000Z`;
  const points = new Map<string, Record<string, number>>(hours.map((hour) => [pointOf(hour), {}]));
  const totals: Record<string, number> = {};
  for (const { hour, counts } of await dependencies.usage.hours(hours)) {
    const point = points.get(pointOf(hour)) ?? {};
    for (const [name, count] of Object.entries(counts)) {
      point[name] = (point[name] ?? 0) + count;
      totals[name] = (totals[name] ?? 0) + count;
    }
  }
  return { span, step, points: [...points].map(([at, counts]) => ({ at, counts })), totals };
}
