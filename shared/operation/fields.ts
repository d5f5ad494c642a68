/** Fields of requests and responses: optional ones, date-times, faults that depend on more than one field, descriptions. */
import * as z from 'zod/mini';
import { describe } from 'zod/mini';

/** Makes a field optional. Null means the same as an absent field: clients that serialize their own types send null. */
export function optional<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.optional(
    z.pipe(
      z.nullish(schema),
      z.transform((value) => value ?? undefined),
    ),
  );
}

export function withDefault<Schema extends z.ZodMiniType>(schema: Schema, value: z.output<Schema>) {
  return z.pipe(
    z.nullish(schema),
    z.transform((given) => given ?? value),
  );
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/**
 * Returns the options with which `z.refine` reports an error at this field, together with the errors of other fields. The
 * other fields may therefore have any form.
 */
export function faultAt(path: readonly (string | number)[], error: string) {
  const when = ({ value }: { readonly value: unknown }): boolean =>
    typeof value === 'object' && value !== null;
  return { path: [...path], error, when };
}

const form = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)([Zz]|[+-]\d\d:?\d\d)$/;
const strict = z.iso.datetime({ offset: true });

const dateTimeRule = 'must be a date-time such as 2026-11-20T10:00:00Z';

/**
 * A date-time of a request, parsed to the date: RFC 3339, and the offset without a colon that some libraries write
 * (`+0000`).
 */
export const dateTime = z.pipe(
  z.string().check(
    z.superRefine<string>((text, context) => {
      if (isDateTime(text)) return;
      // In a query, a plus that is not written `%2B` arrives as a space.
      const hint = isDateTime(text.replace(' ', '+')) ? '. Write + in a URL as %2B.' : '';
      context.addIssue({ code: 'custom', message: `${dateTimeRule}${hint}` });
    }),
    z.meta({ format: 'date-time' }),
  ),
  z.transform((text) => new Date(normal(text))),
);

function isDateTime(text: string): boolean {
  return strict.safeParse(normal(text)).success;
}

/** Returns the text in the form that `z.iso.datetime` and `Date` accept; any other text unchanged. */
function normal(text: string): string {
  const [, day, time, zone] = form.exec(text) ?? [];
  if (day === undefined || zone === undefined) return text;
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  return `${day}T${time}${offset}`;
}

/** Describes a field in the API document. Functions do not load response schemas, so a description costs them nothing. */
export function described<Schema extends z.ZodMiniType>(schema: Schema, text: string): Schema {
  return schema.check(describe(text));
}
