/**
 * Hourly counts of message states and webhook results, for the dashboard only. A worker counts after its work: one that
 * is repeated may count twice, and one that fails before counting does not count.
 */
import type { Status } from '../message/message.ts';

export type UsageMetric = `messages_${Status}` | `webhooks_${'acknowledged' | 'retry_scheduled' | 'failed'}`;
export type Counts = Readonly<Partial<Record<UsageMetric, number>>>;

export interface HourlyUsage {
  /** `2026-11-20T10` in UTC. */
  readonly hour: string;
  readonly counts: Readonly<Record<string, number>>;
}

export function hourOf(at: Date): string {
  return at.toISOString().slice(0, 13);
}
