/** The description of a response's field, for the API document. Functions load no schema of a response, so it costs them nothing. */
import type * as z from 'zod/mini';
import { describe } from 'zod/mini';

export function described<Schema extends z.ZodMiniType>(schema: Schema, text: string): Schema {
  return schema.check(describe(text));
}
