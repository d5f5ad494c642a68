import { describe, expect, it } from '@jest/globals';
import { recipientsAsWritten } from '../../../shared/contract/phone-number.ts';

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
