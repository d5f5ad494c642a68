/** The `components.schemas` of the document: the zod schemas as JSON Schema, with field descriptions. */
import * as z from 'zod/mini';
import { bulkRecipients } from '../../../shared/message/send/bulk-rows.ts';
import { answers } from './answers.ts';
import { errorSchemas } from './errors.ts';
import { webhookEvent } from './events.ts';
import { fieldNotes } from './field-notes.ts';
import { requests } from './requests.ts';

export type JsonSchema = { [keyword: string]: unknown };

/** The schema of a bulk's row. The request's schema accepts any row, because an invalid one is only reported. */
const recipientRow: JsonSchema = {
  anyOf: [
    { type: 'string' },
    {
      type: 'object',
      properties: {
        to: { type: 'string' },
        variables: {
          type: ['object', 'null'],
          additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
        },
        message: { type: ['string', 'null'], minLength: 1 },
        reference: { type: ['string', 'null'], minLength: 1, maxLength: 128 },
      },
      required: ['to'],
    },
  ],
};

export function componentSchemas(): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {};
  const add = (named: Readonly<Record<string, z.ZodMiniType>>): void => {
    for (const [name, schema] of Object.entries(named)) schemas[name] = jsonSchemaOf(name, schema);
  };
  add(requests);
  add(answers);
  add(errorSchemas);
  add({ WebhookEvent: webhookEvent });
  return schemas;
}

function jsonSchemaOf(name: string, schema: z.ZodMiniType): JsonSchema {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === bulkRecipients) jsonSchema.items = recipientRow;
      // The format is enough; the pattern that zod adds is very long.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      joinNull(jsonSchema);
      letTextBeDefault(jsonSchema);
    },
  }) as JsonSchema;
  annotate(json, [name]);
  return json;
}

/** `anyOf: [{ type: 'string' }, { type: 'null' }]` as `type: ['string', 'null']`, which more tools show well. */
function joinNull(schema: JsonSchema): void {
  const [first, second, ...more] = (schema.anyOf ?? []) as JsonSchema[];
  if (first === undefined || second?.type !== 'null' || more.length > 0) return;
  if (typeof first.type !== 'string' || first.enum !== undefined) return;
  delete schema.anyOf;
  Object.assign(schema, first, { type: [first.type, 'null'] });
}

/** A WhatsApp message without `type` is a text; the operation adds the type before it parses the request. */
function letTextBeDefault(schema: JsonSchema): void {
  const { properties, required } = schema as { properties?: Record<string, JsonSchema>; required?: string[] };
  if (properties?.type?.const !== 'text' || properties.message === undefined) return;
  schema.required = required?.filter((field) => field !== 'type');
}

/** Adds its description to every property; the most specific name wins. */
function annotate(schema: unknown, path: readonly string[]): void {
  if (typeof schema !== 'object' || schema === null) return;
  if (Array.isArray(schema)) {
    for (const part of schema) annotate(part, path);
    return;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties') {
      for (const [field, property] of Object.entries(value as Record<string, JsonSchema>)) {
        const place = [...path, field];
        annotate(property, place);
        const note = noteOf(place);
        if (note !== undefined) property.description ??= note;
      }
    } else if (keyword !== 'enum' && keyword !== 'const') {
      annotate(value, path);
    }
  }
}

/** `A.b.c`, else `A.c`, else `b.c`, else `c`. */
function noteOf(place: readonly string[]): string | undefined {
  const field = place.at(-1) ?? '';
  return (
    fieldNotes[place.join('.')] ??
    fieldNotes[`${place[0]}.${field}`] ??
    fieldNotes[place.slice(-2).join('.')] ??
    fieldNotes[field]
  );
}
