import type { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';
import { alerted, claimed } from '../../../shared/webhook/delivery.ts';
import { resend } from '../../../shared/webhook/log/request-resend.ts';
import { created } from '../../support/message/example-message.ts';
import { failedDelivery, webhookWorkers } from '../../support/webhook/webhook-workers.ts';

const id = failedDelivery().delivery_id;

/** A delivery that failed after its six attempts, and the workers to which it is resent. */
async function afterFailure({ status = 200, alert_pending = false, loses = false } = {}) {
  const workers = webhookWorkers({ answer: () => ({ afterMs: 50, status }), loses: () => loses });
  const row = { ...failedDelivery(), ...(alert_pending && { alert_pending }) };
  await workers.deliveries.create(row);
  return { workers, row, again: (actor = 'ada@example.com', more = {}) => resend(workers, id, actor, more) };
}

describe('a manual resend', () => {
  it('is a new attempt of the same delivery, with an activity entry that names the administrator', async () => {
    const { workers, row, again } = await afterFailure();
    expect(await again()).toEqual({ kind: 'resent', attemptNumber: 7 });
    await workers.run(10);
    const { state, attempts } = await workers.delivery();
    expect(state).toBe('acknowledged');
    expect(attempts.at(-1)).toMatchObject({ number: 7, trigger: 'manual' });
    expect(workers.posts).toMatchObject([{ deliveryId: id, body: row.body }]);
    expect(workers.tables.rows('activity_log')).toMatchObject([
      { kind: 'webhook_resent', actor: 'ada@example.com', delivery_id: id },
    ]);
  });

  it('is kept until its attempt is over, also where it is asked for at the end of the retention', async () => {
    const { workers, row, again } = await afterFailure();
    await workers.deliveries.replace(row, { ...row, purge_at: epochSeconds(created) + 1, revision: 'old' });
    await again();
    const { purge_at } = await workers.delivery();
    expect(purge_at).toBeGreaterThanOrEqual(epochSeconds(addSeconds(created, 3600)));
  });

  it('is a single attempt: if it fails, the delivery has failed again', async () => {
    const { workers, again } = await afterFailure({ status: 500 });
    await again();
    await workers.run(40_000);
    expect(workers.posts).toHaveLength(1);
    expect((await workers.delivery()).state).toBe('failed');
    expect(workers.failuresReported).toEqual([id]);
  });

  it.each([false, true])(
    'is made while the alert of the failure is pending, which is sent first; noted at that moment: %s',
    async (isNoted) => {
      const { workers, row, again } = await afterFailure({ alert_pending: true });
      const { db } = workers.activityLog;
      const send = async (command: PutCommand) => {
        if (isNoted) await workers.deliveries.replace(row, alerted(row, 'noted'));
        return db.send(command);
      };
      const activityLog = { ...workers.activityLog, db: { send } as unknown as typeof db };
      const outcome = isNoted
        ? await resend({ ...workers, activityLog }, id, 'ada@example.com')
        : await again();
      expect(outcome).toEqual({ kind: 'resent', attemptNumber: 7 });
      await workers.run(10);
      expect((await workers.delivery()).state).toBe('acknowledged');
      expect(workers.failuresReported).toEqual([id]);
      expect(workers.tables.rows('activity_log').map(({ kind }) => String(kind).split('#')[0])).toEqual([
        'webhook_failed',
        'webhook_resent',
      ]);
    },
  );

  it('is started by the due index if its queue message is lost', async () => {
    const { workers } = await afterFailure();
    await resend({ ...workers, queue: { send: async () => {} } }, id, 'ada@example.com');
    await workers.run(300);
    expect((await workers.delivery()).state).toBe('acknowledged');
  });

  it('happens once, for any number of requests, parallel or in sequence', async () => {
    const { workers, again } = await afterFailure();
    const both = await Promise.all([again('a'), again('b')]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['already_waiting', 'resent']);
    expect(await again('c')).toEqual({ kind: 'already_waiting', state: 'pending' });
    const noted = workers.tables.rows('activity_log').length;
    await workers.run(300);
    expect(await again('c')).toEqual({ kind: 'acknowledged_meanwhile' });
    await workers.run(300);
    expect(workers.posts).toHaveLength(1);
    expect(workers.tables.rows('activity_log')).toHaveLength(noted);
    expect(await again('c', { evenAcknowledged: true })).toMatchObject({ kind: 'resent' });
    await workers.run(300);
    expect(workers.posts).toHaveLength(2);
    expect(await resend(workers, 'whd_none', 'c')).toEqual({ kind: 'not_found' });
  });

  it('does not happen while an attempt is running', async () => {
    const { workers, again } = await afterFailure();
    await again();
    const waiting = await workers.delivery();
    await workers.deliveries.replace(waiting, claimed(waiting, workers.clock(), 'held'));
    expect(await again()).toEqual({ kind: 'already_waiting', state: 'attempting' });
  });

  it('sends the queue message that the previous request did not send before it died', async () => {
    const { workers, again } = await afterFailure();
    const dies = { send: () => Promise.reject(new Error('no connection')) };
    await expect(resend({ ...workers, queue: dies }, id, 'a')).rejects.toThrow('no connection');
    expect(await again()).toEqual({ kind: 'already_waiting', state: 'pending' });
    // Much less than the 90 s after which the due index would find it.
    await workers.run(10);
    expect(workers.posts).toHaveLength(1);
  });
});
