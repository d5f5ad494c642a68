/** A client is told that its endpoint was disabled, wherever the worker that disabled it died. */
import { expect, it } from '@jest/globals';
import type { Activity } from '../../../shared/activity/activity-log.ts';
import { addDays, addSeconds } from '../../../shared/platform/clock.ts';
import type { Attempt } from '../../../shared/webhook/attempt-record.ts';
import { countResult } from '../../../shared/webhook/deliver/disable-endpoint.ts';
import type { DeliveryEntry } from '../../../shared/webhook/delivery-queue.sqs.ts';
import { sweep } from '../../../shared/webhook/sweep-deliveries.ts';
import { changed, disabledAfter } from '../../../shared/webhook/webhook-endpoint.ts';
import { neverSetAside } from '../../support/doubles/never-set-aside.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const clientId = 'client-a';
const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };
const failed = { error: 'not_200' } as Attempt;

async function disabledBy(dying: 'activity' | 'deliveries' | 'queue' | 'nowhere') {
  let isAlive = false;
  let now = addDays(created, disabledAfter.days + 1);
  const entries = new Map<string, Activity>();
  const queued: DeliveryEntry[] = [];
  const dieAt = (call: typeof dying) => {
    if (call === dying && !isAlive) throw new Error('the worker died');
  };
  const { endpoints, deliveries, dueItemIndex } = inMemoryStores();
  const dependencies = {
    endpoints,
    dueItemIndex,
    deliveries: {
      ...deliveries,
      async create(row: Parameters<typeof deliveries.create>[0]) {
        dieAt('deliveries');
        return deliveries.create(row);
      },
    },
    activityLog: {
      async add(entry: Activity) {
        dieAt('activity');
        entries.set(entry.entry_id, entry);
      },
    },
    queue: {
      async send(_lane: unknown, sent: readonly DeliveryEntry[]) {
        dieAt('queue');
        queued.push(...sent);
      },
    },
    messages: { get: async () => undefined, getMany: async () => [] },
    accountUrlOf: async () => undefined,
    health: { status: async () => 'healthy' as const },
    setAside: neverSetAside,
    clock: () => now,
    warn: () => undefined,
    newRevision: () => `revision at ${now.toISOString()}`,
    retentionDays: 30,
    budgetMs: 1000,
  };
  const failing = anEndpoint({
    client_id: clientId,
    endpoint_id: 'whe_failing',
    failing_since: created.toISOString(),
    failed_attempts: disabledAfter.attempts,
  });
  await endpoints.create(failing, secret);
  await endpoints.create(anEndpoint({ client_id: clientId, endpoint_id: 'whe_other' }), secret);
  await countResult(dependencies, failing, failed).catch(() => {});
  isAlive = true;
  return {
    endpoints,
    entries,
    queued,
    async sweepAfter(seconds: number) {
      now = addSeconds(now, seconds);
      expect((await sweep(dependencies)).failures).toEqual([]);
    },
    pending: async () => (await endpoints.get(clientId, 'whe_failing'))?.notice_pending ?? false,
    left: () =>
      dueItemIndex
        .all()
        .flatMap(({ ids }) => ids)
        .filter((id) => id.startsWith('disabled#')),
  };
}

it.each(['activity', 'deliveries', 'queue'] as const)(
  'the sweep sends the notice of a worker that died at its call of the %s, once',
  async (dying) => {
    const worker = await disabledBy(dying);
    expect(await worker.pending()).toBe(true);
    await worker.sweepAfter(120);
    expect(await worker.pending()).toBe(false);
    expect([...worker.entries.values()].map(({ kind }) => kind)).toEqual(['webhook_endpoint_disabled']);
    expect(
      new Set(worker.queued.map(({ message }) => 'delivery_id' in message && message.delivery_id)).size,
    ).toBe(1);
    expect(worker.left()).toEqual([]);
  },
);

it('the sweep has nothing to send after a worker that did not die', async () => {
  const worker = await disabledBy('nowhere');
  expect(worker.queued).toHaveLength(1);
  await worker.sweepAfter(60);
  expect(worker.entries.size).toBe(1);
  await worker.sweepAfter(60);
  expect(worker.left()).toEqual([]);
});

it('an endpoint that its client enabled again before is not said to be disabled', async () => {
  const worker = await disabledBy('activity');
  const seen = await worker.endpoints.get(clientId, 'whe_failing');
  if (seen === undefined) throw new Error('it is stored');
  await worker.endpoints.change(seen, changed(seen, { enabled: true }, created, 'enabled'));
  await worker.sweepAfter(120);
  expect(worker.entries.size).toBe(0);
  expect(worker.queued).toEqual([]);
});
