/** Date-times of requests: RFC 3339, and the offset without a colon that some libraries write (`+0000`). */
import * as z from 'zod/mini';

const form = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)([Zz]|[+-]\d\d:?\d\d)$/;
const strict = z.iso.datetime({ offset: true });

/** Parsed to the date. */
export const dateTime = z.pipe(
  z.string().check(
    z.refine(
      (text) => strict.safeParse(normal(text)).success,
      'must be a date-time such as 2026-11-20T10:00:00Z',
    ),
    z.meta({ format: 'date-time' }),
  ),
  z.transform((text) => new Date(normal(text))),
);

/** Returns the text in the form that `z.iso.datetime` and `Date` accept; any other text unchanged. */
function normal(text: string): string {
  const [, day, time, zone] = form.exec(text) ?? [];
  if (day === undefined || zone === undefined) return text;
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  return `${day}T${time}${offset}`;
}
