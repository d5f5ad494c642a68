/**
 * A limit is exact while it changes: several processes read the change at different moments, their calls interleave in any
 * order, and some of them die while they close and open rows.
 */

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Limits } from '../../../shared/contract/rate-limits-and-caps.ts';
import { type RateLimiter, rateLimiter } from '../../../shared/limit/limiter.ts';
import type { RateCounter } from '../../../shared/limit/shards.ts';
import { limitOf, windowNames, windowsAt } from '../../../shared/limit/windows.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { runs } from '../../fuzz/runs.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';

const noon = new Date('2026-11-20T12:00:00.000Z');
const subject = { kind: 'client', clientId: 'client_a' } as const;
const inOneRow = { perMinute: 60, perHour: 1000, perDay: 5 };
const inThreeRows = { ...inOneRow, perMinute: 90_000 };

const limiterFor = (counter: RateCounter, limitsAt: (now: Date) => Limits, random = () => 0) => {
  let at = noon;
  const limiter = rateLimiter({ counter, limitsOf: async () => limitsAt(at), random });
  return (now: Date) => {
    at = now;
    return limiter.check(subject, 'sms_send', now);
  };
};

async function admittedOf(check: ReturnType<typeof limiterFor>, times: number, from: Date): Promise<number> {
  let admitted = 0;
  for (let i = 0; i < times; i += 1) if ((await check(addSeconds(from, i))).admitted) admitted += 1;
  return admitted;
}

describe.each([
  ['up', inOneRow, inThreeRows],
  ['down', inThreeRows, inOneRow],
  ['from three rows to four', inThreeRows, { ...inThreeRows, perMinute: 120_000 }],
])("a day's limit, when per_minute goes %s", (_, before, after) => {
  it.each([0, 2, 5])('is used once, of which %d before', async (used) => {
    const { rateCounter: counter } = inMemoryStores();
    expect(
      await admittedOf(
        limiterFor(counter, () => before),
        used,
        noon,
      ),
    ).toBe(used);
    const changed = addSeconds(noon, 600);
    expect(
      await admittedOf(
        limiterFor(counter, () => after),
        20,
        changed,
      ),
    ).toBe(5 - used);
    expect(
      await admittedOf(
        limiterFor(counter, () => after),
        3,
        addSeconds(changed, 7200),
      ),
    ).toBe(0);
    const tomorrow = addSeconds(noon, 86_400);
    expect(
      await admittedOf(
        limiterFor(counter, () => after),
        20,
        tomorrow,
      ),
    ).toBe(5);
  });

  it('is used once by processes that have and have not read the change', async () => {
    const { rateCounter: counter } = inMemoryStores();
    const old = limiterFor(counter, () => before);
    const changed = limiterFor(counter, () => after);
    let admitted = await admittedOf(old, 1, noon);
    for (let second = 600; second < 645; second += 5) {
      for (const check of [changed, old]) if ((await check(addSeconds(noon, second))).admitted) admitted += 1;
    }
    expect(admitted).toBe(5);
  });
});

it('a limit that is lowered is never passed because one of its rows has admitted more than the others', async () => {
  const { rateCounter: counter } = inMemoryStores();
  const whole = { perMinute: 90_000, perHour: 1000, perDay: 300 };
  // All by the first row, up to its part.
  expect(
    await admittedOf(
      limiterFor(counter, () => whole),
      100,
      noon,
    ),
  ).toBe(100);
  const lowered = limiterFor(
    counter,
    () => ({ ...whole, perDay: 150 }),
    () => 0.99,
  );
  expect(await admittedOf(lowered, 200, addSeconds(noon, 600))).toBe(50);
});

it('a limit that is lowered holds for the rows that a process fills which has not read it yet', async () => {
  const { rateCounter: counter } = inMemoryStores();
  const whole = { perMinute: 90_000, perHour: 1000, perDay: 300 };
  const before = limiterFor(counter, () => whole);
  const after = limiterFor(counter, () => ({ ...whole, perDay: 60 }));
  let admitted = await admittedOf(before, 1, noon);
  admitted += await admittedOf(after, 1, addSeconds(noon, 600));
  admitted += await admittedOf(before, 40, addSeconds(noon, 601));
  admitted += await admittedOf(after, 200, addSeconds(noon, 700));
  expect(admitted).toBe(60);
});

