/** The limits of one endpoint that a row brings into force, where each comes from, and which is reached first. */
import type { Caps, LimitTarget, WindowAttribute, WindowLimits } from '../../contract/limit-rows.ts';
import { policies } from '../../contract/routes.ts';
import type { ParsedRow } from '../override-row.ts';
import { type FirstReached, firstReached } from './first-reached.ts';

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

/**
 * @param row - the row in force; undefined for the defaults
 * @param capDefaults - the caps of the stage
 */
export function endpointInForce(
  target: LimitTarget,
  row: ParsedRow | undefined,
  capDefaults: Caps,
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
export function defaultsOf(target: LimitTarget, capDefaults: Caps): WindowLimits {
  if (target.kind === 'cap') return capDefaults[target.cap] ?? {};
  const { perMinute, perHour, perDay } = policies[target.policy];
  return { per_minute: perMinute, per_hour: perHour, per_day: perDay };
}
