import { expect, it } from '@jest/globals';
import { dateTime } from '../../../shared/operation/fields.ts';

const at = '2026-11-20T10:00:00.000Z';

it.each([
  ['2026-11-20T10:00:00Z', at],
  ['2026-11-20t10:00:00z', at],
  ['2026-11-20T10:00:00.000Z', at],
  ['2026-11-20T10:00:00.000000Z', at],
  ['2026-11-20T12:00:00+02:00', at],
  ['2026-11-20T12:00:00+0200', at],
  ['2026-11-20T10:00:00+0000', at],
  ['2026-11-20T10:00:00-00:00', at],
])('%s is taken', (text, taken) => {
  expect(dateTime.parse(text).toISOString()).toBe(taken);
});

it.each([
  '2026-11-20',
  '2026-11-20T10:00:00',
  '2026-02-30T10:00:00Z',
  '2026-11-20 10:00:00Z',
  '1795168800',
  '',
  5,
])('%j is refused', (text) => {
  expect(dateTime.safeParse(text).success).toBe(false);
});

it('a plus that was not encoded in a URL is named in the error', () => {
  expect(dateTime.safeParse('2026-11-20T10:00:00 01:00').error?.issues[0]?.message).toBe(
    'must be a date-time such as 2026-11-20T10:00:00Z. Write + in a URL as %2B.',
  );
});
