import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { policies } from '../../../shared/contract/rate-limits-and-caps.ts';
import { unreachableLimits } from '../../../shared/limit/limit-feedback.ts';

describe('limits that are never reached', () => {
  it.each([
    [
      { perMinute: 600, perHour: 1000, perDay: 200_000 },
      ['200,000 per day are never reached: the limit of 1,000 per hour allows only 24,000 per day.'],
    ],
    [
      { perMinute: 600, perHour: 500, perDay: 10_000 },
      ['600 per minute are never reached: the limit of 500 per hour is used up first.'],
    ],
    [
      { perMinute: 60, perHour: 5000, perDay: 10_000 },
      ['5,000 per hour are never reached: the limit of 60 per minute allows only 3,600 per hour.'],
    ],
    [{ perMinute: 600, perHour: 20_000, perDay: 200_000 }, []],
  ])('of %j are told', (limits, sentences) => {
    expect(unreachableLimits(limits)).toEqual(sentences);
  });

  it('are none among the defaults', () => {
    expect(Object.values(policies).flatMap(unreachableLimits)).toEqual([]);
  });

  it('are reported exactly if a client that requests as fast as it may never reaches that limit', () => {
    const amount = fc.integer({ min: 1, max: 4000 });
    fc.assert(
      fc.property(fc.record({ perMinute: amount, perHour: amount, perDay: amount }), (limits) => {
        const met = limitsMetAtFullRate(limits);
        const told = unreachableLimits(limits).map((sentence) => / per (\w+) are never/.exec(sentence)?.[1]);
        expect(['minute', 'hour', 'day'].filter((name) => !told.includes(name))).toEqual(met);
      }),
    );
  });
});

/** Fills each minute of a day, and notes which limits are full before every shorter window is. */
function limitsMetAtFullRate({
  perMinute,
  perHour,
  perDay,
}: Record<'perMinute' | 'perHour' | 'perDay', number>): string[] {
  const met = new Set<string>();
  let day = 0;
  for (let hours = 0; hours < 24; hours += 1) {
    let hour = 0;
    for (let minutes = 0; minutes < 60; minutes += 1) {
      const minute = Math.min(perMinute, perHour - hour, perDay - day);
      hour += minute;
      day += minute;
      if (minute === perMinute) met.add('minute');
    }
    if (hour === perHour) met.add('hour');
  }
  if (day === perDay) met.add('day');
  return ['minute', 'hour', 'day'].filter((name) => met.has(name));
}
