/** A client is told that its endpoint was disabled, wherever the sweep that disabled it died; a success before that counts. */
import { expect, it } from '@jest/globals';
import type { Activity } from '../../../shared/activity/activity-log.ts';
import { addDays, addSeconds } from '../../../shared/platform/clock.ts';
import type { Attempt } from '../../../shared/webhook/attempt-record.ts';
import { countResult, disabledAfter } from '../../../shared/webhook/deliver/disable-endpoint.ts';
import type { DeliveryEntry } from '../../../shared/webhook/delivery-queue.sqs.ts';
import { sweep } from '../../../shared/webhook/sweep-deliveries.ts';
import { changed } from '../../../shared/webhook/webhook-endpoint.ts';
import { neverSetAside } from '../../support/doubles/never-set-aside.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const clientId = 'client-a';
const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };
const failed = { error: 'not_200' } as Attempt;

type Dying = 'activity' | 'deliveries' | 'queue' | 'nowhere';

/** An attempt has failed, and the days are over. */
async function failedTooLong(dying: Dying = 'nowhere') {
  let isAlive = false;
  let now = addDays(created, disabledAfter.days + 1);
  const entries = new Map<string, Activity>();
  const queued: DeliveryEntry[] = [];
  const dieAt = (call: Dying) => {
    if (call === dying && !isAlive) throw new Error('the sweep died');
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
  await countResult(dependencies, failing, failed);
  return {
    endpoints,
    failing,
    entries,
    queued,
    async sweepAfter(seconds: number) {
      now = addSeconds(now, seconds);
      const { failures } = await sweep(dependencies);
      isAlive = true;
      return failures;
    },
    stored: async () => endpoints.get(clientId, failing.endpoint_id),
    left: () =>
      dueItemIndex
        .all()
        .flatMap(({ ids }) => ids)
        .filter((id) => id.startsWith('disabled#')),
  };
}

/** After it the endpoint is disabled, and every success before its last failure is counted. */
const graceSeconds = 920;
/** After it a failed review is repeated. */
const repeatSeconds = 1000;

it.each(['activity', 'deliveries', 'queue'] as const)(
  'the sweep sends the notice of one that died at its call of the %s, once',
  async (dying) => {
    const worker = await failedTooLong(dying);
    expect(await worker.sweepAfter(graceSeconds)).toHaveLength(1);
    expect(await worker.stored()).toMatchObject({ enabled: false, notice_pending: true });
    expect(await worker.sweepAfter(repeatSeconds)).toEqual([]);
    expect(await worker.stored()).not.toHaveProperty('notice_pending');
    expect([...worker.entries.values()].map(({ kind }) => kind)).toEqual(['webhook_endpoint_disabled']);
    expect(
      new Set(worker.queued.map(({ message }) => 'delivery_id' in message && message.delivery_id)).size,
    ).toBe(1);
    expect(worker.left()).toEqual([]);
  },
);

it('a sweep that did not die leaves nothing to send', async () => {
  const worker = await failedTooLong();
  await worker.sweepAfter(graceSeconds);
  expect([worker.queued.length, worker.entries.size, worker.left()]).toEqual([1, 1, []]);
  await worker.sweepAfter(60);
  expect([worker.queued.length, worker.entries.size]).toEqual([1, 1]);
});

it('an endpoint is not disabled before a success had time to be counted, nor after it is', async () => {
  const worker = await failedTooLong();
  await worker.sweepAfter(100);
  expect(await worker.stored()).toMatchObject({ enabled: true });
  await worker.endpoints.clearFailures(worker.failing);
  await worker.sweepAfter(graceSeconds);
  expect(await worker.stored()).toMatchObject({ enabled: true });
  expect([worker.queued, worker.entries.size, worker.left()]).toEqual([[], 0, []]);
});

it('an endpoint that its client enabled again before is not said to be disabled', async () => {
  const worker = await failedTooLong('activity');
  await worker.sweepAfter(graceSeconds);
  const seen = await worker.stored();
  if (seen === undefined) throw new Error('it is stored');
  await worker.endpoints.change(seen, changed(seen, { enabled: true }, created, 'enabled'));
  await worker.sweepAfter(repeatSeconds);
  expect(worker.entries.size).toBe(0);
  expect(worker.queued).toEqual([]);
});
