/** Which caps are in force for a client, from its rows and the stage's settings. */
import { expect, it } from '@jest/globals';
import { costForCap } from '../../../shared/contract/prices.ts';
import { capLimits, endedAttributes } from '../../../shared/limit/cap-limits.ts';

const stage = { spend: { perDay: 100, perMonth: 0.1 + 0.2 } };

it('are those of the stage, in millionths', () => {
  expect(capLimits({}, stage)).toEqual([
    { cap: 'spend', window: 'day', limit: 100_000_000 },
    { cap: 'spend', window: 'month', limit: 300_000 },
  ]);
});

it('are those of a row, window by window', () => {
  const own = { messages: { per_hour: 5, per_minute: 2 }, spend: { per_day: 1 } };
  expect(capLimits(own, stage)).toEqual([
    { cap: 'messages', window: 'minute', limit: 2 },
    { cap: 'messages', window: 'hour', limit: 5 },
    { cap: 'spend', window: 'day', limit: 1 },
    { cap: 'spend', window: 'month', limit: 300_000 },
  ]);
});

it('are none without rows and settings', () => {
  expect(capLimits({}, {})).toEqual([]);
  expect(capLimits({ spend: {} }, { messages: {} })).toEqual([]);
});

it('count a message without a price as the dearest of its channel', () => {
  const prices = { currency: 'EUR', sms: { GB: 0.04, US: 0.01 }, whatsapp: {} };
  expect(costForCap(prices, { channel: 'sms', country: 'GB', segments: 2 })).toBe(0.08);
  expect(costForCap(prices, { channel: 'sms', country: 'FR', segments: 3 })).toBe(0.12);
  expect(costForCap(prices, { channel: 'whatsapp', country: 'FR' })).toBe(0);
});

it('have ended windows four minutes after their end, at most ninety at once', () => {
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
