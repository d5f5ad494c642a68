/** Every error text that a caller can read is ours: none of the schemas lets one of the library out. */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { requests } from '../../../lib/build/openapi/requests.ts';
import { GatewayError } from '../../../shared/contract/errors.ts';
import { listMessagesQuery } from '../../../shared/message/list-own-messages.ts';
import { dateTime, issueText } from '../../../shared/operation/fields.ts';
import { parseFields } from '../../../shared/operation/operation.ts';
import { runs } from '../../fuzz/runs.ts';

const libraryText =
  /expected|Invalid (input|option|string|key|value)|Too (big|small)|Unrecognized|pattern|undefined/;

/** The texts of what is wrong with a body. */
function textsOf(schema: z.ZodMiniType, body: unknown): string[] {
  try {
    parseFields(schema, body);
    return [];
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return [error.message, ...error.details.map(({ message }) => message)];
  }
}

it.each(Object.entries({ ...requests, listMessagesQuery }))('%s is refused in our own words', (_, schema) => {
  const fields = Object.keys('shape' in schema ? schema.shape : schema.def.in.shape);
  const place = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>('', 'x'.repeat(20_000), -1, 1.5, 1e9, [], {}, true, Array(1001).fill(1)),
    fc.dictionary(
      fc.constantFrom('name', 'language', 'parameters', 'url', 'id', 'latitude', 'type'),
      fc.jsonValue(),
    ),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...fields), place), (body) => {
      expect(textsOf(schema, body).filter((text) => libraryText.test(text))).toEqual([]);
    }),
    runs,
  );
});

it('what is wrong inside of a list or an object is said of its place, also where other kinds are taken', () => {
  const body = {
    to: '+447700900123',
    type: 'template',
    template: {
      name: 'parcel',
      language: 'en',
      parameters: {
        body: ['Ada', 5],
        header: 'x'.repeat(2000),
        buttons: ['https://example.com/', { type: 'x' }],
      },
    },
  };
  const faults = (changed: object): unknown => {
    try {
      return parseFields(requests.WhatsappMessage, { ...body, ...changed });
    } catch (error) {
      return error instanceof GatewayError ? error.details : error;
    }
  };
  const place = 'template.parameters';
  expect(faults({})).toEqual([
    { field: `${place}.header`, message: 'must have at most 1024 characters' },
    { field: `${place}.body[1]`, message: 'must be a text' },
    { field: `${place}.buttons[1].type`, message: 'must be url, quick_reply or copy_code' },
    { field: `${place}.buttons[1].value`, message: 'This field is required.' },
  ]);
  expect(faults({ template: { ...body.template, parameters: { body: 5, header: 5 } } })).toEqual([
    {
      field: `${place}.header`,
      message: 'must be a text, or one media object: {type, media} with its url or id',
    },
    { field: `${place}.body`, message: 'must be a list or an object' },
  ]);
});

it('every kind of issue has a text', () => {
  const issues: [z.ZodMiniType, unknown, string][] = [
    [z.string(), 1, 'must be a text'],
    [z.int(), 1.5, 'must be a whole number'],
    [z.number(), 'x', 'must be a number'],
    [z.boolean(), 'x', 'must be true or false'],
    [z.array(z.string()), 'x', 'must be a list'],
    [z.object({}), 'x', 'must be an object'],
    [z.record(z.string(), z.string()), 1, 'must be an object'],
    [z.date(), 1, 'must be another value'],
    [z.enum(['a', 'b']), 'x', 'must be a or b'],
    [z.enum(['a', 'b', 'c']), 'x', 'must be a, b or c'],
    [z.literal('a'), 'x', 'must be a'],
    [z.array(z.string()).check(z.maxLength(1000)), Array(1001).fill(''), 'must have at most 1000 items'],
    [z.string().check(z.minLength(1)), '', 'must not be empty'],
    [z.string().check(z.minLength(2)), 'x', 'must have at least 2 characters'],
    [z.array(z.string()).check(z.length(1)), [], 'must not be empty'],
    [z.array(z.string()).check(z.length(1)), ['', ''], 'must have 1 items'],
    [z.number().check(z.minimum(5)), 1, 'must be at least 5'],
    [z.number().check(z.positive()), 0, 'must be more than 0'],
    [z.number().check(z.negative()), 0, 'must be less than 0'],
    [z.number().check(z.multipleOf(2)), 1, 'must be a multiple of 2'],
    [z.url(), 'x', 'must be a URL'],
    [z.uuid(), 'x', 'must be in another form'],
    [z.strictObject({}), { a: 1 }, 'must not have a'],
    [z.record(z.string().check(z.minLength(2)), z.string()), { a: '' }, 'has a name that is not valid'],
    [z.union([z.string(), z.number()]), true, 'must be a text or a number'],
    [z.union([z.string(), z.array(z.string())]), [''.padEnd(2), 5], 'is not valid'],
    [z.int(), 1e99, 'is too large'],
    [z.int(), -1e99, 'is too small'],
    [z.never(), 1, 'must be left out'],
  ];
  z.config({ localeError: issueText });
  for (const [schema, value, text] of issues) {
    expect(schema.safeParse(value).error?.issues[0]?.message).toBe(text);
  }
});

it.each([
  '2026-11-20T10:00:00Z',
  '2026-11-20t10:00:00z',
  '2026-11-20T10:00:00.000Z',
  '2026-11-20T10:00:00.000000Z',
  '2026-11-20T12:00:00+02:00',
  '2026-11-20T12:00:00+0200',
  '2026-11-20T10:00:00+0000',
  '2026-11-20T10:00:00-00:00',
])('%s is taken as a date-time', (text) => {
  expect(dateTime.parse(text).toISOString()).toBe('2026-11-20T10:00:00.000Z');
});

it.each([
  ...[
    '2026-11-20',
    '2026-11-20T10:00:00',
    '2026-02-30T10:00:00Z',
    '2026-11-20 10:00:00Z',
    '1795168800',
    '',
    5,
  ],
])('%j is no date-time', (text) => {
  expect(dateTime.safeParse(text).success).toBe(false);
});

it('a plus of a date-time that was not encoded in a URL is named in the error', () => {
  expect(dateTime.safeParse('2026-11-20T10:00:00 01:00').error?.issues[0]?.message).toBe(
    'must be a date-time such as 2026-11-20T10:00:00Z. Write + in a URL as %2B.',
  );
});
