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

/** Makes a field optional, with a default value. */
export function withDefault<Schema extends z.ZodMiniType>(schema: Schema, value: z.output<Schema>) {
  return z.pipe(
    z.nullish(schema),
    z.transform((given) => given ?? value),
  );
}

/** Returns whether a field that is not parsed yet was given. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/**
 * Returns the options with which `z.refine` reports an error at this field, together with the errors of other fields;
 * these may therefore have any form.
 */
export function faultAt(path: readonly (string | number)[], error: string) {
  const when = ({ value }: { readonly value: unknown }): boolean =>
    typeof value === 'object' && value !== null;
  return { path: [...path], error, when };
}
