/**
 * Rules that involve several fields, and rules for fields with several types. They use `if`, `then` and `else`, which
 * validators apply and code generators ignore. If the schema were a union of objects, a WhatsApp message would be eight
 * types in generated clients.
 */

import { recipientKeywords } from '../../../shared/contract/phone-number.ts';
import { maxMessageCharacters, visiblePattern } from '../../../shared/message/send/send-fields.ts';
import {
  buttonsMax,
  maxParameters,
  mediaFields,
  parameterCharactersMax,
  parameterNameCharactersMax,
  parameterSpacesMax,
} from '../../../shared/message/whatsapp-content.ts';
import { type JsonSchema, referenceTo } from './named-schemas.ts';

/** Returns a conditional rule. */
function when(condition: JsonSchema, holds: JsonSchema, otherwise?: JsonSchema): JsonSchema {
  return Object.fromEntries([
    ['if', condition],
    ['then', holds],
    ...(otherwise === undefined ? [] : [['else', otherwise] as const]),
  ]);
}

/** Returns the schema of an object with at least these fields. @param optional - fields that may be absent */
function having(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return {
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: true,
  };
}

function typeIs(...types: readonly string[]): JsonSchema {
  return having({ type: { enum: types } });
}

function without(...fields: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: 'null' }]));
  return { type: 'object', properties, additionalProperties: true };
}

const text: JsonSchema = { type: 'string' };
const object: JsonSchema = { type: 'object' };
/** A schema that no value satisfies. The schema is not `false`, because some generators cannot read that. */
const never: JsonSchema = { not: {} };
const list: JsonSchema = { type: 'array', items: {} };
const parameterText: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: parameterCharactersMax,
  pattern: `^( {0,${parameterSpacesMax}}[^ \\n\\r\\t])* {0,${parameterSpacesMax}}$`,
};
const namedTexts: JsonSchema = {
  type: ['object', 'null'],
  propertyNames: { minLength: 1, maxLength: parameterNameCharactersMax },
  additionalProperties: parameterText,
};

const isSms = having({ channel: { enum: ['sms'] } });
/** The rule for `fallback` if the message has no text that an SMS could use. */
const fallbackWithTexts = {
  fallback: { type: ['array', 'null'], items: when(isSms, having({ message: text })) },
};

const atMostOne = (item: JsonSchema): JsonSchema => ({
  contains: { type: 'object', ...item },
  minContains: 0,
  maxContains: 1,
});

const visibleText: JsonSchema = { type: 'string', pattern: visiblePattern };

/** Returns the schema of a valid row of a bulk. An invalid row is only reported, but at least one row must be valid. */
function validRow(more: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const to = { type: 'string', ...recipientKeywords };
  const value = { type: ['string', 'number', 'boolean', 'null'] };
  const { properties, required } = having({ to, ...more });
  const variables = { type: ['object', 'null'], additionalProperties: value };
  const message = { type: ['string', 'null'], pattern: visiblePattern };
  return {
    type: 'object',
    properties: { variables, message, ...(properties as object) },
    required,
    additionalProperties: true,
  };
}

/** The rules to add to the schemas, by the name of the schema. */
export const rules: Readonly<Record<string, JsonSchema>> = {
  Media: when(having({ url: text }), without('id'), having({ id: text })),
  WhatsappMessage: when(
    typeIs('template'),
    having({ template: object }, fallbackWithTexts),
    when(
      typeIs('location'),
      having({ location: object }, fallbackWithTexts),
      when(
        typeIs(...Object.keys(mediaFields)),
        when(
          typeIs('document'),
          having({ media: object }, fallbackWithTexts),
          when(
            typeIs('audio', 'sticker'),
            having({ media: without('caption', 'filename') }, fallbackWithTexts),
            having({ media: without('filename') }, fallbackWithTexts),
          ),
        ),
        when(
          having({ message: { type: 'string', maxLength: maxMessageCharacters } }),
          {},
          having({ message: text }, fallbackWithTexts),
        ),
      ),
    ),
  ),
  Fallback: when(
    isSms,
    without('template'),
    when(having({ template: object }), without('from', 'message'), without('from')),
  ),
  WebhookEndpointSettings: when(
    having({ url: text }),
    without('sqs', 'eventbridge'),
    when(having({ sqs: object }), without('eventbridge'), having({ eventbridge: object })),
  ),
  WebhookEndpointUpdate: when(
    having({ url: text }),
    without('sqs', 'eventbridge'),
    when(having({ sqs: object }), without('eventbridge')),
  ),
  MessageOrBatch: when(
    having({ message_id: text }),
    { $ref: referenceTo('Message') },
    { $ref: referenceTo('Batch') },
  ),
  WebhookSelection: when(having({ endpoint_id: text }), without('origin')),
  OtpVerification: when(having({ otp_id: text }), {}, having({ to: text })),
  OtpMessage: when(
    having({ template: { type: 'string', pattern: '\\{\\{\\s*brand\\s*\\}\\}' } }),
    having({ brand: text }),
  ),
  BulkSms: when(
    having({ message: visibleText }),
    having({
      recipients: {
        contains: when(text, recipientKeywords, validRow({})),
      },
    }),
    having({ recipients: { contains: validRow({ message: visibleText }) } }),
  ),
  TemplateParameters: when(having({ buttons: list }), {
    additionalProperties: true,
    // Some tools do not know `minContains` and would require such an item. These tools do not know this keyword either.
    dependentSchemas: {
      buttons: {
        properties: {
          buttons: {
            allOf: [
              atMostOne(typeIs('copy_code')),
              ...Array.from({ length: buttonsMax }, (_, place) =>
                atMostOne(having({ index: { const: place } })),
              ),
            ],
          },
        },
        additionalProperties: true,
      },
    },
  }),
  ButtonUrl: { pattern: parameterText.pattern },
  Button: when(typeIs('url'), {
    properties: { value: { pattern: parameterText.pattern } },
    additionalProperties: true,
  }),
};

/**
 * The schemas that replace the generated schema of a field. Generators have no type for "a string, a list or an object".
 * Origins are checked by code and not by a schema.
 */
export const fieldRules: Readonly<Record<string, JsonSchema>> = {
  'TemplateParameters.header': when(
    text,
    parameterText,
    when(
      list,
      { items: parameterText, minItems: 1, maxItems: 1 },
      when(
        { type: 'object', ...having({ type: text, media: object }) },
        { $ref: referenceTo('HeaderMedia') },
        { ...namedTexts, properties: { type: never, media: never }, minProperties: 1, maxProperties: 1 },
      ),
    ),
  ),
  'WebhookSelection.origin': { type: ['string', 'null'], format: 'origin' },
  'TemplateParameters.body': when(
    list,
    { items: parameterText, maxItems: maxParameters },
    { ...namedTexts, maxProperties: maxParameters },
  ),
};
