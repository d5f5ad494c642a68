/** Optional fields of requests, and faults that depend on more than one field. */
import * as z from 'zod/mini';

/** Null means the same as leaving the field out: clients that serialize their own types send null. */
export function optional<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.optional(
    z.pipe(
      z.nullish(schema),
      z.transform((value) => value ?? undefined),
    ),
  );
}

/** As `optional`, with a default value. */
export function withDefault<Schema extends z.ZodMiniType>(schema: Schema, value: z.output<Schema>) {
  return z.pipe(
    z.nullish(schema),
    z.transform((given) => given ?? value),
  );
}

/** Of a field that is not parsed yet. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** What `z.refine` reports at this field, together with the faults of other fields: so these may have any form. */
export function faultAt(path: readonly (string | number)[], error: string) {
  const when = ({ value }: { readonly value: unknown }): boolean =>
    typeof value === 'object' && value !== null;
  return { path: [...path], error, when };
}
