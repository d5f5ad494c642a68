import { describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../shared/clock.ts';
import { type OriginStore, originHealth } from '../../shared/webhook/origin-health.ts';
import { created as now } from '../support/a-webhook-message.ts';

const origin = 'https://hangs.example.com';

function memory(): OriginStore & { writes: number } {
  const slow = new Map<string, Date>();
  const store = {
    writes: 0,
    slowUntil: async (of: string) => slow.get(of),
    async setSlow(of: string, until: Date) {
      store.writes += 1;
      slow.set(of, until);
    },
    async forget(of: string) {
      store.writes += 1;
      slow.delete(of);
    },
  };
  return store;
}

describe('the memory of receivers that hang', () => {
  it('takes everybody for quick at first, and writes nothing for one that is', async () => {
    const store = memory();
    const health = originHealth(store);
    expect(await health.isSlow(origin, now)).toBe(false);
    await health.noteQuickAnswer(origin, now);
    expect(store.writes).toBe(0);
  });

  it('knows of a receiver that hangs at once itself, and within a second in every other worker', async () => {
    const store = memory();
    const [one, other] = [originHealth(store), originHealth(store)];
    expect(await other.isSlow(origin, now)).toBe(false);
    await one.noteHanging(origin, now);
    expect(await one.isSlow(origin, now)).toBe(true);
    expect(await other.isSlow(origin, addSeconds(now, 1))).toBe(true);
    expect(await other.isSlow('https://other.example.com', now)).toBe(false);
  });

  it('takes it for quick again after one quick answer, given to whichever worker', async () => {
    const store = memory();
    const [fast, slow] = [originHealth(store), originHealth(store)];
    await fast.noteHanging(origin, now);
    await slow.noteQuickAnswer(origin, addSeconds(now, 1));
    expect(await fast.isSlow(origin, addSeconds(now, 6))).toBe(false);
  });

  it('forgets after ten minutes without a word', async () => {
    const health = originHealth(memory());
    await health.noteHanging(origin, now);
    expect(await health.isSlow(origin, addSeconds(now, 601))).toBe(false);
  });
});
