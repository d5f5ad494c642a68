import { describe, expect, it } from '@jest/globals';
import { isInForce, parseRow } from '../../../shared/limit/overrides.ts';

const rate = { client_id: 'client_1', endpoint: 'POST /api/v1/sms/send' };
const spend = { client_id: 'client_1', endpoint: 'spend' };

describe('a row of limit-overrides', () => {
  it.each([
    ['a number', 600, 600],
    ['a string of digits', ' 600 ', 600],
    ['the highest limit', 30_000, 30_000],
    ['a number above the highest limit', '30,001', 30_000],
    ['the largest exact number', Number.MAX_SAFE_INTEGER, 30_000],
  ])('takes %s as a limit', (_what, typed, limit) => {
    expect(parseRow({ ...rate, per_minute: typed })).toMatchObject({
      limits: { per_minute: limit },
      ignored: [],
    });
  });

  it.each([
    [12.5, 12_500_000],
    ['0.000001', 1],
    [0.1, 100_000],
    ['100', 100_000_000],
    [1_234_567.891234, 1_234_567_891_234],
  ])('takes the amount %p of spend as exactly %p millionths', (typed, micros) => {
    expect(parseRow({ ...spend, per_day: typed })).toMatchObject({
      limits: { per_day: micros },
      ignored: [],
    });
  });

  it.each([
    [
      'zero',
      { per_minute: 0 },
      'per_minute',
      /^0 is not a valid limit\. To block this endpoint, set blocked to true\.$/,
    ],
    ['zero as a string', { per_minute: '00' }, 'per_minute', /^"00" is not a valid limit\. To block/],
    ['a negative number', { per_day: -5 }, 'per_day', /^-5 is not a valid limit\. Write a whole number/],
    ['half a request', { per_day: 10.5 }, 'per_day', /^10\.5 is not a valid limit/],
    ['a word', { per_hour: 'many' }, 'per_hour', /^"many" is not/],
    ['a separator in another place', { per_hour: '10,00' }, 'per_hour', /such as 600 or 1,000/],
    ['an exponent', { per_hour: '1e3' }, 'per_hour', /^"1e3" is not/],
    ['nothing', { per_hour: '' }, 'per_hour', /^"" is not/],
    ['null', { per_hour: null }, 'per_hour', /^null is not/],
    ['a list', { per_hour: [1] }, 'per_hour', /^\[1\] is not/],
    ['a set', { per_hour: new Set([1, 2]) }, 'per_hour', /^\[1,2\] is not/],
    ['bytes', { per_hour: new Uint8Array([1]) }, 'per_hour', /is not a valid limit/],
    ['a number too large to be exact', { per_hour: 2 ** 53 }, 'per_hour', /is too large/],
    [
      'a window that the endpoint does not have',
      { per_month: 5 },
      'per_month',
      /Remove per_month; valid are per_minute, per_hour and per_day\./,
    ],
    ['a misspelled truth', { blocked: 'yes' }, 'blocked', /^"yes" is neither true nor false/],
    ['another mode', { mode: 'watch' }, 'mode', /^"watch" is not a mode\. Write observe or enforce\.$/],
    ['a number as a truth', { blocked: 1 }, 'blocked', /^1 is neither/],
    ['a time in words', { expires_at: 'next monday' }, 'expires_at', /^"next monday" is not a valid time/],
    ['a day that no month has', { expires_at: '2026-02-30' }, 'expires_at', /is not a valid time/],
    ['an hour that no day has', { expires_at: '2026-02-03T25:00Z' }, 'expires_at', /is not a valid time/],
    ['a time of another order', { expires_at: '30/11/2026' }, 'expires_at', /is not a valid time/],
    ['milliseconds', { expires_at: 1_795_000_000_000 }, 'expires_at', /seconds, not milliseconds/],
    ['a number of days', { expires_at: '7' }, 'expires_at', /is not a valid time/],
    ['a truth as a time', { expires_at: true }, 'expires_at', /is not a valid time/],
  ])('ignores %s, says why, and keeps the rest of the row', (_what, typed, attribute, reason) => {
    const valid = { per_minute: 7, per_hour: 70, per_day: 700 };
    const parsed = parseRow({ ...rate, ...valid, ...typed });
    expect(parsed.ignored).toEqual([{ attribute, reason: expect.stringMatching(reason) }]);
    expect(parsed.limits).toEqual(
      Object.fromEntries(Object.entries(valid).filter(([name]) => name !== attribute)),
    );
    expect(parsed).toMatchObject({ blocked: false, expiresAt: undefined });
  });

  it.each([
    ['more than six decimals', { per_day: '0.1234567' }, 'per_day', /at most six decimals/],
    ['a comma', { per_day: '12,50' }, 'per_day', /such as 12\.50/],
    ['a currency', { per_day: '12 USD' }, 'per_day', /is not a valid limit/],
    ['zero', { per_day: '0.00' }, 'per_day', /disable the client/],
    ['a window that spend does not have', { per_hour: 5 }, 'per_hour', /valid are per_day and per_month/],
    ['blocked', { blocked: true }, 'blocked', /spend is a cap and cannot be blocked/],
  ])('a row of spend ignores %s and says why', (_what, typed, attribute, reason) => {
    expect(parseRow({ ...spend, per_month: 5, ...typed })).toMatchObject({
      limits: { per_month: 5_000_000 },
      blocked: false,
      ignored: [{ attribute, reason: expect.stringMatching(reason) }],
    });
  });

  it.each(['POST /api/v1/sms/sned', 'post /api/v1/sms/send', 'sms_send', 'ANY /*', ' spend'])(
    'for the unknown endpoint %p has no effect',
    (endpoint) => {
      const parsed = parseRow({ ...rate, endpoint, per_minute: 5 });
      expect(parsed).toMatchObject({ target: undefined, limits: {}, ignored: [{ attribute: 'endpoint' }] });
      expect(isInForce(parsed, new Date())).toBe(false);
    },
  );

  it.each([
    ['2026-11-30T18:00:00Z', '2026-11-30T18:00:00.000Z'],
    ['2026-11-30T18:00:00.250+02:00', '2026-11-30T16:00:00.250Z'],
    ['2026-11-30 18:00', '2026-11-30T18:00:00.000Z'],
    ['2026-11-30', '2026-11-30T00:00:00.000Z'],
    [1_796_061_600, '2026-11-30T18:00:00.000Z'],
    ['1796061600', '2026-11-30T18:00:00.000Z'],
  ])('expires at %p exactly', (typed, iso) => {
    const parsed = parseRow({ ...rate, expires_at: typed });
    const at = new Date(iso);
    expect(parsed).toMatchObject({ expiresAt: at, ignored: [] });
    expect(isInForce(parsed, new Date(at.getTime() - 1))).toBe(true);
    expect(isInForce(parsed, at)).toBe(false);
  });

  it('blocks the token endpoint for one client, and not for all: administrators could not sign in', () => {
    const tokens = { endpoint: 'POST /api/v1/auth/token', blocked: true, per_minute: 5 };
    expect(parseRow({ ...tokens, client_id: 'client_a' })).toMatchObject({ blocked: true, ignored: [] });
    expect(parseRow({ ...tokens, client_id: '*' })).toMatchObject({
      blocked: false,
      limits: { per_minute: 5 },
      ignored: [{ attribute: 'blocked', reason: expect.stringMatching(/administrators could not sign in/) }],
    });
    expect(parseRow({ ...rate, client_id: '*', blocked: true })).toMatchObject({
      blocked: true,
      ignored: [],
    });
  });

  it.each([
    ['observe', true],
    [' Observe ', true],
    ['enforce', false],
    [undefined, false],
  ])('with the mode %p observes: %p', (mode, observes) => {
    expect(parseRow({ ...rate, ...(mode && { mode }) })).toMatchObject({ observes, ignored: [] });
  });

  it.each([true, 'true', ' TRUE '])('is blocked by %p', (blocked) => {
    expect(parseRow({ ...rate, blocked })).toMatchObject({ blocked: true, ignored: [] });
  });

  it('ignores without a reason what is not of its own', () => {
    const others = { note: 'for the sale', status: 'active', status_message: 'Active.', owner: 'ops' };
    expect(parseRow({ ...rate, ...others }).ignored).toEqual([]);
  });
});
