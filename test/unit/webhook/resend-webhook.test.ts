import { describe, expect, it } from '@jest/globals';
import { addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';
import { alerted, claimDelivery } from '../../../shared/webhook/delivery.ts';
import { replaceDelivery, storeDelivery } from '../../../shared/webhook/delivery-store.dynamo.ts';
import { resendDelivery } from '../../../shared/webhook/log/request-resend.ts';
import { strictSqs } from '../../support/engine/strict-sqs.ts';
import { withCalls } from '../../support/engine/test-context.ts';
import { created } from '../../support/message/example-message.ts';
import { failedDelivery, webhookWorkers } from '../../support/webhook/webhook-workers.ts';

const id = failedDelivery().delivery_id;

/** A delivery that failed after its six attempts, and the workers to which it is resent. */
async function afterFailure({ status = 200, alert_pending = false, loses = false } = {}) {
  const workers = webhookWorkers({ answer: () => ({ afterMs: 50, status }), loses: () => loses });
  const row = { ...failedDelivery(), ...(alert_pending && { alert_pending }) };
  await storeDelivery(workers, row);
  return {
    workers,
    row,
    again: (actor = 'ada@example.com', more = {}) => resendDelivery(workers, id, actor, more),
  };
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
    await replaceDelivery(workers, row, { ...row, purge_at: epochSeconds(created) + 1, revision: 'old' });
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
      const noted = withCalls(workers, async ({ input }, run) => {
        if (input.TableName === workers.tables.names.activity_log)
          await replaceDelivery(workers, row, alerted(row, 'noted'));
        return run();
      });
      const outcome = isNoted ? await resendDelivery(noted, id, 'ada@example.com') : await again();
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
    const losing = strictSqs({ deliver: () => {} });
    await resendDelivery({ ...workers, sqs: () => losing }, id, 'ada@example.com');
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
    expect(await resendDelivery(workers, 'whd_none', 'c')).toEqual({ kind: 'not_found' });
  });

  it('does not happen while an attempt is running', async () => {
    const { workers, again } = await afterFailure();
    await again();
    const waiting = await workers.delivery();
    await replaceDelivery(workers, waiting, claimDelivery(waiting, workers.clock(), 'held'));
    expect(await again()).toEqual({ kind: 'already_waiting', state: 'attempting' });
  });

  it('sends the queue message that the previous request did not send before it died', async () => {
    const { workers, again } = await afterFailure();
    const dying = strictSqs({ deliver: () => {}, fault: () => new Error('no connection') });
    const requested = resendDelivery({ ...workers, sqs: () => dying }, id, 'a');
    await expect(requested).rejects.toThrow('no connection');
    expect(await again()).toEqual({ kind: 'already_waiting', state: 'pending' });
    // Much less than the 90 s after which the due index would find it.
    await workers.run(10);
    expect(workers.posts).toHaveLength(1);
  });
});
