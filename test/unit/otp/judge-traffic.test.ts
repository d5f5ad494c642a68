/** An attack is noticed within a few dozen passwords; the normal traffic of a client, however small or uneven, is not. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stages } from '../../../lib/stages/stages.ts';
import type { OtpMinute } from '../../../shared/otp/otp-traffic.dynamo.ts';
import { canBeSuspicious, judgeTraffic } from '../../../shared/otp/review-traffic.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';

const rule = stages.production.otpHold;
const start = new Date('2026-11-20T00:00:00.000Z');
const unknown = { sends: 0, verified: 0 };
const usually = (share: number) => ({ sends: 1000, verified: Math.round(1000 * share) });

const minute = (index: number, sends: number, verified: number): OtpMinute => ({
  start: new Date(start.getTime() + index * 60_000),
  sends,
  verified,
});

/** How many of `sends` are verified, each with this chance. */
function verifiedOf(sends: number, share: number, random: () => number): number {
  return Array.from({ length: sends }, random).filter((value) => value < share).length;
}

/** The hour before each minute, as it is judged when the minute has settled. */
function judgedAt(day: readonly OtpMinute[], index: number): readonly OtpMinute[] {
  return day.slice(Math.max(0, index - 59), index + 1).filter(({ sends }) => sends > 0);
}

describe('an attack that lowers the share from 70 % to 2 %', () => {
  /** The passwords of the attack until it is noticed. */
  const noticedAfter = (
    seed: number,
    perMinute: number,
    usual: { sends: number; verified: number },
  ): number => {
    const random = randomFrom(seed);
    // An hour of good traffic before it.
    const hour = Array.from({ length: 60 }, (_, index) => minute(index, 3, verifiedOf(3, 0.7, random)));
    for (let attack = 1; attack <= 200; attack += 1) {
      // At this rate a password each; judged after each of them.
      const sent = Math.ceil(attack / perMinute);
      const verified = verifiedOf(attack, 0.02, randomFrom(seed));
      const attacked = Array.from({ length: sent }, (_, index) => {
        const share = index === sent - 1 ? attack - perMinute * index : perMinute;
        return minute(60 + index, share, index === 0 ? Math.min(verified, share) : 0);
      });
      if (judgeTraffic([...hour, ...attacked].slice(-60), usual, rule) !== undefined) return attack;
    }
    return Number.POSITIVE_INFINITY;
  };

  it('is noticed within 70 passwords where the usual share is known, and within 110 where it is not', () => {
    const seeds = Array.from({ length: 50 }, (_, index) => index + 1);
    const known = seeds.map((seed) => noticedAfter(seed, 30, usually(0.7)));
    const fresh = seeds.map((seed) => noticedAfter(seed, 30, unknown));
    expect(Math.max(...known)).toBeLessThanOrEqual(70);
    expect(Math.max(...fresh)).toBeLessThanOrEqual(110);
    // Fewer passwords would be explained by chance.
    expect(Math.min(...known)).toBeGreaterThanOrEqual(rule.minimumSends);
  });

  it('is noticed as the share of the attack, without the good traffic before it', () => {
    const hour = Array.from({ length: 30 }, (_, index) => minute(index, 100, 70));
    const suspicion = judgeTraffic([...hour, minute(30, 60, 1)], usually(0.7), rule);
    expect(suspicion).toEqual({
      sends: 60,
      verified: 1,
      since: minute(30, 0, 0).start,
      threshold: 0.35,
      usualShare: 0.7,
    });
  });
});

describe('a day of normal traffic of a small client', () => {
  it('is never suspicious, with few sends at random times, any usual share and nights without any', () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
          share: fc.double({ min: 0.3, max: 1, noNaN: true }),
          perHour: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 24, maxLength: 24 }),
          isKnown: fc.boolean(),
        }),
        ({ seed, share, perHour, isKnown }) => {
          const random = randomFrom(seed);
          const day = Array.from({ length: 24 * 60 }, (_, index) => {
            const hour = Math.floor(index / 60);
            const rate = hour < 6 ? 0 : (perHour[hour] ?? 0);
            const sends = random() < rate / 60 ? 1 + Math.floor(random() * 3) : 0;
            return minute(index, sends, verifiedOf(sends, share, random));
          });
          const usual = isKnown ? usually(share) : unknown;
          const verdicts = day.map(({ sends }, index) =>
            sends > 0 ? judgeTraffic(judgedAt(day, index), usual, rule) : undefined,
          );
          expect(verdicts.filter((verdict) => verdict !== undefined)).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is not suspicious of fewer passwords than the minimum, verified or not', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: rule.minimumSends - 1 }), (sends) => {
        expect(judgeTraffic([minute(0, sends, 0)], usually(1), rule)).toBeUndefined();
      }),
    );
  });
});

it('more verifications never make traffic suspicious, and more sends without any never make it good', () => {
  const count = fc.integer({ min: 0, max: 500 });
  fc.assert(
    fc.property(
      count,
      count,
      count,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (sends, part, more, share) => {
        const verified = Math.min(sends, part);
        const isSuspicious = (sent: number, right: number): boolean =>
          judgeTraffic([minute(0, sent, right)], usually(share), rule) !== undefined;
        if (!isSuspicious(sends, verified)) expect(isSuspicious(sends, verified + more)).toBe(false);
        if (isSuspicious(sends, verified)) expect(isSuspicious(sends + more, verified)).toBe(true);
      },
    ),
  );
});

it('what no usual share can make suspicious is decided before the usual share is read', () => {
  const counts = fc.array(
    fc.record({ sends: fc.integer({ min: 0, max: 80 }), verified: fc.integer({ min: 0, max: 80 }) }),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(counts, fc.double({ min: 0, max: 1, noNaN: true }), (hour, share) => {
      const minutes = hour.map(({ sends, verified }, index) =>
        minute(index, sends, Math.min(sends, verified)),
      );
      const suspicion = judgeTraffic(minutes, usually(share), rule) ?? judgeTraffic(minutes, unknown, rule);
      if (suspicion !== undefined) expect(canBeSuspicious(minutes, rule)).toBe(true);
    }),
  );
});

it('a verification whose password was not counted does not break the judgement', () => {
  expect(judgeTraffic([minute(0, 40, 90)], usually(0.7), rule)).toBeUndefined();
  expect(judgeTraffic([minute(0, 40, 0)], { sends: 100, verified: 130 }, rule)).toMatchObject({
    usualShare: 1,
  });
});