it('a process that died between closing and opening rows is followed by the next one, with the limits it had begun for', async () => {
  const { rateCounter: counter } = inMemoryStores();
  expect(
    await admittedOf(
      limiterFor(counter, () => inThreeRows),
      2,
      noon,
    ),
  ).toBe(2);
  const dead: RateCounter = {
    ...counter,
    open: async (base, after, next, windows) => {
      if (after > 0) throw new Error('died');
      return counter.open(base, after, next, windows);
    },
  };
  const raised = { ...inThreeRows, perDay: 9 };
  const at = addSeconds(noon, 600);
  await expect(limiterFor(dead, () => raised)(at)).rejects.toThrow('died');
  const opened: Limits[] = [];
  const watched: RateCounter = {
    ...counter,
    open: async (base, after, next, windows) => {
      opened.push(next.limits);
      return counter.open(base, after, next, windows);
    },
  };
  // It has not read the change yet.
  expect(
    await admittedOf(
      limiterFor(watched, () => inThreeRows),
      9,
      addSeconds(at, 10),
    ),
  ).toBe(3);
  expect(opened).toContainEqual(raised);
  expect(
    await admittedOf(
      limiterFor(watched, () => raised),
      20,
      addSeconds(at, 30),
    ),
  ).toBe(4);
});

it('a limit that changes each minute for hours is exact, and its writes stay below the 4 KB that DynamoDB takes', async () => {
  let longest = 0;
  const tables = inMemoryTables({
    around: ({ input }, run) => {
      longest = Math.max(longest, String(input.UpdateExpression).length);
      return run();
    },
  });
  const { rateCounter: counter } = inMemoryStores(tables);
  const midnight = new Date('2026-11-20T00:00:00.000Z');
  let minute = 0;
  const check = limiterFor(counter, () => ({ ...inThreeRows, perDay: 300 + (minute % 2) }));
  for (; minute < 240; minute += 1)
    expect(await check(addSeconds(midnight, 60 * minute))).toMatchObject({ admitted: true });
  expect(await admittedOf(check, 100, addSeconds(midnight, 60 * minute))).toBe(60);
  expect(longest).toBeLessThan(4096);
});

it('a minute is used once where a process whose clock is three minutes ahead changes the rows within it', async () => {
  const { rateCounter: counter } = inMemoryStores();
  const many = { perMinute: 90_000, perHour: 90_000, perDay: 90_000 };
  const few = { ...many, perMinute: 60 };
  const before = limiterFor(counter, () => many);
  for (let i = 0; i < 60; i += 1) await before(noon);
  const ahead = limiterFor(counter, () => few);
  expect(await ahead(addSeconds(noon, 180))).toMatchObject({ admitted: true });
  expect(await limiterFor(counter, () => few)(noon)).toMatchObject({ admitted: false });
});

