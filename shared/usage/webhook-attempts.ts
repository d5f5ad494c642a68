/**
 * Hourly counts of webhook attempts, for the dashboard's overview only. A worker counts after its work: one that is
 * repeated may count twice, and one that fails before counting does not count.
 */

export type AttemptMetric = `webhooks_${'acknowledged' | 'retry_scheduled' | 'failed'}`;
/** `webhooks_total_ms` is the sum of the durations of all attempts. */
export type AttemptCounts = Readonly<Partial<Record<AttemptMetric | 'webhooks_total_ms', number>>>;

export interface HourlyAttempts {
  /** `2026-11-20T10` in UTC. */
  readonly hour: string;
  readonly counts: Readonly<Record<string, number>>;
}

export function hourOf(at: Date): string {
  return at.toISOString().slice(0, 13);
}
