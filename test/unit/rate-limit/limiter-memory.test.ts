import { describe, expect, it } from '@jest/globals';
import type { Limits } from '../../../shared/contract/rate-limits-and-caps.ts';
import { rateLimiter } from '../../../shared/limit/limiter.ts';
import type { CountRequest, RateCounter } from '../../../shared/limit/shards.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';

const noon = new Date('2026-11-20T12:00:00.000Z');
const limits = { perMinute: 60, perHour: 1000, perDay: 10_000 };

/** A counter that is full, or has room, as the test says; it keeps what it was asked. */
function counterThat(admits: (request: CountRequest) => boolean) {
  const asked: CountRequest[] = [];
  const counter: RateCounter = {
    ...inMemoryStores().rateCounter,
    async count(request) {
      asked.push(request);
      const admitted = admits(request);
      const { perMinute, perHour, perDay } = request.limits;
      const used = admitted
        ? { minute: 1, hour: 1, day: 1 }
        : { minute: perMinute, hour: perHour, day: perDay };
      return { admitted, used };
    },
  };
  return { counter, asked };
}

const checkWith = (counter: RateCounter, limitsOf: () => Limits) => {
  const limiter = rateLimiter({ counter, limitsOf: async () => limitsOf(), random: () => 0 });
  return (at: Date) => limiter.check({ kind: 'client', clientId: 'client_a' }, 'sms_send', at);
};

describe('what a process remembers', () => {
  it('of a refusal costs no call for 5 s, never past the window, and not once the limit is another', async () => {
    const { counter, asked } = counterThat(() => false);
    let current = limits;
    const check = checkWith(counter, () => current);
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

  it('of a full shard leads past it: each is asked once, and those with room go on admitting', async () => {
    const { counter, asked } = counterThat(({ counter: row }) => row.endsWith('|2'));
    const check = checkWith(counter, () => ({ perMinute: 90_000, perHour: 900_000, perDay: 9_000_000 }));
    expect((await check(noon)).admitted).toBe(true);
    expect((await check(noon)).admitted).toBe(true);
    expect(asked.map(({ counter: row }) => row.slice(-1))).toEqual(['0', '1', '2', '2']);
  });

  it('of a swept minute spares the next requests the sweep; a refused one has swept nothing', async () => {
    let admits = false;
    const { counter, asked } = counterThat(() => admits);
    const check = checkWith(counter, () => limits);
    await check(noon);
    admits = true;
    for (const seconds of [10, 20, 60]) await check(addSeconds(noon, seconds));
    expect(asked.map(({ staleAttributes }) => staleAttributes.length)).toEqual([90, 90, 0, 90]);
  });
});
