/**
 * Selects the schemas of methods, errors and webhooks, from which the clients' types are generated. Rules that only the
 * gateway checks are removed, so that a changed rule breaks no client.
 */
import type { OpenApiDocument } from '../openapi/document.ts';
import type { JsonSchema } from '../openapi/named-schemas.ts';
import { type ClientMethod, queryName, schemaName } from './client-methods.ts';

export type ClientSchemas = Readonly<Record<string, JsonSchema>>;

/** The keywords that determine a type. */
const kept = [
  '$ref',
  'type',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'enum',
  'const',
  'x-extensible-enum',
  'anyOf',
  'oneOf',
  'description',
  'deprecated',
];

/** The schemas that every client needs: errors and webhooks. */
const always = [
  'ErrorResponse',
  'WebhookEvent',
  'InboundMessageEvent',
  'RecipientEvent',
  'WebhookEndpointDisabledEvent',
];

export function clientSchemas(document: OpenApiDocument, methods: readonly ClientMethod[]): ClientSchemas {
  const { schemas, 'x-dry-run': ofDryRuns } = document.components;
  const all: Record<string, JsonSchema> = { ...schemas, ...ofDryRuns, ...querySchemas(document) };
  const wanted = new Set<string>();
  const visit = (name: string): void => {
    if (wanted.has(name)) return;
    wanted.add(name);
    for (const other of namesIn(typesOnly(all[name] ?? {}))) visit(other);
  };
  for (const { query, body, response } of methods)
    for (const name of [query, body, response]) if (name !== undefined) visit(name);
  for (const name of always) visit(name);
  const names = [...wanted].toSorted((a, b) => a.localeCompare(b, 'en'));
  return Object.fromEntries(names.map((name) => [name, typesOnly(all[name] ?? {})]));
}

function querySchemas({ paths }: OpenApiDocument): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {};
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  for (const { operationId, parameters = [] } of operations) {
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    if (inQuery.length === 0) continue;
    schemas[queryName(operationId)] = {
      type: 'object',
      properties: Object.fromEntries(
        inQuery.map(({ name, schema, description }) => [
          String(name),
          { ...(schema as JsonSchema), ...(description === undefined ? {} : { description }) },
        ]),
      ),
      required: inQuery.filter(({ required }) => required).map(({ name }) => name),
    };
  }
  return schemas;
}

function typesOnly(schema: JsonSchema): JsonSchema {
  const isOpen = 'x-extensible-enum' in schema;
  const entries = Object.entries(schema).filter(
    ([keyword, value]) =>
      (kept.includes(keyword) && !(isOpen && keyword === 'enum')) ||
      (keyword === 'format' && value === 'date-time'),
  );
  const types = withParts(Object.fromEntries(entries), typesOnly);
  const name = schemaName(schema);
  // All schemas are in one document, so a schema's name is a sufficient reference.
  return name === undefined ? types : { ...types, $ref: `#/components/schemas/${name}` };
}

/** Returns the schema after `changed` is applied to each schema inside it. */
function withParts(schema: JsonSchema, changed: (part: JsonSchema) => JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties') {
        const fields = Object.entries(value as Record<string, JsonSchema>);
        return [keyword, Object.fromEntries(fields.map(([field, part]) => [field, changed(part)]))] as const;
      }
      if (Array.isArray(value) && (keyword === 'anyOf' || keyword === 'oneOf'))
        return [keyword, value.map(changed)] as const;
      if ((keyword === 'items' || keyword === 'additionalProperties') && typeof value === 'object')
        return [keyword, changed(value as JsonSchema)] as const;
      return [keyword, value] as const;
    }),
  );
}

function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = schemaName(schema as JsonSchema);
  return [...(own === undefined ? [] : [own]), ...Object.values(schema).flatMap(namesIn)];
}

/**
 * Returns the schemas for a generator that creates a class for each named schema. Schemas that are not objects are inlined.
 * Enums accept any string, because a release may add a value, and the generated classes refuse unknown values.
 */
export function withClassesForObjectsOnly(schemas: ClientSchemas): Record<string, JsonSchema> {
  const isObject = (schema: JsonSchema | undefined): boolean => schema?.properties !== undefined;
  const rewritten = (schema: JsonSchema): JsonSchema => {
    const name = schemaName(schema);
    const target = name === undefined ? undefined : schemas[name];
    if (target !== undefined && !isObject(target)) {
      const { $ref, ...rest } = schema;
      return rewritten({ ...target, ...rest });
    }
    if (name !== undefined) return schema;
    const { enum: values = schema['x-extensible-enum'], 'x-extensible-enum': _, ...rest } = schema;
    if (Array.isArray(values)) {
      const { type: __, ...others } = rest;
      return { ...others, anyOf: [{ type: 'string', enum: values }, { type: 'string' }] };
    }
    const { oneOf, ...others } = withParts(schema, rewritten);
    return oneOf === undefined ? others : { ...others, anyOf: oneOf };
  };
  return Object.fromEntries(
    Object.entries(schemas)
      .filter(([, schema]) => isObject(schema))
      .map(([name, schema]) => [name, rewritten(schema)]),
  );
}
