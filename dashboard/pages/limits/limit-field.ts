/** The windows of limits as fields: their titles, and the notification after a save. */

import type { RowOf } from '../../../shared/admin/http/admin-operations.ts';
import type { WindowAttribute } from '../../../shared/contract/rate-limits-and-caps.ts';
import { numberText } from '../../value-names.ts';

export type EndpointLimits = RowOf<'showLimits', 'limits'>;

export const limitTitles: Readonly<Record<WindowAttribute, string>> = {
  per_minute: 'Per minute',
  per_hour: 'Per hour',
  per_day: 'Per day',
  per_month: 'Per month',
};

/** Shortest first. */
export const limitWindows = Object.keys(limitTitles) as WindowAttribute[];

/** Returns the notification after a row is saved. Another value can still make the row invalid. */
export function savedNotice(row: EndpointLimits): ['success' | 'warning', string] {
  const { endpoint, status, status_message } = row;
  const saved = `Limits of ${endpoint} saved.`;
  return status === 'invalid'
    ? ['warning', `${saved} The row is still invalid. ${status_message ?? ''}`]
    : ['success', `${saved} The change takes effect within 60 seconds. ${status_message ?? ''}`];
}

/** Returns the default as a placeholder, in a form that can be entered. */
export function placeholderOf({ cap, defaults }: EndpointLimits, window: WindowAttribute, none = ''): string {
  const limit = defaults?.[window];
  if (limit === undefined) return none;
  return cap === 'spend' ? String(limit) : numberText(limit);
}
