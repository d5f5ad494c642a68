/** Query parameters that lists have in common. */
import * as z from 'zod/mini';
import { dateTime } from './date-time.ts';

/** Sorts after every time. */
const latest = '~';

/** As text that sorts by time: an offset can give a year of more than four digits, which would sort before all others. */
export const sortableTime = z.pipe(
  dateTime,
  z.transform((at) => {
    const iso = at.toISOString();
    return iso.startsWith('+') ? latest : iso;
  }),
);

/** Of a sortable time; the last moment of the year 9999 for every later one. */
export function dateOf(sortable: string): Date {
  return new Date(sortable === latest ? '9999-12-31T23:59:59.999Z' : sortable);
}

/** Only digits: `Number` also accepts `0x10`, `1e1` and white space. */
const wholeNumber = z.pipe(
  z.string().check(z.regex(/^-?[0-9]+$/, 'must be a whole number')),
  z.transform(Number),
);

export const pageLimitMax = 100;
export const defaultPageLimit = 20;

export const pageLimit = z.pipe(wholeNumber, z.int().check(z.minimum(1), z.maximum(pageLimitMax)));
