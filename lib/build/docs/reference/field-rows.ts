/** A JSON Schema as table rows: each field with its path, type and description. */
import type { JsonSchema } from '../../openapi/named-schemas.ts';
import { codeRow, type Html, html, inline, table } from '../html.ts';

interface FieldRow {
  /** `history[].status` */
  readonly name: string;
  readonly kind: string;
  readonly required: boolean;
  readonly note: string;
}

export type Resolve = (reference: string) => JsonSchema;

export function fieldRows(schema: JsonSchema, resolve: Resolve, prefix = ''): FieldRow[] {
  if (typeof schema.$ref === 'string') return fieldRows(resolve(schema.$ref), resolve, prefix);
  const all = schemasOf(schema.allOf).flatMap((part) => fieldRows(part, resolve, prefix));
  const variants = [...schemasOf(schema.oneOf), ...schemasOf(schema.anyOf)];
  return [...all, ...ownRows(schema, resolve, prefix), ...variantRows(variants, resolve, prefix)];
}

function ownRows(schema: JsonSchema, resolve: Resolve, prefix: string): FieldRow[] {
  const required = new Set((schema.required ?? []) as string[]);
  const rows: FieldRow[] = [];
  for (const [field, property] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
    const name = prefix === '' ? field : `${prefix}.${field}`;
    const note = typeof property.description === 'string' ? property.description : '';
    rows.push({ name, kind: kindOf(property, resolve), required: required.has(field), note });
    rows.push(...fieldRows(property, resolve, name));
  }
  const items = schema.items as JsonSchema | undefined;
  if (items !== undefined) rows.push(...fieldRows(items, resolve, `${prefix}[]`));
  return rows;
}

/** Merges the rows of a field that several variants have; it is required only if each of them requires it. */
function variantRows(variants: readonly JsonSchema[], resolve: Resolve, prefix: string): FieldRow[] {
  const perVariant = variants.map((variant) => fieldRows(variant, resolve, prefix));
  const byName = Map.groupBy(perVariant.flat(), (row) => row.name);
  return [...byName.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const kinds = [...new Set(same.map((row) => row.kind))];
    return {
      ...first,
      kind: kinds.length > 3 && kinds.every(isLiteral) ? kinds.join(' | ') : kinds.slice(0, 8).join(' | '),
      required: same.length === variants.length && same.every((row) => row.required),
    };
  });
}

const isLiteral = (kind: string): boolean => kind.startsWith('"');

/** `string (date-time) | null` */
export function kindOf(schema: JsonSchema, resolve: Resolve): string {
  if (typeof schema.$ref === 'string') return kindOf(resolve(schema.$ref), resolve);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const variants = [...schemasOf(schema.oneOf), ...schemasOf(schema.anyOf)];
  const kinds = typesOf(schema);
  if (kinds.length === 0 && variants.length > 0) {
    const each = [...new Set(variants.map((variant) => kindOf(variant, resolve)))];
    // An enum that may grow is shown by its type only: its values have a table of their own.
    return (each.includes('string') ? each.filter((kind) => !isLiteral(kind)) : each).join(' | ');
  }
  const base = kinds.length === 0 ? 'any' : kinds.join(' | ');
  return [base, ...bounds(schema)].join(', ');
}

/** Returns the types of a schema, including those of `then` and `else`, where conditions select the type. */
function typesOf({ type, if: condition, else: otherwise }: JsonSchema): string[] {
  const own = [type ?? []].flat().map(String);
  if (own.length > 0 || condition === undefined) return own;
  return [...new Set([condition, otherwise ?? {}].flatMap((part) => typesOf(part as JsonSchema)))];
}

/** For generators: their readers do not count bits. */
const integerFormat = /^int\d+$/;

function bounds(schema: JsonSchema): string[] {
  const range = (low: unknown, high: unknown, unit: string): string[] => {
    if (low === undefined && high === undefined) return [];
    // The bounds of safe integers are not shown.
    if (typeof high === 'number' && high >= Number.MAX_SAFE_INTEGER) return range(low, undefined, unit);
    const span =
      low === undefined ? `at most ${high}` : high === undefined ? `at least ${low}` : `${low}–${high}`;
    return [`${span}${low === 1 && high === undefined ? unit.replace(/s$/, '') : unit}`];
  };
  return [
    ...(typeof schema.format === 'string' && !integerFormat.test(schema.format) ? [schema.format] : []),
    ...range(schema.minLength, schema.maxLength, ' characters'),
    ...range(schema.minimum, schema.maximum, ''),
    ...range(schema.minItems, schema.maxItems, ' items'),
  ];
}

function schemasOf(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? (value as JsonSchema[]) : [];
}

/**
 * Makes the table.
 *
 * @param place - the prefix of each row's id
 * @param mark - the word after fields that are always present, or required
 */
export function fieldTable(schema: JsonSchema, resolve: Resolve, place: string, mark?: string): Html {
  const target = typeof schema.$ref === 'string' ? resolve(schema.$ref) : schema;
  // A schema with several possible bodies has a table for each, headed by the schema's name.
  if (Array.isArray(target.oneOf)) {
    return html`${(target.oneOf as JsonSchema[]).map((one) => {
      const name = String(one.$ref).split('/').at(-1) ?? '';
      return html`<h5>${name}</h5>${fieldTable(one, resolve, `${place}.${name}`, mark)}`;
    })}`;
  }
  const rows = fieldRows(target, resolve);
  if (rows.length === 0) return html``;
  return table(
    [{ title: 'Field' }, { title: 'Kind', quiet: true }, { title: 'Meaning' }],
    rows.map(({ name, kind, required, note }) => ({
      ...codeRow(`${place}.${name}`, breakable(name), kind, inline(note)),
      mark: required ? mark : mark === undefined ? 'optional' : undefined,
    })),
  );
}

/** Permits a line break after each dot. */
function breakable(name: string): Html[] {
  return name.split(/(?<=\.)/).map((part, index) => (index === 0 ? html`${part}` : html`<wbr>${part}`));
}
