/** The limits of one endpoint that a row brings into force, where each comes from, and which is reached first. */
import type { CapName, LimitTarget, WindowAttribute } from '../../contract/limit-rows.ts';
import { policies } from '../../contract/routes.ts';
import type { ParsedRow } from '../override-row.ts';

/** The stage's limits for a cap without a row; those of `spend` in millionths of the currency. */
export type CapDefaults = Readonly<
  Partial<Record<CapName, Readonly<Partial<Record<WindowAttribute, number>>>>>
>;

export interface WindowInForce {
  readonly window: WindowAttribute;
  /** In millionths of the currency for `spend`. */
  readonly limit: number;
  readonly isDefault: boolean;
}

export interface EndpointInForce {
  readonly target: LimitTarget;
  readonly blocked: boolean;
  /** Shortest first; a window of a cap without a limit is left out. */
  readonly windows: readonly WindowInForce[];
  readonly firstReached: FirstReached | undefined;
}

/** The limit that ends the traffic of a client that always uses its shortest window in full. */
interface FirstReached {
  readonly window: WindowAttribute;
  readonly afterSeconds: number;
}

/** @param row - the row in force; undefined for the defaults */
export function endpointInForce(
  target: LimitTarget,
  row: ParsedRow | undefined,
  capDefaults: CapDefaults,
): EndpointInForce {
  const defaults = defaultsOf(target, capDefaults);
  const windows = target.windows.flatMap((window): WindowInForce[] => {
    const own = row?.limits[window];
    const limit = own ?? defaults[window];
    return limit === undefined ? [] : [{ window, limit, isDefault: own === undefined }];
  });
  return { target, blocked: row?.blocked === true, windows, firstReached: firstReached(windows) };
}

/** The limits without any row. */
export function defaultsOf(
  target: LimitTarget,
  capDefaults: CapDefaults,
): Readonly<Partial<Record<WindowAttribute, number>>> {
  if (target.kind === 'cap') return capDefaults[target.cap] ?? {};
  const { perMinute, perHour, perDay } = policies[target.policy];
  return { per_minute: perMinute, per_hour: perHour, per_day: perDay };
}

/** Of the longest month, as a limit that no month reaches is never reached. */
const secondsOf = { per_minute: 60, per_hour: 3600, per_day: 86_400, per_month: 31 * 86_400 } as const;

function firstReached(windows: readonly WindowInForce[]): FirstReached | undefined {
  const [shortest, ...longer] = windows;
  if (shortest === undefined) return undefined;
  const perSecond = shortest.limit / secondsOf[shortest.window];
  // Of several that are reached together, the one that resets last refuses.
  return longer
    .toReversed()
    .map(({ window, limit }) => ({ window, afterSeconds: limit / perSecond }))
    .filter(({ window, afterSeconds }) => afterSeconds < secondsOf[window])
    .toSorted((one, other) => one.afterSeconds - other.afterSeconds)[0];
}
