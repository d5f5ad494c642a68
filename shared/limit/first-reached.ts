/** Which of several limits on the same requests is reached first. */
import type { WindowAttribute } from '../contract/limit-rows.ts';

/** The limit that ends the traffic of a client that always uses its shortest window in full. */
export interface FirstReached {
  readonly window: WindowAttribute;
  readonly afterSeconds: number;
}

/** A month is the longest one, because a limit that no month reaches is never reached. */
const secondsOf = { per_minute: 60, per_hour: 3600, per_day: 86_400, per_month: 31 * 86_400 } as const;

/**
 * @param windows - shortest first
 * @returns undefined if only the shortest is ever reached
 */
export function firstReached(
  windows: readonly { readonly window: WindowAttribute; readonly limit: number }[],
): FirstReached | undefined {
  const [shortest, ...longer] = windows;
  if (shortest === undefined) return undefined;
  const perSecond = shortest.limit / secondsOf[shortest.window];
  // If several windows are reached together, the one that resets last refuses.
  return longer
    .toReversed()
    .map(({ window, limit }) => ({ window, afterSeconds: limit / perSecond }))
    .filter(({ window, afterSeconds }) => afterSeconds < secondsOf[window])
    .toSorted((one, other) => one.afterSeconds - other.afterSeconds)[0];
}
