/** The windows of limits as fields: their titles, and what is wrong with what is entered. */
import type { EndpointLimits } from '../../../shared/admin/limits.ts';
import type { WindowAttribute } from '../../../shared/contract/limit-rows.ts';
import { numberText } from '../../value-names.ts';

export const limitTitles: Readonly<Record<WindowAttribute, string>> = {
  per_minute: 'Per minute',
  per_hour: 'Per hour',
  per_day: 'Per day',
  per_month: 'Per month',
};

/** Shortest first. */
export const limitWindows = Object.keys(limitTitles) as WindowAttribute[];

/** What is notified once a row is saved: the row can be invalid because of another of its values. */
export function savedNotice({
  endpoint,
  status,
  status_message,
}: Pick<EndpointLimits, 'endpoint' | 'status' | 'status_message'>): ['success' | 'warning', string] {
  const saved = `Limits of ${endpoint} saved.`;
  return status === 'invalid'
    ? ['warning', `${saved} The row is still invalid. ${status_message ?? ''}`]
    : ['success', `${saved} The change takes effect within 60 seconds. ${status_message ?? ''}`];
}

/** Without the separators of thousands, as the gateway's own texts have them. An amount of money may have a decimal comma. */
export function plainLimit({ cap }: Pick<EndpointLimits, 'cap'>, text: string): string {
  const entered = text.trim();
  return cap !== 'spend' && /^\d{1,3}(,\d{3})+$/.test(entered) ? entered.replaceAll(',', '') : entered;
}

/** As a placeholder, in a form that can be entered. */
export function limitPlaceholder({ cap }: Pick<EndpointLimits, 'cap'>, limit: number): string {
  return cap === 'spend' ? String(limit) : numberText(limit);
}

/** Says what is wrong with an entered text; undefined if it is valid. An empty text is the default. */
export function limitFault({ cap }: Pick<EndpointLimits, 'cap'>, text: string): string | undefined {
  const entered = plainLimit({ cap }, text);
  if (entered === '') return undefined;
  if (cap === 'spend') {
    // In half of the languages 1.000 is a thousand: as a cap of 1 it would stop the client.
    if (/^[1-9]\d{0,2}\.\d{3}$/.test(entered)) {
      return `Enter ${entered.replace('.', '')} or ${entered}0: the point is the decimal point.`;
    }
    return /^\d{1,9}(\.\d{1,6})?$/.test(entered) && Number(entered) > 0
      ? undefined
      : 'Enter an amount above 0, such as 250.50, or leave the field empty.';
  }
  return /^[1-9]\d{0,8}$/.test(entered)
    ? undefined
    : 'Enter a whole number of 1 or more, or leave the field empty.';
}
