/** Counts one request in all three windows, or in none. */
import type { Limits } from '../contract/routes.ts';
import type { PerWindow, Windows } from './windows.ts';

export interface CountRequest {
  /** The row's key: subject, endpoint, UTC day, and the shard if there are several. */
  readonly counter: string;
  readonly windows: Windows;
  readonly limits: Limits;
  /** Attributes of past minutes to remove in the same write. */
  readonly staleAttributes: readonly string[];
}

export interface CountOutcome {
  readonly admitted: boolean;
  /** Requests counted in each window, including this one if it was admitted. */
  readonly used: PerWindow<number>;
}

export interface RateCounter {
  count(request: CountRequest): Promise<CountOutcome>;
}
