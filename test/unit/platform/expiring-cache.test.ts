import { describe, expect, it } from '@jest/globals';
import { addSeconds, type Clock } from '../../../shared/platform/clock.ts';
import { cachedRead, ExpiringMap } from '../../../shared/platform/expiring-cache.ts';

const start = new Date('2026-11-20T12:00:00.000Z');

describe('a cached read', () => {
  it('reads once for all who ask at the same moment, and again when the age is reached', async () => {
    let now = start;
    let reads = 0;
    const read = cachedRead(
      async () => {
        reads += 1;
        return reads;
      },
      { maxAgeSeconds: 45, maxEntries: 10 },
      () => now,
    );
    expect(await Promise.all([read('a'), read('a'), read('a')])).toEqual([1, 1, 1]);
    now = addSeconds(start, 44.999);
    expect(await read('a')).toBe(1);
    now = addSeconds(start, 45);
    expect(await read('a')).toBe(2);
  });

  it('remembers neither what is not there nor a failed read', async () => {
    const answers = [undefined, new Error('down'), 'here'];
    const read = cachedRead(
      async () => {
        const answer = answers.shift();
        if (answer instanceof Error) throw answer;
        return answer;
      },
      { maxAgeSeconds: 45, maxEntries: 10 },
      () => start,
    );
    expect(await read('a')).toBeUndefined();
    await expect(read('a')).rejects.toThrow('down');
    expect(await read('a')).toBe('here');
  });
});

describe('a read that must be fresh', () => {
  /** Each read waits until the test ends it with what the row had when the read began, or has now. */
  function heldReads(clock: Clock = () => start) {
    const ends: ((value: string | undefined) => void)[] = [];
    const hold = () => new Promise<string | undefined>((resolve) => ends.push(resolve));
    return { read: cachedRead(hold, { maxAgeSeconds: 45, maxEntries: 10 }, clock), ends };
  }

  it('does not join one that began earlier, and what that one finds later does not replace its value', async () => {
    const { read, ends } = heldReads();
    const earlier = read('a');
    const fresh = read('a', 0);
    expect(ends).toHaveLength(2);
    ends[1]?.('new');
    expect(await fresh).toBe('new');
    ends[0]?.('old');
    expect(await earlier).toBe('old');
    expect(await read('a')).toBe('new');
    expect(ends).toHaveLength(2);
  });

  it('to an age does not join one that began longer ago', async () => {
    let now = start;
    const { read, ends } = heldReads(() => now);
    const earlier = read('a');
    now = addSeconds(start, 1);
    const fresh = read('a', 0.5);
    expect(ends).toHaveLength(2);
    ends[0]?.('old');
    ends[1]?.('new');
    expect(await Promise.all([earlier, fresh])).toEqual(['old', 'new']);
  });

  it('that finds nothing leaves nothing of what was cached, or of a read that ends later', async () => {
    const { read, ends } = heldReads();
    const cached = read('a');
    ends[0]?.('old');
    await cached;
    const fresh = read('a', 0);
    ends[1]?.(undefined);
    expect(await fresh).toBeUndefined();
    const again = read('a');
    ends[2]?.('back');
    expect(await again).toBe('back');
  });

  it('is made where a joined read found nothing: the row may have been written since it began', async () => {
    const { read, ends } = heldReads();
    const earlier = read('a');
    const joined = read('a');
    ends[0]?.(undefined);
    expect(await earlier).toBeUndefined();
    await Promise.resolve();
    ends[1]?.('here');
    expect(await joined).toBe('here');
  });
});

describe('an expiring map', () => {
  it('never holds more than its bound, and lets the longest unused go first', () => {
    const map = new ExpiringMap<number>(2);
    const later = start.getTime() + 1000;
    map.set('a', 1, start, later);
    map.set('b', 2, start, later);
    map.get('a', start);
    map.set('c', 3, start, later);
    expect(map.size).toBe(2);
    expect([map.get('a', start), map.get('b', start), map.get('c', start)]).toEqual([1, undefined, 3]);
  });

  it('keeps nothing past its time because the clock was set back', () => {
    const map = new ExpiringMap<number>(2);
    map.set('a', 1, start, start.getTime() + 45_000);
    expect(map.get('a', addSeconds(start, -3600))).toBeUndefined();
  });
});
