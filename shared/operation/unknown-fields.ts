/** Finds the fields of a request that its schema does not know: they are ignored, and a header names them (contract, section 15). */
import type * as z from 'zod/mini';

type Schema = z.core.$ZodType;
type Path = readonly PropertyKey[];

/** Each path to a field that no object of the schema has, alternatives and maps excepted. */
export function unknownFields(schema: Schema, value: unknown, path: Path = []): Path[] {
  const { def } = schema._zod as { readonly def: z.core.$ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'object':
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
      return Object.entries(value).flatMap(([key, inner]) => {
        const field = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
        return field === undefined ? [[...path, key]] : unknownFields(field, inner, [...path, key]);
      });
    case 'array':
      if (!Array.isArray(value)) return [];
      return value.flatMap((item, index) => unknownFields(def.element, item, [...path, index]));
    case 'optional':
    case 'nullable':
      return unknownFields(def.innerType, value, path);
    case 'pipe':
      return unknownFields(def.in, value, path);
    default:
      return [];
  }
}
