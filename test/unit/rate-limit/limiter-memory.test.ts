import { describe, expect, it } from '@jest/globals';
import type { Limits } from '../../../shared/contract/rate-limits-and-caps.ts';
import { rateLimiter } from '../../../shared/limit/limiter.ts';
import type { CountInRow, CountRequest } from '../../../shared/limit/rate-counter.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';

const noon = new Date('2026-11-20T12:00:00.000Z');
const limits = { perMinute: 60, perHour: 1000, perDay: 10_000 };

/** A counter that is full, or has room, as the test says; it keeps what it was asked. */
function counterThat(admits: () => boolean) {
  const asked: CountRequest[] = [];
  const countInRow: CountInRow = async (request) => {
    asked.push(request);
    const admitted = admits();
    const { perMinute, perHour, perDay } = request.limits;
    const used = admitted
      ? { minute: 1, hour: 1, day: 1 }
      : { minute: perMinute, hour: perHour, day: perDay };
    return { admitted, used };
  };
  return { countInRow, asked };
}

const checkWith = (countInRow: CountInRow, limitsOf: () => Limits) => {
  const limiter = rateLimiter({ countInRow, limitsOf: async () => limitsOf() });
  return (at: Date) => limiter.check({ kind: 'client', clientId: 'client_a' }, 'sms_send', at);
};

describe('what a process remembers', () => {
  it('of a refusal costs no call for 5 s, never past the window, and not once the limit is another', async () => {
    const { countInRow, asked } = counterThat(() => false);
    let current = limits;
    const check = checkWith(countInRow, () => current);
    await check(noon);
    expect((await check(addSeconds(noon, 4.9))).admitted).toBe(false);
    expect(asked).toHaveLength(1);
    await check(addSeconds(noon, 5));
    expect(asked).toHaveLength(2);
    await check(addSeconds(noon, 58));
    await check(addSeconds(noon, 60));
    expect(asked).toHaveLength(4);
    current = { ...limits, perMinute: 61 };
    await check(addSeconds(noon, 60));
    expect(asked).toHaveLength(5);
  });

  it('of a swept minute spares the next requests the sweep; a refused one has swept nothing', async () => {
    let admits = false;
    const { countInRow, asked } = counterThat(() => admits);
    const check = checkWith(countInRow, () => limits);
    await check(noon);
    admits = true;
    for (const seconds of [10, 20, 60]) await check(addSeconds(noon, seconds));
    expect(asked.map(({ staleAttributes }) => staleAttributes.length)).toEqual([90, 90, 0, 90]);
  });
});
