import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  endedAttributes,
  windowNames,
  windowSeconds,
  windowsAt,
} from '../../../shared/limit/counters.dynamo.ts';

const day = Date.parse('2026-11-20T00:00:00.000Z');

describe('windows', () => {
  it('hold the moment, end at a whole multiple of their length and never last longer', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }), (now) => {
        const { resetsAt } = windowsAt(now);
        for (const window of windowNames) {
          const start = resetsAt[window] - windowSeconds[window];
          expect(resetsAt[window] % windowSeconds[window]).toBe(0);
          expect(start * 1000).toBeLessThanOrEqual(now.getTime());
          expect(resetsAt[window] * 1000).toBeGreaterThan(now.getTime());
        }
      }),
    );
  });

  it('two moments share an attribute of a day exactly when they share the window', () => {
    const moment = fc.integer({ min: 0, max: 86_400_000 - 1 });
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const [one, other] = [windowsAt(new Date(day + a)), windowsAt(new Date(day + b))];
        for (const window of windowNames) {
          const shared = one.resetsAt[window] === other.resetsAt[window];
          expect(one.attributes[window] === other.attributes[window]).toBe(shared);
        }
      }),
    );
  });

  it('are named by the UTC day, hour and minute', () => {
    expect(windowsAt(new Date('2026-11-20T23:25:59.999Z'))).toMatchObject({
      day: '2026-11-20',
      month: '2026-11',
      attributes: { minute: 'm202325', hour: 'h2023', day: 'd20', month: 'month' },
    });
  });
});

it('windows have ended four minutes after their end, at most ninety at once', () => {
  const now = new Date('2026-11-20T10:05:00.000Z');
  const live = [
    'messages_m201000',
    'messages_h2010',
    'messages_d20',
    'spend_d20_80',
    'spend_month',
    'purge_at',
  ];
  const ended = ['messages_m201000', 'given_back_m200959', 'messages_h2009', 'spend_d19', 'spend_d19_100'];
  expect(endedAttributes([...live, ...ended], now)).toEqual(['messages_m201000', ...ended]);
  expect(endedAttributes(live.slice(1), now)).toEqual([]);
  expect(
    endedAttributes(
      Array.from({ length: 200 }, (_, minute) => `messages_m19${1000 + minute}`),
      now,
    ),
  ).toHaveLength(90);
});