const perMinute = fc.constantFrom(60, 45_000, 90_000, 150_000);
const someLimits = fc.record({
  perMinute,
  perHour: fc.integer({ min: 1, max: 40 }),
  perDay: fc.integer({ min: 1, max: 60 }),
});
const history = fc
  .array(fc.record({ afterSeconds: fc.integer({ min: 5, max: 400 }), limits: someLimits }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((changes) => {
    let at = 0;
    return changes.map(({ afterSeconds, limits }) => {
      at += afterSeconds;
      return { at, limits };
    });
  });
/** Documented: 60 s for the change, and 60 s if the limits changed within the minute before. */
const inForceAfterSeconds = 120;

it('no window is passed, and none refuses while it has room, whatever the order of all calls', async () => {
  await fc.assert(
    fc.asyncProperty(someLimits, history, fc.integer(), async (start, changes, seed) => {
      const random = randomFrom(seed);
      const changesFrom = [{ at: -10_000, limits: start }, ...changes];
      const limitsSeen = (second: number, delay: number): Limits =>
        changesFrom.findLast(({ at }) => at + delay <= second)?.limits ?? start;
      const turns = turnTaker(random);
      const store = interleaved(inMemoryStores().rateCounter, turns, random);
      let second = 0;
      const newProcess = (): RateLimiter => {
        const delay = Math.floor(random() * 46);
        return rateLimiter({ counter: store, limitsOf: async () => limitsSeen(second, delay), random });
      };
      const processes = Array.from({ length: 4 }, newProcess);
      const admitted = new Map<string, number>();
      const ask = async (limiter: RateLimiter): Promise<boolean> => {
        const now = addSeconds(noon, second);
        const decision = await limiter.check(subject, 'sms_send', now);
        if (!decision.admitted) return false;
        for (const window of windowNames) {
          const key = `${window} ${windowsAt(now).resetsAt[window]}`;
          const count = (admitted.get(key) ?? 0) + 1;
          admitted.set(key, count);
          const allowed = changesFrom
            .filter(
              ({ at }, index) =>
                at <= second && (changesFrom[index + 1]?.at ?? second) >= second - inForceAfterSeconds,
            )
            .map(({ limits }) => limitOf(limits, window));
          expect(count).toBeLessThanOrEqual(Math.max(...allowed));
        }
        return true;
      };
      const end = (changes.at(-1)?.at ?? 0) + inForceAfterSeconds;
      for (; second <= end; second += 5) {
        const calls = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
          const limiter = processes[Math.floor(random() * processes.length)] ?? newProcess();
          return ask(limiter);
        });
        for (const call of await turns.takeAll(Promise.allSettled(calls))) {
          if (call.status === 'rejected' && call.reason !== died) throw call.reason;
        }
        if (random() < 0.05) processes[Math.floor(random() * processes.length)] = newProcess();
      }
      // What is left is used to the end by processes that remember nothing.
      store.calm();
      const { limits } = changesFrom.at(-1) ?? { limits: start };
      for (let left = 0; left < 70; left += 1) {
        const now = addSeconds(noon, second);
        const full = windowNames.some(
          (window) =>
            (admitted.get(`${window} ${windowsAt(now).resetsAt[window]}`) ?? 0) >= limitOf(limits, window),
        );
        const asked = ask(rateLimiter({ counter: store, limitsOf: async () => limits, random }));
        expect(await turns.takeAll(asked)).toBe(!full);
        second += 1;
      }
    }),
    { numRuns: Math.ceil(runs.numRuns / 4) },
  );
});

/** Lets one of the waiting calls go on at a time, in an order that the seed decides. */
function turnTaker(random: () => number) {
  const waiting: (() => void)[] = [];
  return {
    wait: () => new Promise<void>((resolve) => waiting.push(resolve)),
    async takeAll<T>(all: Promise<T>): Promise<T> {
      let settled = false;
      const finished = all.finally(() => {
        settled = true;
      });
      while (!settled) {
        await new Promise(setImmediate);
        waiting.splice(Math.floor(random() * waiting.length), 1)[0]?.();
      }
      return finished;
    },
  };
}

const died = new Error('died');

/** Each call waits for its turn before it takes effect and before it returns; processes die in some of those that change rows. */
function interleaved(counter: RateCounter, turns: ReturnType<typeof turnTaker>, random: () => number) {
  let deaths = true;
  const inTurn = async <T>(call: () => Promise<T>, dies: boolean): Promise<T> => {
    await turns.wait();
    if (dies && deaths && random() < 0.05) throw died;
    const result = await call();
    await turns.wait();
    if (dies && deaths && random() < 0.05) throw died;
    return result;
  };
  return {
    calm: () => {
      deaths = false;
    },
    count: (request) => inTurn(() => counter.count(request), false),
    latest: (...base) => inTurn(() => counter.latest(...base), true),
    close: (...row) => inTurn(() => counter.close(...row), true),
    open: (...base) => inTurn(() => counter.open(...base), true),
  } satisfies RateCounter & { calm(): void };
}
