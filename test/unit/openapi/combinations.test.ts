/** The document allows the same fields beside each other as the operations: a rule that only the code has fails here. */
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { recipient } from '../../../lib/build/openapi/operations/examples.ts';
import { requests } from '../../../lib/build/openapi/requests.ts';
import { ownFormats } from '../../support/http/api-document.ts';

type Value = Readonly<Record<string, unknown>>;

const document = openApiDocument();
const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
for (const format of ownFormats) ajv.addFormat(format, true);
ajv.addSchema(document, 'openapi');
const bodies = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}))
  .flatMap(({ schema, examples }) =>
    Object.values(examples).map(({ value }) => ({
      name: String(schema.$ref).split('/').at(-1) as keyof typeof requests,
      value: value as Value,
    })),
  );

/** A value of each field by its name, from all examples: other operations have fields of the same name and form. */
const values = new Map<string, unknown[]>();
for (const { value } of bodies) collect(value);

function collect(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [field, part] of Object.entries(value)) {
    if (!Array.isArray(value)) values.set(field, [...(values.get(field) ?? []), part]);
    collect(part);
  }
}

function isObject(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schema that an object in a body is of, by its place. */
function fieldsOf(schema: unknown): Value {
  const { $ref, properties, anyOf, oneOf, items } = (schema ?? {}) as Record<string, unknown>;
  if (typeof $ref === 'string') return fieldsOf(document.components.schemas[$ref.split('/').at(-1) ?? '']);
  if (isObject(properties)) return properties;
  const alternatives = [anyOf ?? oneOf ?? []].flat().map(fieldsOf);
  if (alternatives.length > 0) return alternatives.find((fields) => Object.keys(fields).length > 0) ?? {};
  return items === undefined ? {} : fieldsOf(items);
}

/** The object, and each object in it, with a field more, a field less, another value of a field, or an item twice. */
function variants(value: Value, fields: Value): Value[] {
  const own = Object.entries(fields).flatMap(([field]) => {
    const given = [undefined, null, ...(values.get(field) ?? [])];
    return given.map((other) => changed(value, field, other));
  });
  const inside = Object.entries(value).flatMap(([field, part]) => {
    const items: readonly unknown[] = Array.isArray(part) ? part : [part];
    const inItems = items.flatMap((item, index) => {
      if (!isObject(item)) return [];
      return variants(item, fieldsOf(fields[field])).map((other) => items.with(index, other));
    });
    const lists = Array.isArray(part) ? [...inItems, ...items.map((item) => [...items, item])] : inItems;
    return lists.map((list) => changed(value, field, Array.isArray(part) ? list : list[0]));
  });
  return [...own, ...inside];
}

function changed(value: Value, field: string, other: unknown): Value {
  const { [field]: _, ...rest } = value;
  return other === undefined ? rest : { ...rest, [field]: other };
}

/** A bulk request none of whose rows can be sent is well-formed; the operation refuses it for its rows. */
const refusedLater: readonly string[] = ['BulkSms'];

describe('a request body with one field more, less or otherwise than in the examples', () => {
  it('is valid by the document where the operation takes it, and only there', () => {
    const different: unknown[] = [];
    const counts = { accepted: 0, refused: 0 };
    for (const { name, value } of bodies) {
      const isValid = ajv.compile({ $ref: `openapi#/components/schemas/${name}` });
      for (const other of variants(value, fieldsOf(document.components.schemas[name]))) {
        const { success } = requests[name].safeParse(other);
        counts[success ? 'accepted' : 'refused'] += 1;
        if (isValid(other) !== success && !(success && refusedLater.includes(name)))
          different.push([name, other, success ? isValid.errors : 'refused']);
      }
    }
    expect(different).toEqual([]);
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(200);
  });
});

describe('a text of white space', () => {
  it('is not valid where the operation refuses it, in whichever characters', () => {
    const blanks = [...Array(0x3100).keys(), 0xfeff]
      .map((code) => String.fromCharCode(code))
      .filter(
        (text) =>
          text.isWellFormed() && !requests.SmsMessage.safeParse({ to: recipient, message: text }).success,
      );
    expect(blanks).toEqual(expect.arrayContaining(['\t', ' ', '\u001c', '\u0085', '\u2028', '\ufeff']));
    const bodiesWith = (message: string): [string, Value][] => [
      ['SmsMessage', { to: recipient, message }],
      ['WhatsappMessage', { to: recipient, message }],
      ['BulkSms', { message, recipients: [recipient] }],
      ['BulkSms', { message: 'A', recipients: [{ to: recipient, message }] }],
      ['BulkSms', { recipients: [{ to: recipient, message }] }],
    ];
    const valid = [...blanks, 'A'].flatMap((text) =>
      bodiesWith(text).flatMap(([name, body]) =>
        ajv.validate(`openapi#/components/schemas/${name}`, body) ? [[name, text]] : [],
      ),
    );
    expect(valid).toEqual(bodiesWith('A').map(([name]) => [name, 'A']));
  });
});
