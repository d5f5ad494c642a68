/** Which caps are in force for a client, from its rows and the stage's settings. */
import { expect, it } from '@jest/globals';
import { costForCap } from '../../../shared/contract/prices.ts';
import { capLimits } from '../../../shared/limit/client-caps.ts';

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
