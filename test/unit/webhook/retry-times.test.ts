import { describe, expect, it } from '@jest/globals';
import { dueItemOf } from '../../../shared/webhook/delivery.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import type { Answer } from '../../support/simulation/outside-calls.ts';
import type { Fault } from '../../support/simulation/processes.ts';

const day = 86_400;

async function deliverTo(
  answer: (postNumber: number) => Answer,
  schedulerLatenessMs = 0,
  timeScale = 1,
  fault?: (call: string) => Fault | undefined,
) {
  const simulation = simulatedGateway({
    startAt: created,
    timeScale,
    fault,
    answer: (_deliveryId, postNumber) => answer(postNumber),
    lateMs: (what) => (what === 'scheduler' ? schedulerLatenessMs : 0),
  });
  simulation.messages.put(aMessage(), aSentMessage());
  await simulation.run(day);
  const [post] = simulation.posts;
  const delivery = await simulation.deliveries.get(post?.deliveryId ?? '');
  if (delivery === undefined) throw new Error('nothing was delivered');
  return { simulation, delivery };
}

describe('the true schedule', () => {
  it.each([
    ['at once', 0],
    ['30 s late', 30_000],
    ['59 s late', 59_000],
  ])(
    'retries 30 s, 2 min, 10 min, 1 h and 6 h after each failure, schedules firing %s',
    async (_name, latenessMs) => {
      const { simulation, delivery } = await deliverTo(() => ({ afterMs: 3000, status: 500 }), latenessMs);
      expect(simulation.posts).toHaveLength(6);
      expect(delivery.state).toBe('failed');
      const { attempts } = delivery;
      const delays = attempts
        .slice(1)
        .map((attempt, i) => Date.parse(attempt.due_at) - Date.parse(attempts[i]?.ended_at ?? ''));
      expect(delays).toEqual([30_000, 120_000, 600_000, 3_600_000, 21_600_000]);
      for (const attempt of attempts) {
        expect(attempt.lateness_ms).toBeGreaterThanOrEqual(0);
        expect(attempt.lateness_ms).toBeLessThanOrEqual(300);
      }
      expect(
        attempts.slice(0, 5).map((attempt, i) => attempt.next_due_at === attempts[i + 1]?.due_at),
      ).toEqual(Array(5).fill(true));
      expect(attempts[5]?.next_due_at).toBeUndefined();
    },
  );

  it('also applies to an endpoint that hangs', async () => {
    const simulation = simulatedGateway({
      startAt: created,
      lateMs: (what) => (what === 'scheduler' ? 30_000 : 0),
      answer: () => ({ afterMs: 5000, error: 'timeout' }),
    });
    simulation.messages.put(aMessage(), aSentMessage());
    await simulation.run(day);
    const delivery = await simulation.deliveries.get(simulation.posts[0]?.deliveryId ?? '');
    expect(delivery?.attempts).toHaveLength(6);
    for (const { lateness_ms } of delivery?.attempts.slice(1) ?? []) {
      expect(lateness_ms).toBeGreaterThanOrEqual(0);
      expect(lateness_ms).toBeLessThanOrEqual(100);
    }
  });

  it.each([
    ['throttled', 'throttle'],
    ['refused', 'fail_before'],
    ['created, and the response is lost', 'fail_after'],
  ] as const)(
    'also applies where each schedule is %s: the sweep enqueues the retry',
    async (_name, fault) => {
      const failing = { afterMs: 1000, status: 500 };
      const { simulation, delivery } = await deliverTo(
        () => failing,
        0,
        1,
        (call) => (call === 'schedule' ? fault : undefined),
      );
      expect(delivery.state).toBe('failed');
      expect(simulation.posts).toHaveLength(6);
      expect(delivery.attempts.map(({ trigger }) => trigger)).toEqual(Array(6).fill('automatic'));
      for (const { lateness_ms } of delivery.attempts) {
        expect(lateness_ms).toBeGreaterThanOrEqual(0);
        expect(lateness_ms).toBeLessThanOrEqual(300);
      }
      expect(simulation.world.deadLetters('fast')).toEqual([]);
      expect(simulation.dueItemIndex.all()).toEqual([]);
    },
  );

  it('uses an SQS delay up to ten minutes, and a schedule a minute early for the hours', async () => {
    const { simulation } = await deliverTo(() => ({ afterMs: 1000, status: 500 }));
    const longDelays = simulation.world.sent.filter(({ delaySeconds }) => delaySeconds > 1);
    expect(longDelays.map(({ path }) => path)).toEqual([
      'queue',
      'queue',
      'queue',
      'schedule',
      'queue',
      'schedule',
      'queue',
    ]);
    const seconds = longDelays.map(({ delaySeconds }) => Math.round(delaySeconds));
    expect(seconds.slice(0, 3)).toEqual([29, 119, 599]);
    expect(seconds[3]).toBeGreaterThanOrEqual(3539);
    expect(seconds[3]).toBeLessThanOrEqual(3541);
    expect(seconds[5]).toBeGreaterThanOrEqual(21_539);
    expect(
      simulation.world.sent.every(({ path, delaySeconds }) => path === 'schedule' || delaySeconds <= 900),
    ).toBe(true);
  });

  it('uses the same paths in the same proportions at another time scale', async () => {
    const { delivery, simulation } = await deliverTo(() => ({ afterMs: 10, status: 500 }), 0, 10);
    const { attempts } = delivery;
    const delays = attempts
      .slice(1)
      .map((attempt, i) => Date.parse(attempt.due_at) - Date.parse(attempts[i]?.ended_at ?? ''));
    expect(delays).toEqual([3000, 12_000, 60_000, 360_000, 2_160_000]);
    expect(simulation.world.sent.filter(({ path }) => path === 'schedule')).toHaveLength(2);
  });

  it('stops at the first acknowledgement', async () => {
    const { simulation, delivery } = await deliverTo((n) => ({ afterMs: 50, status: n === 3 ? 200 : 503 }));
    expect(simulation.posts).toHaveLength(3);
    expect(delivery.state).toBe('acknowledged');
    expect(dueItemOf(delivery)).toEqual([]);
  });

  it('posts the same bytes under the same webhook-id every time', async () => {
    const { simulation } = await deliverTo(() => ({ afterMs: 50, status: 500 }));
    expect(new Set(simulation.posts.map(({ body }) => body)).size).toBe(1);
    expect(new Set(simulation.posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('reports the failure once and writes one activity entry after the last retry', async () => {
    const { simulation, delivery } = await deliverTo(() => ({ afterMs: 50, status: 500 }));
    expect(simulation.failuresReported).toEqual([delivery.delivery_id]);
    expect([...simulation.activities.values()].map(({ kind }) => kind)).toEqual(['webhook_failed']);
    expect(dueItemOf(delivery)).toEqual([]);
  });

  it('uses the slow lane after a timeout, and skips no attempt', async () => {
    const { simulation } = await deliverTo(() => ({ afterMs: 5000, error: 'timeout' }));
    expect(simulation.posts.map(({ lane }) => lane)).toEqual([
      'fast',
      'slow',
      'slow',
      'slow',
      'slow',
      'slow',
    ]);
  });
});
