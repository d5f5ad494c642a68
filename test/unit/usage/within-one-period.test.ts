import { expect, it } from '@jest/globals';
import { withinOne } from '../../support/gateway/within-one-period.ts';

/** A clock that shows these times one after the other. */
const clockOf = (times: readonly string[]) => {
  const left = times.map((time) => new Date(time));
  return () => left.shift() ?? new Date(Number.NaN);
};
const [before, after, later] = [
  '2026-12-31T23:59:59.999Z',
  '2027-01-01T00:00:00.000Z',
  '2027-01-01T00:00:09Z',
];

it('work in which the period ends is done again, whether it failed or not', async () => {
  for (const first of ['too late', new Error('too late')]) {
    const began: string[] = [];
    const work = async ({ name }: { readonly name: string }) => {
      if (began.push(name) === 2) return 'in time';
      if (first instanceof Error) throw first;
      return first;
    };
    expect(await withinOne('month', work, clockOf([before, after, after, later]))).toBe('in time');
    expect(began).toEqual(['2026-12', '2027-01']);
  }
});

it('work within the period is done once, whether it fails or not', async () => {
  const clock = () => clockOf([after, later]);
  expect(await withinOne('day', async () => 'result', clock())).toBe('result');
  await expect(withinOne('day', () => Promise.reject(new Error('wrong')), clock())).rejects.toThrow('wrong');
});
