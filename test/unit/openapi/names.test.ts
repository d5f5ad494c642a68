/** The names that generators make of the document are such as a person would write. */
import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import type { JsonSchema } from '../../../lib/build/openapi/named-schemas.ts';

const { components, paths } = openApiDocument();
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));

/** `webhook_url` as `WebhookUrl`. */
function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Generators make a type of a list of values, and of an object, named after its place. */
function namesBelow(place: string, schema: JsonSchema): string[] {
  const { enum: values, const: value, properties, items, additionalProperties, anyOf, oneOf } = schema;
  const isType = values !== undefined || typeof value === 'string' || properties !== undefined;
  return [
    ...(isType ? [place] : []),
    ...Object.entries((properties ?? {}) as Record<string, JsonSchema>).flatMap(([field, part]) =>
      namesBelow(`${place}${pascalCase(field)}`, part),
    ),
    ...(items === undefined ? [] : namesBelow(`${place}Item`, items as JsonSchema)),
    ...(typeof additionalProperties === 'object'
      ? namesBelow(`${place}Value`, additionalProperties as JsonSchema)
      : []),
    ...([anyOf ?? [], oneOf ?? []].flat() as JsonSchema[]).flatMap((part, index) =>
      namesBelow(`${place}AnyOf${index}`, part),
    ),
  ];
}

function words(name: string): string[] {
  return name.split(/(?=[A-Z])|_/).map((word) => word.toLowerCase());
}

const schemaNames = Object.keys(components.schemas);
const ofSchemas = Object.entries(components.schemas).flatMap(([name, schema]) => namesBelow(name, schema));
const ofParameters = operations.flatMap(({ operationId, parameters = [] }) =>
  parameters.flatMap(({ name, schema }) =>
    namesBelow(`${pascalCase(operationId)}${pascalCase(String(name))}`, schema as JsonSchema),
  ),
);
const names = [...new Set([...schemaNames, ...ofSchemas, ...ofParameters])];

describe('a name that a generator makes of the document', () => {
  it('is of many: the lists of values without a name of their own are among them', () => {
    expect(names).toEqual(expect.arrayContaining(['SmsMessage', 'ButtonType', 'ListMessagesDirection']));
  });

  it('says no word twice, as `TestEventEvent` would', () => {
    const doubled = names.filter((name) => words(name).some((word, index, all) => word === all[index + 1]));
    expect(doubled).toEqual([]);
  });

  it('says no word twice where a field that may be null is a type too, as `FallbackMessageMessage` would', () => {
    const ofNullable = Object.entries(components.schemas).flatMap(([name, { properties }]) =>
      Object.entries((properties ?? {}) as Record<string, JsonSchema>)
        .filter(([, { type }]) => Array.isArray(type) && type.includes('null'))
        .map(([field]) => `${name}${pascalCase(field)}`),
    );
    const doubled = ofNullable.filter((name) =>
      words(name).some((word, index, all) => word === all[index + 1]),
    );
    expect(doubled).toEqual(['WhatsappMessageMessage']);
  });

  it('has no word that only a generator writes', () => {
    expect(
      names.filter((name) => /Item\d*$|Item[A-Z]|Value$|Inner|AnyOf|OneOf|AllOf|\d$/.test(name)),
    ).toEqual([]);
    expect(schemaNames.filter((name) => /Dto$|Model$|Response\d*$/.test(name))).toEqual(['ErrorResponse']);
  });

  it('is not parted inside a word, as `send_whats_app` would be', () => {
    const parted = [...names, ...operations.map(({ operationId }) => operationId)];
    expect(
      parted.filter((name) => words(name).some((word) => word === 'whats' || word.length === 1)),
    ).toEqual([]);
  });

  it('is the file of no test in Go, where `queued_test.go` would not be compiled', () => {
    expect(names.filter((name) => words(name).at(-1) === 'test')).toEqual([]);
  });

  it('is not that of a client in Go, whose constants have no prefix if no two lists share the value', () => {
    const values = JSON.stringify({ components, paths }).matchAll(/"enum":(\[[^\]]*\])/g);
    const constants = Array.from(values, ([, list = '']) => JSON.parse(list) as string[]);
    const alone = constants.filter((list) => {
      const others = constants.filter((other) => other !== list).flat();
      return !list.some((value) => others.includes(value));
    });
    expect(alone.flat().map(pascalCase)).not.toContain('Client');
    expect(constants.flat()).toContain('client');
  });

  it('is of one thing: no two differ in the case of letters only', () => {
    const folded = names.map((name) => name.toLowerCase());
    expect(names.filter((name, index) => folded.indexOf(name.toLowerCase()) !== index)).toEqual([]);
  });

  it('is not made of names that a document gives to constants, which is read differently by each generator', () => {
    expect(JSON.stringify(components)).not.toMatch(/x-enum-?(varnames|names)/i);
  });
});

