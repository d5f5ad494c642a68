/** Parses the values of options. */
import { GatewayError } from '../../shared/contract/errors.ts';

/** The formats of `timeOf`, for the help of an option. */
export const timeForms = 'such as 2h, 7d, 2026-11-20 or 2026-11-20T10:00:00Z';

const unitMilliseconds: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses a time: an age in minutes, hours or days, a UTC date, or a date with a time. @throws GatewayError that names the
 * option
 */
export function timeOf(option: string, text: string, now: Date): Date {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const isDate = /^\d{4}-\d\d-\d\d(T.*(Z|[+-]\d\d:?\d\d))?$/.test(text);
  const time =
    count === undefined ? Date.parse(text) : now.getTime() - Number(count) * (unitMilliseconds[unit] ?? 0);
  if ((count !== undefined || isDate) && time >= 0) return new Date(time);
  throw new GatewayError('invalid_request', `--${option} is not a time: give one ${timeForms}.`);
}
