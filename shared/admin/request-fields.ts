/** Fields shared by several admin requests. The dashboard shows their error texts, so these address the operator. */

import * as z from 'zod/mini';

export function textUpTo(charactersMax: number) {
  return z
    .string()
    .check(
      z.minLength(1, 'must not be empty'),
      z.maxLength(charactersMax, `must have ${charactersMax} characters or fewer`),
    );
}

/** A part of a table's key, far shorter than DynamoDB's limit (1,024 bytes for a sort key). */
export const keyText = textUpTo(128);
/** Ids hold the time in milliseconds since 1970. */
export const utcTime = z.iso
  .datetime('must be a time in UTC, such as 2026-11-20T10:00:00Z')
  .check(z.refine((text) => Date.parse(text) >= 0, 'must not be before 1970'));

export const pageSize = z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100)), 25);
/** Each list checks the form of its cursors. */
export const cursor = z.optional(z.string());
