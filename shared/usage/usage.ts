/**
 * How many messages entered each state and how webhooks went, hour by hour, for the eye: counted after the work
 * itself is done, so a worker that is repeated may count twice and one that dies may not count. Nothing is decided by them.
 */
import type { Status } from '../message/message.ts';

export type UsageMetric = `messages_${Status}` | `webhooks_${'acknowledged' | 'retry_scheduled' | 'failed'}`;
export type Counts = Readonly<Partial<Record<UsageMetric, number>>>;

export interface HourlyUsage {
  /** `2026-11-20T10` in UTC. */
  readonly hour: string;
  readonly counts: Readonly<Record<string, number>>;
}

export interface UsageCounter {
  /** Adds to the hour of `at`. */
  add(counts: Counts, at: Date): Promise<void>;
}

export interface UsageReader {
  /** The hours that have figures, in no order. */
  hours(hours: readonly string[]): Promise<readonly HourlyUsage[]>;
}

export function hourOf(at: Date): string {
  return at.toISOString().slice(0, 13);
}
