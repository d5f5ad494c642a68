/** The limiter's arithmetic, whatever the moments at which requests come and the clocks that processes go by. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Limits } from '../../../shared/contract/rate-limits-and-caps.ts';
import {
  limitOf,
  type WindowName,
  windowNames,
  windowSeconds,
  windowsAt,
} from '../../../shared/limit/counters.dynamo.ts';
import { checkRate, decide, retryAfterSeconds } from '../../../shared/limit/limiter.ts';
import { runs } from '../../fuzz/runs.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';

const midnight = Date.parse('2026-11-21T00:00:00.000Z');
const subject = { kind: 'client', clientId: 'client_a' } as const;
const second = 1000;

/** Milliseconds about the edges of minutes, hours and a day. */
const nearAnEdge = fc
  .record({
    edge: fc.constantFrom(0, 60, 120, 3600, 7200, -60, -3600, 86_400),
    offMs: fc.oneof(fc.constantFrom(-1, 0, 1, 999), fc.integer({ min: -5000, max: 5000 })),
  })
  .map(({ edge, offMs }) => midnight + edge * second + offMs);
const small = fc.integer({ min: 1, max: 8 });
const smallLimits: fc.Arbitrary<Limits> = fc.record({ perMinute: small, perHour: small, perDay: small });

/** A process has a clock, a memory and the one counter that all share. */
function processes(limits: () => Limits) {
  const tables = inMemoryTables();
  return () => {
    const context = testContext(tables);
    return (now: Date) => checkRate(context, subject, 'sms_send', limits(), now);
  };
}

/** How many were admitted in each window, by the clock of the process that admitted them. */
class Admitted {
  readonly #counts = new Map<string, number>();

  add(now: Date): void {
    for (const window of windowNames) this.#counts.set(this.#key(window, now), this.in(window, now) + 1);
  }

  in(window: WindowName, now: Date): number {
    return this.#counts.get(this.#key(window, now)) ?? 0;
  }

  #key(window: WindowName, now: Date): string {
    return `${window} ${windowsAt(now).resetsAt[window]}`;
  }
}

describe('a limit', () => {
  it('is never exceeded in a window, and a fresh process refuses only where one is full, on both sides of every edge', async () => {
    await fc.assert(
      fc.asyncProperty(smallLimits, fc.array(nearAnEdge, { maxLength: 60 }), async (limits, moments) => {
        const start = processes(() => limits);
        const admitted = new Admitted();
        // In order: a minute that lies more than four back may have been swept, as nothing counts there any more.
        for (const moment of moments.toSorted((a, b) => a - b)) {
          const now = new Date(moment);
          const full = windowNames.some((window) => admitted.in(window, now) >= limitOf(limits, window));
          const decision = await start()(now);
          expect(decision.admitted).toBe(!full);
          if (decision.admitted) admitted.add(now);
          for (const { window, remaining, limit } of decision.windows) {
            expect(remaining).toBe(limit - admitted.in(window, now));
          }
        }
      }),
      runs,
    );
  });

  it('holds for processes whose clocks are minutes apart, and each that refuses says how long', async () => {
    const request = fc.record({ moment: nearAnEdge, process: fc.nat(2) });
    const skews = fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: -120_000, max: 120_000 })));
    await fc.assert(
      fc.asyncProperty(
        smallLimits,
        skews,
        fc.array(request, { maxLength: 60 }),
        async (limits, skew, requests) => {
          const start = processes(() => limits);
          const three = [start(), start(), start()];
          const admitted = new Admitted();
          for (const { moment, process } of requests.toSorted((a, b) => a.moment - b.moment)) {
            const now = new Date(moment + (skew[process] ?? 0));
            const decision = await three[process]?.(now);
            if (decision?.admitted === true) admitted.add(now);
            else if (decision !== undefined) {
              const seconds = retryAfterSeconds(decision, now);
              expect(seconds).toBeGreaterThanOrEqual(1);
              expect(seconds).toBeLessThanOrEqual(windowSeconds[decision.binding.window]);
            }
            for (const window of windowNames) {
              expect(admitted.in(window, now)).toBeLessThanOrEqual(limitOf(limits, window));
            }
          }
        },
      ),
      runs,
    );
  });

  it('refuses for five seconds at most beyond its windows in a process whose clock jumps, forwards or back', async () => {
    const jump = fc.oneof(
      fc.integer({ min: -7_200_000, max: 7_200_000 }),
      fc.constantFrom(-3_600_000, -60_000, -5001, -1, 60_000),
    );
    await fc.assert(
      fc.asyncProperty(smallLimits, nearAnEdge, jump, async (limits, moment, jumpMs) => {
        const limiter = processes(() => limits)();
        for (let asked = 0; asked < 10; asked += 1) await limiter(new Date(moment));
        const after = new Date(moment + jumpMs);
        const used = limits.perMinute < limits.perHour ? limits.perMinute : limits.perHour;
        const spent = Math.min(used, limits.perDay);
        const same = (window: WindowName): boolean =>
          windowsAt(after).resetsAt[window] === windowsAt(new Date(moment)).resetsAt[window];
        const full = windowNames.some((window) => same(window) && spent >= limitOf(limits, window));
        const remembered = jumpMs >= 0 && jumpMs < 5000;
        if (!remembered) expect((await limiter(after)).admitted).toBe(!full);
      }),
      runs,
    );
  });

  it('of any size is refused by an exhausted window', () => {
    const any = fc.integer({ min: 1, max: 10_000_000 });
    const used = fc.integer({ min: 0, max: 20_000_000 });
    fc.assert(
      fc.property(
        fc.record({ perMinute: any, perHour: any, perDay: any }),
        used,
        nearAnEdge,
        (limits, count, at) => {
          const full = windowNames.some((window) => count >= limitOf(limits, window));
          const counts = { minute: count, hour: count, day: count };
          const decision = decide(
            'sms_send',
            limits,
            { admitted: !full, used: counts },
            windowsAt(new Date(at)),
          );
          expect(decision.binding.remaining === 0).toBe(full);
          expect(decision.binding.resetsAt * second).toBeGreaterThan(at);
        },
      ),
      runs,
    );
  });
});
