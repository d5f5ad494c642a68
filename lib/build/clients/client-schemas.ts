/**
 * Selects the schemas from which the types of the clients are generated: those that a method, an error or a webhook
 * uses, without the rules that only the gateway checks, so that a changed rule breaks no client.
 */
import type { OpenApiDocument } from '../openapi/document.ts';
import type { JsonSchema } from '../openapi/named-schemas.ts';
import { type ClientMethod, queryName, schemaName } from './client-methods.ts';

export type ClientSchemas = Readonly<Record<string, JsonSchema>>;

/** The keywords that determine types. */
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

/** The schemas that every client needs, whatever its methods: those of errors and of webhooks. */
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
  for (const { operationId, parameters = [] } of Object.values(paths).flatMap((operations) =>
    Object.values(operations),
  )) {
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
  const entries = Object.entries(schema).filter(
    ([keyword, value]) => kept.includes(keyword) || (keyword === 'format' && value === 'date-time'),
  );
  return Object.fromEntries(
    entries.map(([keyword, value]) => {
      // All schemas are in one document here.
      if (keyword === '$ref') return [keyword, referenceHere(String(value).split('/').at(-1) ?? '')] as const;
      if (keyword === 'properties')
        return [keyword, mapValues(value as Record<string, JsonSchema>, typesOnly)] as const;
      if (Array.isArray(value) && (keyword === 'anyOf' || keyword === 'oneOf'))
        return [keyword, value.map(typesOnly)] as const;
      if ((keyword === 'items' || keyword === 'additionalProperties') && typeof value === 'object')
        return [keyword, typesOnly(value as JsonSchema)] as const;
      return [keyword, value] as const;
    }),
  );
}

function referenceHere(name: string): string {
  return `#/components/schemas/${name}`;
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = schemaName(schema as JsonSchema);
  return [...(own === undefined ? [] : [own]), ...Object.values(schema).flatMap(namesIn)];
}

/**
 * The schemas for a generator that makes a class of each named schema: a schema that is not an object is inlined where
 * it is used. The generated classes refuse unknown values, so an enum also allows any other text: a release may add a
 * value.
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
    if (name !== undefined) return { ...schema, $ref: referenceHere(name) };
    const { enum: values = schema['x-extensible-enum'], 'x-extensible-enum': _, ...rest } = schema;
    if (Array.isArray(values)) {
      const { type: __, ...others } = rest;
      return { ...others, anyOf: [{ type: 'string', enum: values }, { type: 'string' }] };
    }
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        if (keyword === 'properties')
          return [keyword, mapValues(value as Record<string, JsonSchema>, rewritten)] as const;
        if (keyword === 'anyOf' || keyword === 'oneOf')
          return ['anyOf', (value as JsonSchema[]).map(rewritten)] as const;
        if ((keyword === 'items' || keyword === 'additionalProperties') && typeof value === 'object')
          return [keyword, rewritten(value as JsonSchema)] as const;
        return [keyword, value] as const;
      }),
    );
  };
  return Object.fromEntries(
    Object.entries(schemas)
      .filter(([, schema]) => isObject(schema))
      .map(([name, schema]) => [name, rewritten(schema)]),
  );
}
