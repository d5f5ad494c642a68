import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { limitOf, windowNames, windowsAt } from '../../../shared/limit/counters.dynamo.ts';
import {
  decide,
  rateLimitHeaders,
  retryAfterSeconds,
  subjectKey,
  uncountedHeaders,
} from '../../../shared/limit/limiter.ts';

const now = new Date('2026-11-20T14:05:12.300Z');
const windows = windowsAt(now);
const limits = { perMinute: 60, perHour: 1000, perDay: 10_000 };
const count = fc.integer({ min: 0, max: 2_000_000 });

describe('the binding window', () => {
  it('is the one with the fewest requests left', () => {
    const decision = decide(
      'sms_send',
      limits,
      { admitted: true, used: { minute: 1, hour: 990, day: 9000 } },
      windows,
    );
    expect(decision.binding).toMatchObject({ window: 'hour', limit: 1000, remaining: 10 });
  });

  it('is the shorter one on a tie', () => {
    const decision = decide(
      'sms_send',
      limits,
      { admitted: true, used: { minute: 50, hour: 990, day: 9990 } },
      windows,
    );
    expect(decision.binding.window).toBe('minute');
  });

  it('of a refusal is the exhausted window that resets last', () => {
    const decision = decide(
      'sms_send',
      limits,
      { admitted: false, used: { minute: 60, hour: 1000, day: 20 } },
      windows,
    );
    expect(decision.binding).toMatchObject({ window: 'hour', remaining: 0 });
    expect(retryAfterSeconds(decision, now)).toBe(54 * 60 + 48);
  });

  it('always has the fewest left, and none on a refusal', () => {
    fc.assert(
      fc.property(count, count, count, (minute, hour, day) => {
        const used = { minute, hour, day };
        const admitted = windowNames.every((window) => used[window] <= limitOf(limits, window));
        const { binding, windows: states } = decide('sms_send', limits, { admitted, used }, windows);
        expect(binding.remaining).toBe(Math.min(...states.map((state) => state.remaining)));
        expect(binding.remaining).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('says to wait at least one second, to the end of the window', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 59_999 }), (ms) => {
        const at = new Date(Date.parse('2026-11-20T14:05:00Z') + ms);
        const refused = decide(
          'sms_send',
          limits,
          { admitted: false, used: { minute: 60, hour: 60, day: 60 } },
          windowsAt(at),
        );
        const seconds = retryAfterSeconds(refused, at);
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(at.getTime() + seconds * 1000).toBeGreaterThanOrEqual(refused.binding.resetsAt * 1000);
        expect(seconds).toBeLessThanOrEqual(60);
      }),
    );
  });
});

describe('the headers', () => {
  it('describe the binding window, and in the IETF form all three', () => {
    const decision = decide(
      'sms_send',
      limits,
      { admitted: true, used: { minute: 1, hour: 1, day: 1 } },
      windows,
    );
    expect(rateLimitHeaders(decision, now)).toEqual({
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '59',
      'X-RateLimit-Reset': String(Date.parse('2026-11-20T14:06:00Z') / 1000),
      'X-RateLimit-Policy': '60;w=60;comment=sms_send_minute',
      'RateLimit-Policy':
        '"sms_send_minute";q=60;w=60, "sms_send_hour";q=1000;w=3600, "sms_send_day";q=10000;w=86400',
      RateLimit: '"sms_send_minute";r=59;t=48, "sms_send_hour";r=999;t=3288, "sms_send_day";r=9999;t=35688',
    });
  });

  it('say that nothing is left where the counter could not be asked', () => {
    expect(uncountedHeaders('sms_bulk', now)).toMatchObject({
      'X-RateLimit-Limit': '10',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Policy': '10;w=60;comment=sms_bulk_minute',
    });
  });
});

describe('a source address', () => {
  it.each([
    ['203.0.113.7', 'address:203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', 'address:2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', 'address:2001:db8:1:2::/64'],
    ['2001:DB8::1', 'address:2001:db8:0:0::/64'],
    ['::1', 'address:0:0:0:0::/64'],
  ])('%s counts as %s', (address, key) => {
    expect(subjectKey({ kind: 'address', address })).toBe(key);
  });
});
