/** An endpoint fails since its first failed attempt after the last success, whatever webhook the attempts belong to. */
import { expect, it } from '@jest/globals';
import { healthOf } from '../../../shared/admin/webhook-health.ts';
import type { Delivery } from '../../../shared/webhook/delivery.ts';

type Health = Parameters<typeof healthOf>[0][number];

/** Attempts are a minute of 12 o'clock and the status of the response. */
function delivery(
  state: Delivery['state'],
  attempts: readonly (readonly [minute: string, status: number])[],
  url = 'https://shop.example/hook',
): Health {
  return {
    url,
    state,
    attempts: attempts.map(([minute, status]) => ({
      started_at: `2026-11-20T12:${minute}:00.000Z`,
      total_ms: 100,
      status,
      ...(status === 200 ? {} : { error: 'not_200' }),
    })),
  } as unknown as Health;
}

it('shows since when an endpoint fails, what waits, and how it responded', () => {
  const health = healthOf([
    delivery('acknowledged', [
      ['00', 503],
      ['02', 200],
    ]),
    delivery('retry_scheduled', [
      ['04', 502],
      ['06', 503],
    ]),
    delivery('attempting', []),
    delivery('failed', [['05', 500]], 'https://shop.example/other'),
    delivery('acknowledged', [['07', 200]], 'https://bank.example'),
  ]);
  expect(health).toEqual([
    {
      origin: 'https://shop.example',
      acknowledged: 1,
      waiting: 2,
      failed: 1,
      failing_since: '2026-11-20T12:04:00.000Z',
      last_error: 'HTTP 503',
      success_rate: 0.2,
      latency_ms: 100,
      history: {
        step: 'hour',
        points: [{ at: '2026-11-20T12:00:00.000Z', acknowledged: 1, failed: 4, latency_ms: 100 }],
      },
    },
    {
      origin: 'https://bank.example',
      acknowledged: 1,
      waiting: 0,
      failed: 0,
      failing_since: null,
      last_error: null,
      success_rate: 1,
      latency_ms: 100,
      history: expect.anything(),
    },
  ]);
});

const attempt = (started_at: string, total_ms: number, status: number) => ({
  started_at,
  total_ms,
  status,
  ...(status === 200 ? {} : { error: 'not_200' }),
});
const historyOf = (attempts: readonly object[]) =>
  healthOf([{ ...delivery('acknowledged', []), attempts } as unknown as Health])[0]?.history;

it('has the attempts of two days by hour, with the hours between, and their average time', () => {
  expect(
    historyOf([
      attempt('2026-11-20T09:59:59.000Z', 10, 200),
      attempt('2026-11-20T11:00:00.000Z', 30, 200),
      attempt('2026-11-20T11:30:00.000Z', 51, 503),
    ]),
  ).toEqual({
    step: 'hour',
    points: [
      { at: '2026-11-20T09:00:00.000Z', acknowledged: 1, failed: 0, latency_ms: 10 },
      { at: '2026-11-20T10:00:00.000Z', acknowledged: 0, failed: 0, latency_ms: null },
      { at: '2026-11-20T11:00:00.000Z', acknowledged: 1, failed: 1, latency_ms: 41 },
    ],
  });
});

it('has the attempts of a longer time by day, of the latest month', () => {
  const history = historyOf([
    attempt('2026-08-01T09:00:00.000Z', 10, 200),
    attempt('2026-11-20T11:00:00.000Z', 30, 500),
  ]);
  expect(history?.step).toBe('day');
  expect(history?.points).toHaveLength(31);
  expect(history?.points.at(-1)).toEqual({
    at: '2026-11-20T00:00:00.000Z',
    ...{ acknowledged: 0, failed: 1, latency_ms: 30 },
  });
});

it('shows nothing about an endpoint that was not yet called', () => {
  expect(healthOf([delivery('pending', [])])).toMatchObject([
    { waiting: 1, failing_since: null, last_error: null, success_rate: null, latency_ms: null },
  ]);
});
