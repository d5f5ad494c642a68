/** Request fields that may be left out. */
import * as z from 'zod/mini';

/** An absent field and null mean the same: clients that serialise their own types send null. */
export function optional<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.optional(
    z.pipe(
      z.nullish(schema),
      z.transform((value) => value ?? undefined),
    ),
  );
}

/** As `optional`; what is absent or null is read as the default, so that all three are the same request. */
export function withDefault<Schema extends z.ZodMiniType>(schema: Schema, value: z.output<Schema>) {
  return z.pipe(
    z.nullish(schema),
    z.transform((given) => given ?? value),
  );
}
