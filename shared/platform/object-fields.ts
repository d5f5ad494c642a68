/**
 * Values of any form: the fields of an object that its type does not name, which are kept, or that have no value, which are left
 * out; and what a text has as JSON.
 */
import * as z from 'zod/mini';

/**
 * The schema of an object whose other fields are kept when it is parsed, although its type does not name them. For rows,
 * or parts of rows, that are read, changed and written as a whole: during a deployment an earlier release writes rows of a
 * later one, and must not drop what that one added.
 */
export function openObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  // The type without the index signature, which would allow to read and write any name.
  return z.looseObject(shape) as unknown as z.ZodMiniObject<Shape>;
}

/** Optional fields of an object: one without a value is left out. */
type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

export function withoutUndefined<Fields extends object>(fields: Fields): Given<Fields> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Given<Fields>;
}

/** The value of a JSON text; undefined where it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
