/** The port to the counters: counts one request in all three windows, or in none. */
import type { Limits } from '../contract/routes.ts';
import type { PerWindow, Windows } from './windows.ts';

export interface CountRequest {
  /** The row: who, what, which UTC day, and the shard where there are several. */
  readonly counter: string;
  readonly windows: Windows;
  readonly limits: Limits;
  /** Attributes of past minutes to remove in the same write. */
  readonly staleAttributes: readonly string[];
}

export interface CountOutcome {
  readonly admitted: boolean;
  /** Requests counted in each window, this one included where it was admitted. */
  readonly used: PerWindow<number>;
}

export interface RateCounter {
  count(request: CountRequest): Promise<CountOutcome>;
}
