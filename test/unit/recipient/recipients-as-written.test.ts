import { describe, expect, it } from '@jest/globals';
import {
  personInQuery,
  personKeywords,
  personSchema,
  recipientKeywords,
  recipientSchema,
  recipientsAsWritten,
  senderSchema,
} from '../../../shared/contract/phone-number.ts';

const london = '+447700900104';

describe('a number as people write it', () => {
  it.each([
    '+447700900104',
    '+44 7700 900104',
    '+44 (0)7700 900104',
    '0044 7700 900104',
    '0044-7700-900104',
    '07700 900104',
    '07700-900-104',
    '(07700) 900104',
    '07700.900.104',
    '447700900104',
    '07700\u00a0900\u2011104',
    // Copied from a contact list, with its invisible marks.
    '\u202a+44 7700 900104\u202c',
    '+44 7700 900104',
  ])('%s', (text) => {
    expect(recipientsAsWritten(text, 'GB')).toContain(london);
  });

  it.each([
    ['0171 2345678', 'DE', '+491712345678'],
    ['06 12 34 56 78', 'FR', '+33612345678'],
    ['(212) 555-0123', 'US', '+12125550123'],
    ['011 44 7700 900104', 'US', london],
    ['0044 7700 900104', 'US', london],
    ['02 1234 5678', 'IT', '+390212345678'],
  ])('%s in %s is %s', (text, country, number) => {
    expect(recipientsAsWritten(text, country)).toContain(number);
  });

  it('has each of its meanings once, the one of the country first', () => {
    expect(recipientsAsWritten('33612345678', 'FR')).toEqual(['+33612345678']);
    expect(recipientsAsWritten('4915112345678', 'FR')).toContain('+4915112345678');
    expect(recipientsAsWritten('+447700900104', 'FR')).toEqual([london]);
  });

  it.each([
    '',
    'order-42',
    '12',
    'ACME',
    '+',
    '00',
    'msg_01J9ZK3V7QF8N2M4X6R0T5W1Y3',
    `0${'7'.repeat(40)}`,
    '+44x7700900104',
  ])('is not %j', (text) => {
    expect(recipientsAsWritten(text, 'GB')).toEqual([]);
  });

  it('is found in its international forms where the country is none', () => {
    expect(recipientsAsWritten('0044 7700 900104', 'XX')).toEqual([london]);
  });
});

describe('a number in a request', () => {
  it.each([
    '+447700900104',
    '+44 7700 900104',
    ' +44 7700 900104\n',
    '+44\u00a07700\u202f900\u3000104',
    '+44-7700\u2011900\u2013104',
    '+44\u22127700\u30fc900\uff0d104',
    '+44 (0)7700 900104',
    '(+44) 7700.900-104',
    '\u202a+44 7700\u00ad900\u200b104\u202c\u2069\ufeff',
    '\uff0b\uff14\uff14\u3000\uff087700\uff09\uff19\uff10\uff10104',
  ])('is accepted as people paste it: %j', (text) => {
    expect(recipientSchema.parse(text)).toBe(london);
    expect(senderSchema.parse(text)).toBe(london);
    expect(text).toMatch(new RegExp(recipientKeywords.pattern));
  });

  it.each([
    ['+44 77O0 900104', 'It contains "O": write one + and then only digits.'],
    ['+44 7700 900104 ext. 5', 'It contains "e": write one + and then only digits.'],
    ['+447700900104, +447700900105', 'It contains ",": write one + and then only digits.'],
    ['+49 151 23456789/90', 'It contains "/": write one + and then only digits.'],
    ['+447700900104\n+447700900105', 'It contains "+": write one + and then only digits.'],
    ['+44 7700 900104\ufe0f', 'It contains U+FE0F: write one + and then only digits.'],
    ['+44 7700 90010\u0664', 'It contains "\u0664": write one + and then only digits.'],
    ['0044 7700 900104', 'Write + instead of 00.'],
    ['\uff10\uff10 44 7700 900104', 'Write + instead of 00.'],
    ['07700 900104', 'Begin with + and the country code.'],
    [' 447700900104', 'Begin with + and the country code.'],
    ['', 'Begin with + and the country code.'],
    ['+44 7700', 'Check the country code and the number of digits.'],
    ['+0044 7700 900104', 'Check the country code and the number of digits.'],
  ])('%j is refused: %s', (text, advice) => {
    expect(recipientSchema.safeParse(text).error?.issues[0]?.message).toBe(
      `must be a phone number in international format, such as +447700900123. ${advice}`,
    );
  });

  it('is no id of a WhatsApp user, unless the field takes both', () => {
    const id = 'US.13491208655302741918';
    const advice =
      'It is the id of a WhatsApp user: only POST /api/v1/whatsapp/send takes it. Give a phone number.';
    expect(recipientSchema.safeParse(id).error?.issues[0]?.message).toContain(advice);
    expect(personSchema.parse(id)).toBe(id);
    expect(personSchema.parse('+44 7700 900104')).toBe(london);
    expect(id).toMatch(new RegExp(personKeywords.pattern));
    const parent = personSchema.safeParse('US.ENT.11815799212886844830').error?.issues[0]?.message;
    expect(parent).toContain('Give the user’s own id, without ENT.');
    const malformed = personSchema.safeParse('USA.1349').error?.issues[0]?.message;
    expect(malformed).toContain('An id is two capital letters, a dot, and 1 to 128 letters and digits.');
    expect(recipientsAsWritten(id, 'GB')).toEqual([id]);
  });

  it('has at most 64 characters', () => {
    expect(recipientSchema.safeParse(london.padEnd(65)).error?.issues[0]?.code).toBe('too_big');
  });

  it('may have lost its plus in a query, where a plus is a space', () => {
    expect(personInQuery.parse(' 44 7700 900104')).toBe(london);
    expect(personInQuery.safeParse('447700900104').success).toBe(false);
  });
});
