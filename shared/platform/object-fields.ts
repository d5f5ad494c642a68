/**
 * Objects and JSON of any form: keeps fields that a type does not name, leaves out fields without a value, and parses
 * JSON without an error.
 */
import * as z from 'zod/mini';

/**
 * Makes the schema of an object that keeps unknown fields. Use it for rows, or parts of rows, that are read, changed and
 * written as a whole: during a deployment, an earlier release also writes rows of a later release, and must not drop their
 * new fields.
 */
export function openObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  // The type without the index signature, which would allow access to any name.
  return z.looseObject(shape) as unknown as z.ZodMiniObject<Shape>;
}

/** Returns the fields that have a value. */
export function withoutUndefined<Fields extends object>(fields: Fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}

/** Returns the value of a JSON text; undefined if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the numbers among these attributes of a row. */
export function numbersIn(attributes: Readonly<Record<string, unknown>>): [string, number][] {
  return Object.entries(attributes).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
}
