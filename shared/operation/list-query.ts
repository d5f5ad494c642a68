/** Query parameters that all lists have, and the cursors of lists. */
import * as z from 'zod/mini';
import { GatewayError } from '../contract/errors.ts';
import { dateTime } from './fields.ts';

/** Sorts after every time. */
const latest = '~';

/**
 * A time as a text that sorts by time. Years of more than four digits, which an offset can produce, are refused, because
 * they would sort first.
 */
export const sortableTime = z.pipe(
  dateTime,
  z.transform((at) => {
    const iso = at.toISOString();
    return iso.startsWith('+') ? latest : iso;
  }),
);

/** A whole number in digits only, because `Number` also accepts `0x10`, `1e1` and white space. */
const wholeNumber = z.pipe(
  z.string().check(z.regex(/^-?[0-9]+$/, 'must be a whole number')),
  z.transform(Number),
);

export const pageLimitMax = 100;
export const defaultPageLimit = 20;

export const pageLimit = z.pipe(wholeNumber, z.int().check(z.minimum(1), z.maximum(pageLimitMax)));

/**
 * Returns the functions for a list's cursors, which are positions in base64url, so that callers treat them as opaque.
 * @param form - the form of every position in the list
 */
export function opaqueCursor(form: RegExp) {
  const encode = (position: string): string => Buffer.from(position).toString('base64url');
  return {
    encode,
    /** Returns the response field that continues after this position; no field at the end of the list. */
    next: (position: string | undefined): { readonly next_cursor?: string } =>
      position === undefined ? {} : { next_cursor: encode(position) },
    /** @throws GatewayError `invalid_request` if the cursor is not from this list. */
    decode<Cursor extends string | undefined>(cursor: Cursor): Cursor | string {
      if (cursor === undefined) return cursor;
      const position = Buffer.from(cursor, 'base64url').toString();
      if (form.test(position) && encode(position) === cursor) return position;
      throw invalidCursor();
    },
  };
}

export function invalidCursor(): GatewayError {
  return new GatewayError('invalid_request', 'The cursor is not valid.', {
    details: [{ field: 'cursor', message: 'must be the next_cursor of an earlier response' }],
  });
}
