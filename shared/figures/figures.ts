/**
 * How many messages entered each state and how webhooks went, hour by hour, for the eye: counted after the work
 * itself is done, so a worker that is repeated may count twice and one that dies may not count. Nothing is decided by them.
 */
import type { Status } from '../message/message.ts';

export type Figure = `messages_${Status}` | `webhooks_${'acknowledged' | 'retry_scheduled' | 'failed'}`;
export type Counts = Readonly<Partial<Record<Figure, number>>>;

export interface HourOfFigures {
  /** `2026-11-20T10` in UTC. */
  readonly hour: string;
  readonly counts: Readonly<Record<string, number>>;
}

export interface FigureCounter {
  /** Adds to the hour of `at`. */
  add(counts: Counts, at: Date): Promise<void>;
}

export interface FigureReader {
  /** The hours that have figures, in no order. */
  hours(hours: readonly string[]): Promise<readonly HourOfFigures[]>;
}

export function hourOf(at: Date): string {
  return at.toISOString().slice(0, 13);
}
