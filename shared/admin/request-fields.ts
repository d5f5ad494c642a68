/**
 * Fields that several admin requests share. The dashboard shows the error texts of these fields, so the texts address the
 * administrator.
 */

import * as z from 'zod/mini';

export function textUpTo(charactersMax: number) {
  return z
    .string()
    .check(
      z.minLength(1, 'must not be empty'),
      z.maxLength(charactersMax, `must have ${charactersMax} characters or fewer`),
    );
}

/** A text that becomes part of a table key. It is far shorter than the limit of DynamoDB (1,024 bytes for a sort key). */
export const keyText = textUpTo(128);
/** Earlier times are invalid, because ids contain the milliseconds since 1970. */
export const utcTime = z.iso
  .datetime('must be a time in UTC, such as 2026-11-20T10:00:00Z')
  .check(z.refine((text) => Date.parse(text) >= 0, 'must not be before 1970'));

export const pageSize = z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100)), 25);
/** Each list checks the format of its cursors. */
export const cursor = z.optional(z.string());
