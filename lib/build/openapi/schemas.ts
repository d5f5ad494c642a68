/** The schemas in `components`: the zod schemas as JSON Schema, with names, rules and field descriptions. */
import * as z from 'zod/mini';
import { bulkRecipients } from '../../../shared/message/send/bulk-recipients.ts';
import { referenceCharactersMax } from '../../../shared/message/send/send-fields.ts';
import {
  endpointDisabled,
  inboundEvent,
  recipientEvent,
  webhookEvent,
} from '../../../shared/webhook/event-body.schema.ts';
import { errorSchemas } from './error-examples.ts';
import { commonNotes, schemaNotes } from './field-notes.ts';
import { bySection, forEachPart, type JsonSchema, nameParts, referenceTo } from './named-schemas.ts';
import { requests } from './requests.ts';
import { responseSchemas } from './response-schemas.ts';

/** The row of a bulk. The request schema accepts any row, because an invalid row is only reported in the response. */
const extraSchemas = (): Record<string, JsonSchema> => ({
  BulkRecipient: { oneOf: [{ $ref: referenceTo('BulkRow') }, { $ref: referenceTo('PhoneNumber') }] },
  PhoneNumber: { type: 'string', description: 'A phone number in international format.' },
  BulkRow: {
    type: 'object',
    properties: {
      to: { type: 'string' },
      variables: { anyOf: [{ $ref: referenceTo('TemplateVariables') }, { type: 'null' }] },
      message: { type: ['string', 'null'], minLength: 1 },
      reference: { type: ['string', 'null'], minLength: 1, maxLength: referenceCharactersMax },
    },
    required: ['to'],
  },
  TemplateVariables: { type: 'object', additionalProperties: true },
});

/**
 * Fields that accept a text, a list or an object. Generators have no type for them, so only the descriptions state the
 * permitted values.
 */
const fieldsOfAnyType = ['TemplateParameters.header', 'TemplateParameters.body'];

/**
 * Distinguishes the two forms of the response. The rule uses `if`, which validators apply but generators ignore, so
 * generated clients get one type.
 */
const messageOrBatch: JsonSchema = {
  if: {
    properties: { message_id: { type: 'string' } },
    required: ['message_id'],
    additionalProperties: true,
  },
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema.
  then: { $ref: referenceTo('Message') },
  else: { $ref: referenceTo('Batch') },
};

export function componentSchemas() {
  const schemas = extraSchemas();
  const named = {
    ...requests,
    ...responseSchemas,
    ...errorSchemas,
    WebhookEvent: webhookEvent,
    WebhookEndpointDisabledEvent: endpointDisabled,
    InboundMessageEvent: inboundEvent,
    RecipientEvent: recipientEvent,
  };
  for (const [name, schema] of Object.entries(named)) schemas[name] = jsonSchemaOf(schema);
  for (const schema of Object.values(schemas)) {
    forEachPart(schema, withoutPatternOfFormat);
    // This runs last, because parts that are used twice are added at the end.
    forEachPart(schema, joinNull);
  }
  nameParts(schemas);
  asOneOf(schemas.TemplateButton);
  for (const place of fieldsOfAnyType) replaceField(schemas, place, {});
  replaceField(schemas, 'WebhookSelection.origin', { type: ['string', 'null'], format: 'origin' });
  for (const [name, schema] of Object.entries(schemas)) describeFields(name, schema);
  Object.assign(schemas.MessageOrBatch ?? {}, messageOrBatch);
  return bySection(
    Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => a.localeCompare(b, 'en'))),
  );
}

function jsonSchemaOf(schema: z.ZodMiniType): JsonSchema {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === bulkRecipients) jsonSchema.items = { $ref: referenceTo('BulkRecipient') };
      simplify(jsonSchema);
    },
  }) as JsonSchema;
  return json;
}

/** Removes keywords that add no information. */
function simplify(schema: JsonSchema): void {
  if (schema.enum !== undefined) for (const bound of ['minLength', 'maxLength']) delete schema[bound];
  // The limits of safe integers are not a rule of the field.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.type === 'integer' && schema.exclusiveMinimum === 0) {
    delete schema.exclusiveMinimum;
    schema.minimum = 1;
  }
  // Objects accept unknown fields, so `propertyNames` has no effect.
  if (schema.propertyNames !== undefined && schema.additionalProperties === undefined)
    delete schema.propertyNames;
  // Removes `readOnly`, because all fields of responses are read-only.
  delete schema.readOnly;
}

/** Removes the very long pattern that zod adds to a format, because the format suffices. */
function withoutPatternOfFormat(schema: JsonSchema): void {
  if (schema.format === 'date-time' || schema.format === 'uri') delete schema.pattern;
}

/** Replaces `anyOf: [{ type: 'string' }, { type: 'null' }]` by `type: ['string', 'null']`, which more tools display well. */
function joinNull(schema: JsonSchema): void {
  const [first, second, ...more] = (schema.anyOf ?? []) as JsonSchema[];
  if (first === undefined || second?.type !== 'null' || more.length > 0) return;
  if (typeof first.type !== 'string' || first.enum !== undefined || first.properties !== undefined) return;
  delete schema.anyOf;
  Object.assign(schema, { ...first, ...schema, type: [first.type, 'null'] });
}

/** Replaces `anyOf` by `oneOf` if no value matches two alternatives. */
function asOneOf(schema: JsonSchema | undefined): void {
  if (schema?.anyOf === undefined) throw new Error('no alternatives');
  schema.oneOf = schema.anyOf;
  delete schema.anyOf;
}

function replaceField(schemas: Readonly<Record<string, JsonSchema>>, place: string, rule: JsonSchema): void {
  const [schema = '', field = ''] = place.split('.');
  const properties = schemas[schema]?.properties as Record<string, JsonSchema> | undefined;
  if (properties?.[field] === undefined) throw new Error(`the document has no ${place}`);
  properties[field] = rule;
}

/**
 * Describes every field. Uses the description next to the field, or else the note for this field of this schema, or else
 * the note for the field's name. Runs last.
 */
function describeFields(name: string, schema: JsonSchema): void {
  for (const [field, property] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
    const { description = schemaNotes[name]?.[field] ?? commonNotes[field] } = property;
    delete property.description;
    if (description !== undefined) property.description = filledIn(String(description), property);
  }
}

/** @throws Error if the description names a keyword that the field does not have */
function filledIn(description: string, property: JsonSchema): string {
  return description.replaceAll(/\{((?:min|max)[A-Za-z]+)\}/g, (_, bound: string) => {
    if (property[bound] === undefined) throw new Error(`there is no ${bound} in: ${description}`);
    return String(property[bound]);
  });
}
