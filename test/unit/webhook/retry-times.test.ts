import { describe, expect, it } from '@jest/globals';
import * as times from '../../../shared/contract/webhook-worker-times.ts';
import { deliveryLeaseSeconds } from '../../../shared/contract/webhook-worker-times.ts';
import type { Attempt } from '../../../shared/webhook/attempt-record.ts';
import { failedAttempt } from '../../../shared/webhook/delivery.ts';
import { type Answer, failedDelivery, webhookWorkers } from '../../support/webhook/webhook-workers.ts';

type Options = Parameters<typeof webhookWorkers>[0];

/** One webhook, and a day of its workers. */
async function deliverTo(answer: (number: number) => Answer, more: Partial<Options> = {}) {
  const workers = webhookWorkers({ answer: (_posted, number) => answer(number), ...more });
  await workers.relay();
  await workers.run(86_400);
  const delivery = await workers.delivery();
  const { attempts } = delivery;
  const delays = attempts
    .slice(1)
    .map(({ due_at }, i) => Date.parse(due_at) - Date.parse(attempts[i]?.ended_at ?? ''));
  const lateness = attempts.map(({ lateness_ms }) => lateness_ms);
  return { workers, delivery, delays, lateness };
}

const fails = (): Answer => ({ afterMs: 3000, status: 500 });
const hangs = (): Answer => ({ afterMs: 5000, error: 'timeout' });
const throttled = () => {
  throw new Error('throttled');
};

describe('the true schedule', () => {
  it.each<[string, () => Answer, Partial<Options>]>([
    ['schedules fire at once', fails, {}],
    ['schedules fire 59 s late', fails, { scheduleLateMs: 59_000 }],
    ['the endpoint hangs', hangs, { scheduleLateMs: 30_000 }],
    ['no schedule can be created: queue messages take its place', fails, { onSchedule: throttled }],
  ])('retries 30 s, 2 min, 10 min, 1 h and 6 h after each failure where %s', async (_case, answer, more) => {
    const { workers, delivery, delays, lateness } = await deliverTo(answer, more);
    expect(workers.posts).toHaveLength(6);
    expect(delays).toEqual([30_000, 120_000, 600_000, 3_600_000, 21_600_000]);
    expect(Math.min(...lateness)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...lateness)).toBeLessThanOrEqual(300);
    const { attempts, state } = delivery;
    expect(state).toBe('failed');
    expect(attempts.map(({ next_due_at }) => next_due_at)).toEqual([
      ...attempts.slice(1).map(({ due_at }) => due_at),
      undefined,
    ]);
    expect(attempts.map(({ trigger }) => trigger)).toEqual(Array(6).fill('automatic'));
    expect(delivery.due_at).toBeUndefined();
  });

  it('uses an SQS delay up to ten minutes, and a schedule a minute early for the hours', async () => {
    const { workers } = await deliverTo(() => ({ afterMs: 1000, status: 500 }));
    const long = workers.delays.filter(({ seconds }) => seconds > 1);
    expect(long.map(({ path, seconds }) => `${path} ${Math.round(seconds)}`)).toEqual([
      ...['queue 30', 'queue 120', 'queue 600'],
      ...['schedule 3540', 'queue 60', 'schedule 21540', 'queue 60'],
    ]);
  });

  it('uses the same paths in the same proportions at another time scale', async () => {
    const { workers, delays } = await deliverTo(() => ({ afterMs: 10, status: 500 }), { timeScale: 10 });
    expect(delays).toEqual([3000, 12_000, 60_000, 360_000, 2_160_000]);
    expect(workers.delays.filter(({ path }) => path === 'schedule')).toHaveLength(2);
  });

  it('stops at the first acknowledgement', async () => {
    const { workers, delivery } = await deliverTo((n) => ({ afterMs: 50, status: n === 3 ? 200 : 503 }));
    expect(workers.posts).toHaveLength(3);
    expect(delivery.state).toBe('acknowledged');
    expect(delivery.due_at).toBeUndefined();
  });

  it('posts the same bytes under the same webhook-id, in the retry queue after the first attempt', async () => {
    const { workers } = await deliverTo(hangs);
    expect(new Set(workers.posts.map(({ body }) => body)).size).toBe(1);
    expect(new Set(workers.posts.map(({ deliveryId }) => deliveryId)).size).toBe(1);
    expect(workers.posts.map(({ queue }) => queue)).toEqual(['first', ...Array(5).fill('retries')]);
  });

  it('reads the secrets after the wait for the due time, right before it signs', async () => {
    const reads: number[] = [];
    let nowMs = () => 0;
    const workers = webhookWorkers({
      answer: fails,
      around({ operation, input }, run) {
        if (operation === 'GetItem' && input.TableName === 'client_secrets') reads.push(nowMs());
        return run();
      },
    });
    nowMs = () => workers.clock().getTime();
    await workers.relay();
    await workers.run(86_400);
    expect(reads).toHaveLength(workers.posts.length);
    // Between the two is only the claim.
    for (const [n, { at }] of workers.posts.entries())
      expect(at.getTime() - (reads[n] ?? 0)).toBeLessThan(100);
  });
});

