/** The windows of limits as fields: their titles, and what is wrong with what is entered. */
import type { EndpointLimits } from '../../../shared/admin/limits.ts';
import type { WindowAttribute } from '../../../shared/contract/limit-rows.ts';

export const limitTitles: Readonly<Record<WindowAttribute, string>> = {
  per_minute: 'Per minute',
  per_hour: 'Per hour',
  per_day: 'Per day',
  per_month: 'Per month',
};

/** Shortest first. */
export const limitWindows = Object.keys(limitTitles) as WindowAttribute[];

/** Says what is wrong with an entered text; undefined if it is valid. An empty text is the default. */
export function limitFault({ cap }: Pick<EndpointLimits, 'cap'>, text: string): string | undefined {
  const entered = text.trim();
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
