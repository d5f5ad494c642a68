/** Handles objects and JSON of any form: keeps unknown fields, removes undefined ones, and parses JSON without throwing. */
import * as z from 'zod/mini';

/**
 * Returns the schema of an object that keeps unknown fields. Use it for rows, or parts of rows, that are read, changed and
 * written as a whole. During a deployment, an earlier release also writes rows of a later release, and must keep their new
 * fields.
 */
export function openObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  // This type has no index signature, which would allow access to any name.
  return z.looseObject(shape) as unknown as z.ZodMiniObject<Shape>;
}

/** Returns the fields that are not undefined. */
export function withoutUndefined<Fields extends object>(fields: Fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}

/** Returns the value of a JSON text; undefined if the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns those attributes of a row that are numbers. */
export function numbersIn(attributes: Readonly<Record<string, unknown>>): [string, number][] {
  return Object.entries(attributes).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
}