it.each([0, 1])(
  'an attempt whose queue message %d is lost is made within two minutes of its time',
  async (lost) => {
    const { workers, lateness } = await deliverTo((n) => ({ afterMs: 100, status: n === 1 ? 500 : 200 }), {
      loses: (index) => index === lost,
    });
    expect(workers.posts).toHaveLength(2);
    expect(Math.max(...lateness)).toBeGreaterThan(60_000);
    expect(Math.max(...lateness)).toBeLessThanOrEqual(120_000);
  },
);

it('a failed webhook has one alert and one entry', async () => {
  const { workers, delivery } = await deliverTo(() => ({ afterMs: 50, status: 500 }));
  expect(workers.tables.rows('activity_log').map(({ kind }) => kind)).toEqual([
    expect.stringMatching(/^webhook_failed/),
  ]);
  expect(workers.failuresReported).toEqual([delivery.delivery_id]);
  expect(delivery.alert_pending).toBeUndefined();
});

it.each<[number, string, number]>([
  [429, '5', 30],
  [429, '90', 90],
  [503, '100000', 21_600],
  [503, 'Fri, 20 Nov 2026 10:05:00 GMT', 300],
  [503, 'Fri, 20 Nov 2026 09:00:00 GMT', 30],
  [503, 'Fri, 99 Nov 2026 10:05:00 GMT', 30],
  [429, 'soon', 30],
  [429, '-90', 30],
  [500, '90', 30],
])(
  'a %i with Retry-After: %s has its retry after %i s at a managed endpoint, and after 30 s at a plain URL',
  (status, text, seconds) => {
    const at = '2026-11-20T10:00:00.000Z';
    const posted = {
      number: 1,
      status,
      error: 'not_200',
      ended_at: at,
      response_headers: { 'retry-after': text },
    };
    for (const [endpoint_id, expected] of [
      ['whe_1', seconds],
      [undefined, 30],
    ] as const) {
      const claimed = {
        ...failedDelivery({ more: { state: 'attempting', attempt_number: 1 } }),
        endpoint_id,
      } as const;
      const { state, attempt_due_at } = failedAttempt(claimed, posted as unknown as Attempt, 1, 'next');
      expect([state, (Date.parse(attempt_due_at) - Date.parse(at)) / 1000]).toEqual([
        'retry_scheduled',
        expected,
      ]);
    }
  },
);

/** A cold start, and the reads before the claim. */
const startSeconds = 1;

describe('the times of a delivery worker', () => {
  it('leave 10 s for the writes of an outcome', () => {
    const untilPosted = startSeconds + times.waitSecondsMax + times.timeoutSeconds.max;
    expect(times.workerTimeoutSeconds - untilPosted).toBeGreaterThanOrEqual(10);
  });

  it('end the worker before its lease, so that no two attempt one delivery at once', () => {
    expect(times.workerTimeoutSeconds + 1).toBeLessThan(deliveryLeaseSeconds);
  });

  it("show a killed worker's message after its lease, and within 35 s", () => {
    const latestClaim = startSeconds + times.waitSecondsMax;
    expect(latestClaim + deliveryLeaseSeconds).toBeLessThanOrEqual(times.visibilitySeconds);
    expect(times.visibilitySeconds).toBeLessThan(35);
  });
});