describe('the OpenAPI document', () => {
  it('names every part that a generator makes a type of (lib/build/openapi/named-schemas.ts), and has no kinds that they cannot distinguish', () => {
    const found: string[] = [];
    const walk = (schema: unknown, place: string, isNamed: boolean): void => {
      if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
      const { properties, items, additionalProperties, anyOf, oneOf, allOf, type, ...rest } =
        schema as Record<string, unknown>;
      const kinds = [type ?? []].flat().filter((kind) => kind !== 'null');
      if (kinds.length > 1) found.push(`${place} is of several kinds`);
      if (allOf !== undefined) found.push(`${place} is of several parts`);
      if (typeof rest.const === 'boolean') found.push(`${place} is a constant`);
      if (rest.enum !== undefined && (rest.minLength !== undefined || rest.pattern !== undefined))
        found.push(`${place} bounds its values twice`);
      if (rest.format === 'date-time' && rest.pattern !== undefined) found.push(`${place} has a pattern`);
      if (properties !== undefined && !isNamed) found.push(`${place} has fields and no name`);
      for (const [field, property] of Object.entries(properties ?? {}))
        walk(property, `${place}.${field}`, false);
      walk(items, `${place}[]`, false);
      walk(additionalProperties, `${place}{}`, false);
      const alternatives = [anyOf ?? [], oneOf ?? []].flat() as { $ref?: string; type?: string }[];
      const unnamed = alternatives.filter(({ $ref, type: kind }) => $ref === undefined && kind !== 'null');
      if (unnamed.length > 0) found.push(`${place} has an alternative without a name`);
    };
    for (const [name, schema] of Object.entries(components.schemas)) walk(schema, name, true);
    for (const { operationId, requestBody, responses } of operations) {
      const contents = [requestBody, ...Object.values(responses)].map((body) => body?.content);
      for (const [mediaType, { schema }] of contents.flatMap((content) => Object.entries(content ?? {})))
        walk(schema, `${operationId} ${mediaType}`, false);
    }
    expect(found).toEqual([]);
  });

  it('has no name that a generator makes of an operation', () => {
    const ofGenerators = operations.flatMap(({ operationId }) =>
      ['Request', 'Response', 'Params', 'Data', 'Error', 'Errors', 'Responses', 'Body'].map((suffix) =>
        `${operationId}${suffix}`.toLowerCase(),
      ),
    );
    const names = Object.keys(components.schemas);
    expect(names.filter((name) => ofGenerators.includes(name.toLowerCase()))).toEqual([]);
  });

  it('has no two names that are the same in a client in Go: constructors, and constants of lists of values', () => {
    const { schemas } = components;
    const names = Object.keys(schemas);
    expect(
      names.filter((name) => names.includes(name.replace(/^New/, '')) && name.startsWith('New')),
    ).toEqual([]);
    const constants = Object.values(schemas).flatMap((schema) =>
      ((schema.enum ?? []) as string[]).map((value) => value.toUpperCase().replaceAll(/\W/g, '_')),
    );
    expect(constants.filter((constant, index) => constants.indexOf(constant) !== index)).toEqual([]);
  });
});
