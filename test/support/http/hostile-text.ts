/** Unexpected text and values that a caller can send: from all of Unicode, and those that broke something before. */
import fc from 'fast-check';

/** UTF-16 code units, so that lone surrogates, non-characters and NUL are all drawn. */
const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units));

export const notableTexts: readonly string[] = [
  '',
  ' ',
  '\ud800',
  'a\udfff',
  '\uffff',
  '\ufffe',
  '\u0000',
  '\ufeff',
  '😀',
  '\u{10ffff}',
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59Z',
  '9999-12-31T23:59:59-23:59',
  '+010000-01-01T00:00:00Z',
  '1e999',
  '-1',
  'NaN',
  '__proto__',
  'constructor',
  '%',
  '%ED%A0%80',
  '%00',
  '../..',
  'a\r\nX-Evil: 1',
  '{{code}}',
  '{{',
  '#',
  '*',
  'x'.repeat(3000),
  '\uffff'.repeat(3000),
  'https://example.com/\uffff',
];

export const hostileText = fc.oneof(
  { weight: 3, arbitrary: anyUnits },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 3, arbitrary: fc.constantFrom(...notableTexts) },
);

const number = fc.oneof(
  fc.double(),
  fc.constantFrom(0, -0, -1, 5, 60, 2 ** 53, 1e21, 1e-45, 5e-324, Number.MAX_VALUE),
);

/** A value for a field that may hold another: the field's own, with hostile text behind it, among them. */
export const hostileValue = (own: unknown): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 4, arbitrary: hostileText },
    { weight: 2, arbitrary: hostileText.map((text) => (typeof own === 'string' ? own + text : text)) },
    { weight: 1, arbitrary: number },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, true, [], {}, 'x'.repeat(500_000)) },
    { weight: 1, arbitrary: fc.dictionary(hostileText, hostileText, { maxKeys: 3 }) },
    { weight: 1, arbitrary: fc.array(hostileText, { maxLength: 3 }) },
  );
