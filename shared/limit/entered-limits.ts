/**
 * Validates limits that operators enter, and finds which of several windows fills up first. The dashboard, the shell and
 * the table accept the same texts.
 */
import type { CapName, WindowAttribute } from '../contract/rate-limits-and-caps.ts';

/** The largest limit that an administrator can set. */
export const limitMax = 1_000_000_000;

/**
 * Removes the thousands separators that the gateway's own texts contain. In an amount of money, the comma stays, because it
 * may be a decimal comma.
 */
export function plainLimit({ cap }: { readonly cap: CapName | null }, text: string): string {
  const entered = text.trim();
  return cap !== 'spend' && /^\d{1,3}(,\d{3})+$/.test(entered) ? entered.replaceAll(',', '') : entered;
}

/** Returns the error of a text; undefined if it is valid. An empty text means the default. */
export function limitFault({ cap }: { readonly cap: CapName | null }, text: string): string | undefined {
  const entered = plainLimit({ cap }, text);
  if (entered === '') return undefined;
  if (cap === 'spend') {
    // In many languages 1.000 means a thousand. If it were read as 1, the cap would stop the client.
    if (/^[1-9]\d{0,2}\.\d{3}$/.test(entered)) {
      return `Enter ${entered.replace('.', '')} or ${entered}0: the point is the decimal point.`;
    }
    return /^\d+(\.\d{1,6})?$/.test(entered) && isWithin(entered)
      ? undefined
      : 'Enter an amount above 0, up to 1,000,000,000, such as 250.50.';
  }
  return /^\d+$/.test(entered) && isWithin(entered)
    ? undefined
    : 'Enter a whole number from 1 to 1,000,000,000, such as 600 or 1,000.';
}

const isWithin = (entered: string): boolean => Number(entered) > 0 && Number(entered) <= limitMax;

/** A month has 31 days here: a limit that is not reached in the longest month is never reached. */
const secondsOf = { per_minute: 60, per_hour: 3600, per_day: 86_400, per_month: 31 * 86_400 } as const;

/**
 * @param windows - the limits, shortest window first
 * @returns undefined if only the shortest window can be full
 */
export function firstReached(
  windows: readonly { readonly window: WindowAttribute; readonly limit: number }[],
) {
  const [shortest, ...longer] = windows;
  if (shortest === undefined) return undefined;
  const perSecond = shortest.limit / secondsOf[shortest.window];
  // If several windows are full at the same time, the one that resets last counts.
  return longer
    .toReversed()
    .map(({ window, limit }) => ({ window, afterSeconds: limit / perSecond }))
    .filter(({ window, afterSeconds }) => afterSeconds < secondsOf[window])
    .toSorted((one, other) => one.afterSeconds - other.afterSeconds)[0];
}
